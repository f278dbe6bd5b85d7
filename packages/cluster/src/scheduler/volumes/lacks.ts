import type { NodeSelectorTerm } from '../../api/generated/core-v1.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import { describeTerms, describeUnmetTerms } from '../../api/selector/words.ts';
import type { Detail } from '../detail.ts';
import type { NodeView } from '../node-view.ts';
import type { PodView } from '../pod-view.ts';
import { isProvisioned, type Lack, lacksOn, type OpenClaim } from './choice.ts';

/** Where a volume of the pod is. */
export interface Place {
  /** What the pod calls it. */
  readonly name: string;
  readonly terms: readonly NodeSelectorTerm[];
}

interface Volumes {
  readonly places: readonly Place[];
  readonly open: readonly OpenClaim[];
  /** Whether any node has them all: then what keeps the pod from that one is what matters. */
  isReached(): boolean;
}

/** Why the pod's volumes are nothing for a node. */
export function whyLacking(pod: PodView, node: NodeView, volumes: Volumes): readonly Detail[] {
  const nodeFacts = { labels: node.labels, fields: { 'metadata.name': node.name } };
  const mended = (text: string, mend: string): Detail => (volumes.isReached() ? { text } : { text, mend });
  const away = volumes.places.flatMap(({ name, terms }) => {
    const unmet = describeUnmetTerms(terms, nodeFacts);
    if (unmet === undefined) return [];
    return [
      mended(
        `its volume ${name} can only be reached from nodes with ${unmet}`,
        'add a node there, or mount another volume',
      ),
    ];
  });
  const lacking = lacksOn(node, volumes.open).map(({ open, lack }) => {
    const name = pod.claims.find(({ key }) => key === open.key)?.volume ?? open.key;
    return mended(lackWords(name, { open, lack }), lackMend({ open, lack }));
  });
  return [...away, ...lacking];
}

interface Lacking {
  readonly open: OpenClaim;
  readonly lack: Lack;
}

function lackWords(name: string, { open, lack }: Lacking): string {
  const { storageClass, selectedNode, held } = open;
  switch (lack) {
    case 'made elsewhere': {
      const node = selectedNode ?? (held !== undefined && 'onNode' in held ? held.onNode : 'another node');
      return `its volume ${name} is being made for node ${node}`;
    }
    case 'promised elsewhere':
      return `its volume ${name} is promised already, and cannot be reached from there`;
    case 'none there':
      return `no volume that can be reached from there is free for its volume ${name}, and ${makingWords(storageClass)}`;
    default:
      return lack satisfies never;
  }
}

function makingWords(storageClass: StorageClass): string {
  const { name } = storageClass.metadata;
  if (!isProvisioned(storageClass)) return `nobody makes volumes of class ${name}`;
  return `class ${name} makes them only where ${describeTopologies(storageClass) ?? 'nobody knows'}`;
}

function lackMend({ open: { storageClass }, lack }: Lacking): string {
  if (lack !== 'none there') return '';
  return isProvisioned(storageClass)
    ? 'add a node there, or name a class that makes volumes where nodes are'
    : `create a volume of class ${storageClass.metadata.name} that fits its claim`;
}

/** `zone=a or b`, as far as the class says where its volumes may be. */
export function describeTopologies({ allowedTopologies = [] }: StorageClass): string | undefined {
  const terms = allowedTopologies.map(({ matchLabelExpressions = [] }) => ({
    matchExpressions: matchLabelExpressions.map((each) => ({ ...each, operator: 'In' })),
  }));
  const text = describeTerms(terms);
  return text === '' ? undefined : text;
}
