import {
  type Client,
  type Cluster,
  type Component,
  createCluster,
  type PlanePart,
  type Platform,
  type Problem,
} from '@signalbox/cluster';
import { createMemoryBackend, createVirtualClock, loadAllExpressions, seededRandom } from '@signalbox/cluster/testing';
import { createHistory, createRecordingBackend, type History, type RecordingBackend } from './backend.ts';
import { createJumpingClock, type JumpingClock } from './clock.ts';
import { createFaults, drawFaults, type Faults } from './faults.ts';

/** The real plane on a virtual clock and a disk that outlives it. */
export interface SimPlane {
  readonly clock: JumpingClock;
  readonly faults: Faults;
  readonly history: History;
  readonly problems: readonly Problem[];
  /** The plane that runs now. */
  readonly cluster: Cluster;
  /** Runs one request to its end; time passes meanwhile if the plane needs it. */
  call<T>(work: (client: Client) => Promise<T>): Promise<T>;
  pass(deltaMs: number): Promise<void>;
  /** Ends this plane, in an orderly way or not, and starts another on the same disk. */
  restart(way: 'shutdown' | 'power cut'): Promise<void>;
  close(): Promise<void>;
}

const stepMs = 20;
/** A request that takes longer never ends. */
const answerMsMax = 10 * 60_000;

export interface SimPlaneOptions {
  readonly seed: string;
  /** More parts to run on the plane. */
  readonly components: readonly ((platform: Platform) => Component)[];
  /** The default is all. */
  readonly parts?: readonly PlanePart[];
}

export async function createSimPlane({ seed, components, parts }: SimPlaneOptions): Promise<SimPlane> {
  // Here waiting lets time pass: what the first plane of a process loaded at its start would put its clock forward.
  await loadAllExpressions();
  const random = seededRandom(seed);
  const clock = createJumpingClock(createVirtualClock());
  const faults = createFaults({ random: random.fork('faults'), clock, rates: drawFaults(random.fork('rates')) });
  const history = createHistory();
  const problems: Problem[] = [];
  const disk = createMemoryBackend();
  let starts = 0;

  const toEnd = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const watched = work.finally(() => {
      isDone = true;
    });
    watched.catch(() => undefined);
    for (let waitedMs = 0; ; waitedMs += stepMs) {
      await clock.settle();
      if (isDone) return watched;
      if (waitedMs > answerMsMax) throw new Error(`no answer within ${answerMsMax} ms`);
      await clock.advance(stepMs);
    }
  };
  const start = async (): Promise<{ readonly cluster: Cluster; readonly backend: RecordingBackend }> => {
    const label = `plane-${starts++}`;
    const backend = createRecordingBackend(disk, history, {
      clock,
      random: random.fork(`${label}-disk`),
      delayMsMax: () => faults.rates.diskMsMax,
    });
    const report = (problem: Problem): void => void problems.push(problem);
    const between = faults.between;
    const cluster = await toEnd(
      createCluster({
        ...{ backend, clock, random: random.fork(label), nodes: 0, report, between, components },
        ...(parts && { parts }),
      }),
    );
    return { cluster, backend };
  };
  let now = await start();

  return {
    clock,
    faults,
    history,
    problems,
    get cluster() {
      return now.cluster;
    },
    call: (work) => toEnd(work(now.cluster.client)),
    pass: (deltaMs) => clock.advance(deltaMs),
    async restart(way) {
      if (way === 'power cut') now.backend.crash();
      await toEnd(now.cluster.close());
      now = await start();
    },
    close: () => toEnd(now.cluster.close()),
  };
}
