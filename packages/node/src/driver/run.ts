/** One run of a container: from its start to its end. */
import { type Container, type Pod, sleep, within } from '@signalbox/cluster';
import { abilitiesNeeded } from '../images/needs.ts';
import { containerLaunch } from '../pod/launch.ts';
import type { ContainerId, ContainerState } from '../protocol/inside.ts';
import type { Ground, GroundKeeper } from './ground.ts';
import { runHook } from './hooks.ts';
import type { Means } from './means.ts';
import type { Asked } from './probes/attempt.ts';
import type { ProbeKind } from './probes/plan.ts';
import { probeContainer } from './probes/prober.ts';

export interface RunOptions {
  readonly means: Means;
  readonly ground: GroundKeeper;
  readonly pod: () => Pod;
  readonly container: Container;
  readonly attempt: number;
  /** Ends with the run. */
  readonly signal: AbortSignal;
  /** Why it waits. */
  waits(reason: string, message: string): void;
  runs(state: ContainerState, imageId: string): void;
  /** Its signal aborted while it was being started, and it runs. */
  runsInVain(state: ContainerState): void;
  /** By a probe: `startup` and `readiness`. */
  verdict(kind: 'startup' | 'readiness', holds: boolean): void;
}

const firstRetryMs = 10_000;
const lastRetryMs = 300_000;

/** Starts the container, trying until it can be, and asks it from then on. Rejects with the signal's reason. */
export async function startRun(options: RunOptions): Promise<void> {
  const { means, signal, pod } = options;
  for (let retryMs = firstRetryMs; ; retryMs = Math.min(2 * retryMs, lastRetryMs)) {
    const made = await launched(options);
    if (signal.aborted && made.ok) options.runsInVain(made.state);
    signal.throwIfAborted();
    if (made.ok) {
      await afterStart(options, made);
      return;
    }
    options.waits(made.reason, made.message);
    const note = made.reason.startsWith('Create') ? `Error: ${made.message}` : made.message;
    means.happened(pod(), { type: 'Warning', reason: made.reason === 'ImagePullBackOff' ? 'BackOff' : 'Failed', note });
    // A ConfigMap that is missing is looked for sooner than a program.
    await sleep(means.clock, made.reason === 'CreateContainerConfigError' ? Math.min(retryMs, 10_000) : retryMs, {
      signal,
    });
  }
}

type Launched =
  | { readonly ok: true; readonly ground: Ground; readonly state: ContainerState; readonly imageId: string }
  | { readonly ok: false; readonly reason: string; readonly message: string };

async function launched({ means, ground, pod, container, attempt, signal }: RunOptions): Promise<Launched> {
  const ready = await ground.ready(pod(), { signal });
  const image = await means.images.find(container, abilitiesNeeded(ready.volumes));
  if (!image.ok) return image;
  const launch = containerLaunch(pod(), container, { ...ready.around, image: image.image, attempt });
  if (!launch.ok) return launch;
  signal.throwIfAborted();
  for (const note of launch.value.skippedVariables)
    means.happened(pod(), { type: 'Warning', reason: 'InvalidEnvironmentVariableNames', note });
  try {
    const state = await means.inside().start(launch.value.launch);
    return { ok: true, ground: ready, state, imageId: image.image.id };
  } catch (error) {
    return { ok: false, reason: 'RunContainerError', message: error instanceof Error ? error.message : String(error) };
  }
}

async function afterStart(
  options: RunOptions,
  { ground, state, imageId }: Launched & { readonly ok: true },
): Promise<void> {
  const { means, container, pod, signal } = options;
  const asked = askedOf(pod(), container, ground.around.address ?? means.node.address);
  const hook = container.lifecycle?.postStart;
  if (hook !== undefined) {
    const answer = await runHook(hook, asked, { inside: means.inside(), clock: means.clock, signal });
    signal.throwIfAborted();
    if (!answer.success) {
      means.happened(pod(), {
        type: 'Warning',
        reason: 'FailedPostStartHook',
        note: `PostStartHook failed: ${answer.message}`,
      });
      options.runs(state, imageId);
      await killContainer(options, { graceMs: graceMsOf(pod()) });
      return;
    }
  }
  options.runs(state, imageId);
  await askOn(options);
}

/** Asks a container that runs. */
export async function askOn(options: RunOptions): Promise<void> {
  const { means, container, pod, signal } = options;
  const { clock, random } = means;
  const asked = askedOf(pod(), container, options.ground.address ?? means.node.address);
  await probeContainer(container, asked, {
    clock,
    random,
    inside: means.inside(),
    signal,
    verdict(kind, holds) {
      if (kind !== 'liveness') options.verdict(kind, holds);
      if (holds || kind === 'readiness') return;
      means.happened(pod(), {
        type: 'Normal',
        reason: 'Killing',
        note: `Container ${container.name} failed ${kind} probe, will be restarted`,
      });
      const seconds = (kind === 'liveness' ? container.livenessProbe : container.startupProbe)
        ?.terminationGracePeriodSeconds;
      const graceMs = seconds === undefined ? graceMsOf(pod()) : 1_000 * seconds;
      void killContainer(options, { graceMs }).catch(() => undefined);
    },
    failed: (kind: ProbeKind, message: string) =>
      means.happened(pod(), {
        type: 'Warning',
        reason: 'Unhealthy',
        note: `${kind[0]?.toUpperCase()}${kind.slice(1)} probe failed: ${message}`,
      }),
  });
}

export interface KillTerms {
  readonly graceMs: number;
}

type Killing = Pick<RunOptions, 'means' | 'pod' | 'container' | 'signal'> & {
  readonly ground: Pick<GroundKeeper, 'address'>;
};

/** First what it asked for at its end, then its signal, and the end at the latest when the time is up. Until its `signal` aborts. */
export async function killContainer(options: Killing, { graceMs }: KillTerms): Promise<void> {
  const { means, container, pod, signal } = options;
  const { clock } = means;
  const id: ContainerId = { pod: pod().metadata.uid, name: container.name };
  const sinceMs = clock.nowMs();
  const hook = container.lifecycle?.preStop;
  if (hook !== undefined && graceMs > 0) {
    const asked = askedOf(pod(), container, options.ground.address ?? means.node.address);
    const run = (limited: AbortSignal) => runHook(hook, asked, { inside: means.inside(), clock, signal: limited });
    const answer = await within(graceMs, { clock, signal, work: run });
    signal.throwIfAborted();
    if (!answer.success)
      means.happened(pod(), {
        type: 'Warning',
        reason: 'FailedPreStopHook',
        note: `PreStopHook failed: ${answer.message}`,
      });
  }
  const leftMs = graceMs - (clock.nowMs() - sinceMs);
  // Who used up the time for what it does before its end gets a moment more, as from a kubelet.
  const waitMs = graceMs === 0 ? 0 : Math.max(2_000, leftMs);
  if (waitMs > 0) {
    await means.inside().signal(id, (container.lifecycle?.stopSignal ?? 'SIGTERM') as NodeJS.Signals);
    await sleep(clock, waitMs, { signal });
  }
  await means.inside().signal(id, 'SIGKILL');
}

export function graceMsOf({ spec }: Pod): number {
  return 1_000 * Number(spec.terminationGracePeriodSeconds ?? 30);
}

function askedOf(pod: Pod, container: Container, host: string): Asked {
  return { container: { pod: pod.metadata.uid, name: container.name }, host, ports: container.ports ?? [] };
}
