/**
 * Pods that this node runs by itself, from a folder of manifests, as a kubelet does. The API has a mirror of each, by which the
 * node's agent looks after it; whoever has none yet, because there is no API or it takes none, is looked after here.
 */
import {
  type Client,
  type Clock,
  endingAlone,
  type Informers,
  ifFound,
  isStatusError,
  type NodeDriver,
  nodes,
  type Pod,
  podAlone,
  pods,
  resourceName,
  sleep,
  tendAlone,
} from '@signalbox/cluster';
import { mirrorAnnotation } from '../driver/mirror.ts';
import { type Manifest, manifestsIn, sourceAnnotation } from './manifests.ts';

export interface StaticPods {
  /** Whether a manifest of the folder is the one that this mirror stands for. */
  wants(hash: string): boolean;
  run(waiting: { readonly signal: AbortSignal }): Promise<void>;
}

export interface StaticPodsOptions {
  readonly folder: string;
  readonly nodeName: string;
  readonly client: Client;
  /** Of the node's own pods. */
  readonly own: Informers;
  /** Who runs them; told of those without a mirror. */
  readonly driver: NodeDriver;
  /** The node's address. */
  readonly hostIp: string;
  readonly clock: Clock;
  readonly report: (message: string, error?: unknown) => void;
}

const lookEveryMs = 2_000;
const tendEveryMs = 250;
/** The API's word is waited for at a start: it knows of a run what the run itself does not. */
const apiWithinMs = 3_000;

interface State extends StaticPodsOptions {
  wanted: ReadonlyMap<string, Manifest>;
  /** From then on the API is not waited for. */
  readonly patientUntilMs: number;
  /** Those without a mirror, by `namespace/name`, as the API would show them. */
  readonly alone: Map<string, Pod>;
  readonly tell: (about: string, error: unknown) => void;
}

export function createStaticPods(options: StaticPodsOptions): StaticPods {
  const { clock } = options;
  /** Each trouble is told once, until it is another. */
  const told = new Map<string, string>();
  const tell = (about: string, error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error);
    if (told.get(about) === message) return;
    told.set(about, message);
    options.report(`static pods: ${about}`, error);
  };
  const patientUntilMs = clock.nowMs() + apiWithinMs;
  const state: State = { ...options, patientUntilMs, wanted: new Map(), alone: new Map(), tell };
  const again = async (everyMs: number, signal: AbortSignal, work: () => Promise<void> | void): Promise<void> => {
    while (!signal.aborted) {
      await work();
      await sleep(clock, everyMs, { signal }).catch(() => undefined);
    }
  };
  return {
    wants: (hash) => [...state.wanted.values()].some((manifest) => manifest.hash === hash) && !isEnding(state, hash),
    async run({ signal }) {
      const look = async (): Promise<void> => {
        const { folder, nodeName, wanted: before } = state;
        try {
          state.wanted = await manifestsIn(folder, { nodeName, before, tell });
          tendAll(state);
          told.delete(folder);
          await mirror(state, signal);
        } catch (error) {
          if (!signal.aborted) tell(folder, error);
        }
      };
      await Promise.all([again(lookEveryMs, signal, look), again(tendEveryMs, signal, () => tendAll(state))]);
    },
  };
}

/** Whether the API has said what there is. */
function hasPods(own: Informers): boolean {
  return own.has(pods) && !own.unsynced().includes(resourceName(pods));
}

/** One that comes back while it ends is another one. */
function isEnding({ alone }: State, hash: string): boolean {
  return [...alone.values()].some(({ metadata }) => metadata.uid === hash && metadata.deletionTimestamp !== undefined);
}

function tendAll(state: State): void {
  const { own, driver, hostIp, clock, wanted, alone } = state;
  const nowMs = clock.nowMs();
  const isAsked = hasPods(own);
  if (!isAsked && nowMs < state.patientUntilMs) return;
  const mirrorOf = (key: string): Pod | undefined => (isAsked ? own.of(pods).get(key) : undefined);
  for (const [key, { hash, pod }] of wanted) {
    if (alone.has(key) || mirrorOf(key) !== undefined) continue;
    const one = podAlone(pod, { uid: hash, nowMs });
    driver.adopt(one);
    alone.set(key, one);
  }
  for (const [key, pod] of alone) {
    const { uid } = pod.metadata;
    // The agent has it from now on.
    if (mirrorOf(key)?.metadata.annotations?.[mirrorAnnotation] === uid) {
      alone.delete(key);
      continue;
    }
    const next = tendAlone(wanted.get(key)?.hash === uid ? pod : endingAlone(pod, nowMs), { driver, hostIp, nowMs });
    if (next === undefined) alone.delete(key);
    else alone.set(key, next);
  }
}

async function mirror({ own, client, nodeName, wanted, alone, tell }: State, signal: AbortSignal): Promise<void> {
  if (!hasPods(own)) return;
  for (const pod of own.of(pods).values()) {
    const { annotations = {}, namespace = '', name, deletionTimestamp } = pod.metadata;
    if (annotations[sourceAnnotation] !== 'file' || deletionTimestamp !== undefined) continue;
    if (wanted.get(`${namespace}/${name}`)?.hash === annotations[mirrorAnnotation]) continue;
    await ifFound(client.delete(pods, { namespace, name, signal }));
  }
  const node = own.of(nodes).get(nodeName);
  if (node === undefined) return;
  const { uid } = node.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid, controller: true }];
  for (const [key, { pod, file, hash }] of wanted) {
    // What ran under this name before is still ending.
    if (own.of(pods).get(key) !== undefined || (alone.get(key)?.metadata.uid ?? hash) !== hash) continue;
    const { status: _status, ...rest } = pod;
    const mirrored = { ...rest, metadata: { ...pod.metadata, ownerReferences } };
    await client.create(pods, mirrored, { signal }).catch((error: unknown) => {
      if (!isStatusError(error, 'AlreadyExists')) tell(file, error);
    });
  }
}
