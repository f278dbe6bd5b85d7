/** What the containers of a pod stand on: its place in the network, and its volumes. */
import { type Pod, sleep } from '@signalbox/cluster';
import { type PodAround, referencesOf } from '../pod/around.ts';
import { podPlace } from '../pod/place.ts';
import { setUpFailed, volumeContents } from '../pod/volumes.ts';
import type { PodPlace } from '../protocol/inside.ts';
import type { VolumeContent } from '../protocol/volume.ts';
import type { Means } from './means.ts';

export interface Ground {
  readonly around: PodAround;
  readonly volumes: readonly VolumeContent[];
}

export interface GroundKeeper {
  /** The pod's own address, once it has one. */
  readonly address: string | undefined;
  /** Makes it ready, trying until it can be. Whoever comes later waits for the same. */
  ready(pod: Pod, waiting: { readonly signal: AbortSignal }): Promise<Ground>;
  /** Makes files what they are by now. */
  refresh(pod: Pod): void;
  /** What was made is gone. */
  lost(): void;
  /** Nothing is made from now on; resolves when nothing is being made any more. */
  end(): Promise<void>;
  /** The address is anybody's. After what had it is gone. */
  release(): void;
}

export interface GroundOptions {
  readonly means: Means;
  /** Where the pod lived before this agent began. */
  readonly found: PodPlace | undefined;
  /** It keeps the address that others know, where that is free. */
  readonly lastAddress: string | undefined;
}

const retryMs = 2_000;
const refreshDelayMs = 100;
const refreshRetryMs = 10_000;

interface State {
  readonly means: Means;
  readonly lastAddress: string | undefined;
  readonly ending: AbortController;
  /** As written, by name: what is the same need not be written again. */
  readonly written: Map<string, string>;
  address: string | undefined;
  making: Promise<readonly VolumeContent[]> | undefined;
  latest: Pod | undefined;
  cancelRefresh: (() => void) | undefined;
}

export function createGround({ means, found, lastAddress }: GroundOptions): GroundKeeper {
  const ending = new AbortController();
  const address = found?.address;
  if (address !== undefined) means.addresses.reserve(address);
  const nothing = { making: undefined, latest: undefined, cancelRefresh: undefined };
  const state: State = { means, lastAddress, ending, written: new Map(), address, ...nothing };
  return {
    get address() {
      return state.address;
    },
    ready: (pod, { signal }) => ready(state, pod, signal),
    refresh(pod) {
      state.latest = pod;
      refreshSoon(state, refreshDelayMs);
    },
    lost() {
      state.making = undefined;
      state.written.clear();
    },
    async end() {
      ending.abort(new Error('the pod has ended'));
      state.cancelRefresh?.();
      await Promise.allSettled([state.making]);
    },
    release() {
      if (state.address !== undefined) means.addresses.give(state.address);
    },
  };
}

async function ready(state: State, pod: Pod, signal: AbortSignal): Promise<Ground> {
  state.latest = pod;
  state.making ??= makeUntilDone(state, pod);
  const own = state.making;
  own.catch(() => {
    if (state.making === own) state.making = undefined;
  });
  const volumes = await unlessAborted(own, signal);
  // What it names may have changed since.
  return { around: await unlessAborted(observe(state, state.latest), signal), volumes };
}

/** What is missing may come. Each news is told once: events that come again are only counted. */
async function makeUntilDone(state: State, pod: Pod): Promise<readonly VolumeContent[]> {
  const { means, ending } = state;
  let told = '';
  for (;;) {
    try {
      return await make(state, state.latest ?? pod);
    } catch (error) {
      ending.signal.throwIfAborted();
      const notes = error instanceof Missing ? error.notes : [error instanceof Error ? error.message : String(error)];
      const reason = error instanceof Missing ? 'FailedMount' : 'FailedCreatePodSandBox';
      if (notes.join('\n') !== told) for (const note of notes) means.happened(pod, { type: 'Warning', reason, note });
      told = notes.join('\n');
      await sleep(means.clock, retryMs, { signal: ending.signal });
    }
  }
}

async function make(state: State, pod: Pod): Promise<readonly VolumeContent[]> {
  const { means, lastAddress, ending } = state;
  if (state.address === undefined && pod.spec.hostNetwork !== true) {
    await means.addresses.known();
    ending.signal.throwIfAborted();
    const isFree = lastAddress !== undefined && means.addresses.claim(lastAddress);
    state.address = isFree ? lastAddress : means.addresses.take();
  }
  const around = await observe(state, pod);
  ending.signal.throwIfAborted();
  await means.inside().addPod(podPlace(pod, around));
  const contents = volumeContents(pod, around);
  if (!contents.ok) throw new Missing(contents.missing);
  await write(state, pod, contents.volumes);
  renewTokens(state, pod);
  return contents.volumes;
}

async function observe(state: State, pod: Pod): Promise<PodAround> {
  const { objects, tokens, services, node } = state.means;
  const { signal } = state.ending;
  const references = referencesOf(pod);
  const changed = (): void => refreshSoon(state, refreshDelayMs);
  const named = objects.now(pod) ?? (await objects.follow(pod, { references, signal, changed }));
  const held = await tokens.of(pod, references.tokens, { signal });
  return { ...named, services: services(), node, address: state.address, tokens: held };
}

async function write({ means, written }: State, pod: Pod, volumes: readonly VolumeContent[]): Promise<void> {
  for (const volume of volumes) {
    const text = JSON.stringify(volume);
    if (written.get(volume.name) === text) continue;
    try {
      await means.inside().writeVolume(pod.metadata.uid, volume);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Missing([setUpFailed(volume.name, why)], { cause });
    }
    written.set(volume.name, text);
  }
}

function refreshSoon(state: State, delayMs: number): void {
  if (state.ending.signal.aborted || state.making === undefined) return;
  state.cancelRefresh?.();
  state.cancelRefresh = state.means.clock.after(delayMs, () => {
    state.cancelRefresh = undefined;
    state.making?.then(() => refresh(state)).catch(() => refreshSoon(state, refreshRetryMs));
  });
}

async function refresh(state: State): Promise<void> {
  const { latest: pod } = state;
  if (pod === undefined) return;
  const contents = volumeContents(pod, await observe(state, pod));
  // What was there stays until something else can be: a Secret that was deleted does not empty running pods.
  if (contents.ok)
    await write(
      state,
      pod,
      contents.volumes.filter(({ is }) => is === 'files'),
    );
  renewTokens(state, pod);
}

function renewTokens(state: State, pod: Pod): void {
  const { tokens, clock } = state.means;
  const atMs = tokens.renewMs(pod);
  if (atMs !== undefined && state.cancelRefresh === undefined)
    refreshSoon(state, Math.max(1_000, atMs - clock.nowMs()));
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

class Missing extends Error {
  readonly notes: readonly string[];
  constructor(notes: readonly string[], options?: ErrorOptions) {
    super(notes.join('; '), options);
    this.notes = notes;
  }
}
