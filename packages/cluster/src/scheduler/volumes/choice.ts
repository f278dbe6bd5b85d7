import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { persistentvolumes } from '../../api/generated/kinds.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import { type Key, keyOf } from '../../api/meta.ts';
import { matchesNodeSelectorTerms } from '../../api/selector/selector.ts';
import type { Index } from '../../client/cache.ts';
import {
  allowsTopology,
  classOfVolume,
  fittingVolumes,
  isMeantFor,
  mismatch,
  selectedNodeAnnotation,
  storageOf,
} from '../../resources/core/volume-binding.ts';
import type { NodeView } from '../node-view.ts';
import type { Snapshot } from '../snapshot.ts';
import type { VolumeChoice } from './held-volumes.ts';

/** A claim whose volume is chosen with the node of its first pod. */
export interface OpenClaim {
  readonly key: Key;
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  /** Volumes that it could have, the smallest first. */
  readonly candidates: Candidates;
  /** What another pod on its way has decided for it. */
  readonly held: VolumeChoice | undefined;
  /** Where a volume is being made for it. */
  readonly selectedNode: string | undefined;
}

/** The claims by what they ask for, the smallest first: a small one must not take what only fits a large one. */
export function openClaims(
  claims: readonly { readonly claim: PersistentVolumeClaim; readonly storageClass: StorageClass }[],
  snapshot: Snapshot,
): readonly OpenClaim[] {
  return claims
    .map(({ claim, storageClass }): OpenClaim => {
      const key = keyOf(claim);
      return {
        key,
        claim,
        storageClass,
        candidates: new Candidates(candidatesFor(claim, { key, storageClass, snapshot })),
        held: snapshot.volumes.choiceFor(key),
        selectedNode: claim.metadata.annotations?.[selectedNodeAnnotation],
      };
    })
    .sort((a, b) => (wantedOf(a) < wantedOf(b) ? -1 : wantedOf(a) > wantedOf(b) ? 1 : 0));
}

function wantedOf({ claim }: OpenClaim): bigint {
  return storageOf(claim.spec.resources?.requests);
}

/** By class, those that somebody has promised to a claim by its name as well. */
const volumesByClass: Index<PersistentVolume> = {
  name: 'storage class of volumes that are not bound',
  valuesOf: (volume) => (volume.status?.phase === 'Bound' ? [] : [classOfVolume(volume)]),
};

function candidatesFor(
  claim: PersistentVolumeClaim,
  { key, storageClass, snapshot }: Pick<OpenClaim, 'key' | 'storageClass'> & { readonly snapshot: Snapshot },
): readonly PersistentVolume[] {
  const volumes = snapshot.of(persistentvolumes).by(volumesByClass, storageClass.metadata.name);
  const promised = volumes.filter((volume) => isMeantFor(volume, claim) && mismatch(volume, claim) === undefined);
  if (promised.length > 0) return promised;
  const isFree = ({ metadata, status }: PersistentVolume): boolean =>
    status?.phase === 'Available' && (snapshot.volumes.claimOf(metadata.name) ?? key) === key;
  return fittingVolumes(claim, volumes.filter(isFree));
}

/** Which volume every claim gets if the pod goes to the node; undefined where one of them gets none. */
export function chooseVolumes(node: NodeView, open: readonly OpenClaim[]): readonly VolumeChoice[] | undefined {
  const taken = new Set<string>();
  const choices: VolumeChoice[] = [];
  for (const each of open) {
    const choice = chooseFor(each, { node, taken });
    if (typeof choice === 'string') return undefined;
    if ('volume' in choice) taken.add(choice.volume);
    choices.push(choice);
  }
  return choices;
}

/** Which claims get no volume if the pod goes to the node, and why not. */
export function lacksOn(
  node: NodeView,
  open: readonly OpenClaim[],
): readonly { readonly open: OpenClaim; readonly lack: Lack }[] {
  const taken = new Set<string>();
  return open.flatMap((each) => {
    const choice = chooseFor(each, { node, taken });
    if (typeof choice === 'string') return [{ open: each, lack: choice }];
    if ('volume' in choice) taken.add(choice.volume);
    return [];
  });
}

/** One is made, or promised, that the node does not reach; or none is there, and none can be made. */
export type Lack = 'made elsewhere' | 'promised elsewhere' | 'none there';

function chooseFor(
  { key, storageClass, candidates, held, selectedNode }: OpenClaim,
  { node, taken }: { readonly node: NodeView; readonly taken: ReadonlySet<string> },
): VolumeChoice | Lack {
  if (held !== undefined) {
    if ('onNode' in held) return held.onNode === node.name ? held : 'made elsewhere';
    return candidates.on(node, taken, held.volume) === undefined ? 'promised elsewhere' : held;
  }
  const made: VolumeChoice | Lack = canBeMade(storageClass, node) ? { claim: key, onNode: node.name } : 'none there';
  // Somebody makes a volume there already.
  if (selectedNode !== undefined) return selectedNode === node.name ? made : 'made elsewhere';
  const volume = candidates.on(node, taken);
  return volume === undefined ? made : { claim: key, volume: volume.metadata.name };
}

/** Whether anybody makes volumes of the class. */
export function isProvisioned({ provisioner }: StorageClass): boolean {
  return provisioner !== 'kubernetes.io/no-provisioner';
}

function canBeMade(storageClass: StorageClass, { labels }: NodeView): boolean {
  const { allowedTopologies = [] } = storageClass;
  return isProvisioned(storageClass) && allowsTopology(allowedTopologies, labels);
}

/** Whether the node reaches the volume. */
export function reaches({ labels, name }: NodeView, { spec }: PersistentVolume): boolean {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || matchesNodeSelectorTerms(terms, { labels, fields: { 'metadata.name': name } });
}

/**
 * Volumes by the nodes that reach them. A local volume says `hostname In (one)`: where there are as many of them as nodes,
 * nobody asks each node about each.
 */
export class Candidates {
  /** Those that are found by no label, with their rank. */
  readonly #others: Ranked[] = [];
  readonly #byLabel = new Map<string, Map<string, Ranked[]>>();

  constructor(smallestFirst: readonly PersistentVolume[]) {
    for (const [rank, volume] of smallestFirst.entries()) {
      const only = onlyLabel(volume);
      if (only === undefined) this.#others.push({ rank, volume });
      else
        for (const value of only.values) {
          const values = this.#byLabel.get(only.key) ?? new Map<string, Ranked[]>();
          this.#byLabel.set(only.key, values);
          values.set(value, [...(values.get(value) ?? []), { rank, volume }]);
        }
    }
  }

  /** The smallest that the node reaches; `named`: that one only. */
  on(node: NodeView, taken: ReadonlySet<string>, named?: string): PersistentVolume | undefined {
    let best: Ranked | undefined;
    const look = (ranked: readonly Ranked[]): void => {
      for (const each of ranked) {
        const { name } = each.volume.metadata;
        if (best !== undefined && best.rank <= each.rank) return;
        if (!taken.has(name) && (named ?? name) === name && reaches(node, each.volume)) best = each;
      }
    };
    look(this.#others);
    for (const [key, values] of this.#byLabel) look(values.get(node.labels[key] ?? '') ?? []);
    return best?.volume;
  }
}

interface Ranked {
  readonly rank: number;
  readonly volume: PersistentVolume;
}

function onlyLabel({
  spec,
}: PersistentVolume): { readonly key: string; readonly values: readonly string[] } | undefined {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const [expression] = terms[0]?.matchExpressions ?? [];
  return terms.length === 1 && expression?.operator === 'In'
    ? { key: expression.key, values: expression.values ?? [] }
    : undefined;
}
