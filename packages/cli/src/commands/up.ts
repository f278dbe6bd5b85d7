import {
  type Advertised,
  formatDuration,
  type LeftPart,
  nodes,
  type Problem,
  sleep,
  toTimestamp,
} from '@signalbox/cluster';
import {
  customResourceDefinitions,
  defaultComponents,
  type LiveNode,
  liveForest,
  type RootComponent,
} from '@signalbox/telemetry';
import { type RunFacts, removeRunFile, writeRunFile } from '../background/run-file.ts';
import { dataOption } from '../format/data-option.ts';
import { shellWord } from '../format/shell.ts';
import { formatLiveTrees } from '../format/tree.ts';
import type { AccessTerms } from '../io/access-terms.ts';
import { absolute, colorsFor, type Io, writeLine } from '../io/io.ts';
import { type Log, type LogOptions, loggingFailure } from '../io/log.ts';
import { type Manifest, readManifests } from '../io/manifests.ts';
import type { NodeTerms } from '../io/node-terms.ts';
import { defaultKubeconfig } from '../io/places.ts';
import { applyManifests } from '../up/apply.ts';
import type { KeptNode } from '../up/keep-node.ts';
import { type NodePlan, planNode } from '../up/node-plan.ts';
import { endOfPlane } from '../up/plane-end.ts';
import { type Progress, reasonLines } from '../up/progress.ts';
import { reachWarning } from '../up/reach.ts';
import { isReady, isSettled, type Step, stepsOf } from '../up/readiness.ts';
import { endRealNodes, leftAtOnce, limitsWarning, startRealNode } from '../up/real-node.ts';
import { runUntilReady } from '../up/run-clock.ts';
import { type Started, type StartOptions, start } from '../up/start.ts';
import { openTold, type Told } from '../up/told.ts';
import type { VirtualTerms } from '../up/virtual.ts';
import { followCluster, type Waited, waitUntilReady } from '../up/wait.ts';

export interface UpOptions extends LogOptions {
  readonly file: readonly string[];
  readonly nodes: number | undefined;
  /** Undefined: in memory. */
  readonly data: string | undefined;
  /** A node whose pods are processes of this machine; goes with a data folder. */
  readonly real: NodeTerms | undefined;
  /** Time stands still until somebody moves it. Undefined: it is the computer's. */
  readonly virtual: VirtualTerms | undefined;
  readonly memoryLimitBytes: number;
  readonly host: string;
  readonly port: number;
  /** What the kubeconfig calls the server by; undefined: the host. */
  readonly advertise: Advertised | undefined;
  /** More names for the server's certificate. */
  readonly names: readonly string[];
  readonly kubeconfig: string | undefined;
  readonly exitWhenReady: boolean;
  /** False leaves the roots to an operator in another process. */
  readonly operator: boolean;
  /** False serves the telemetry resources only if someone else brings their definitions. */
  readonly crds: boolean;
  /** Who gets in, and what is written down. */
  readonly access: AccessTerms;
  /** A file that says by which rules pods get their nodes: upstream's KubeSchedulerConfiguration. */
  readonly schedulerConfig: string | undefined;
  /** Parts of the plane that are left to others. */
  readonly without: readonly LeftPart[];
  readonly timeoutMs: number;
  readonly output: 'text' | 'json';
}

/** Long enough to see that all is ready. */
const settledMs = 1_000;

/** How long an orderly end may take before it is left to the durable store. */
const closeMsMax = 1_800;

/** Runs a cluster with the operator in it until the user ends it. Resolves with the exit code. */
export async function up(options: UpOptions, io: Io): Promise<number> {
  const told = await openTold(options, io);
  return loggingFailure(told.log, options, () => upTelling(told, options, io));
}

async function upTelling({ log, progress }: Told, options: UpOptions, io: Io): Promise<number> {
  const manifests = await readManifests(options.file, io);
  const plan = await planned(options, io);
  const components = options.operator ? defaultComponents() : undefined;
  const definitions = options.crds ? customResourceDefinitions() : [];
  const report = (problem: Problem): void => log.write({ level: 'warn', ...problem });
  const kubeconfig = options.kubeconfig ?? defaultKubeconfig(options.data);
  const sinceMs = io.clock.nowMs();
  const started = await start({ ...startOptions(options, plan), kubeconfig, definitions, components, report, io });
  const folder = options.data === undefined ? undefined : absolute(options.data, io);
  let realNode: KeptNode | undefined;
  try {
    if (folder !== undefined) await writeRunFile(folder, runFacts(started, { kubeconfig, io }));
    if (plan !== undefined) io.onHurry(() => log.write({ level: 'warn', message: leftAtOnce(plan, options) }));
    realNode = plan && (await startRealNode(plan, { started, logLevel: options.logLevel, log, io }));
    const session = {
      ...{ options, io, started, sinceMs, components: components ?? [] },
      ...{ log, progress, kubeconfig, realNode },
    };
    return await Promise.race([
      run(session, manifests),
      endOfPlane(started.cluster),
      ...(realNode ? [realNode.failed] : []),
    ]);
  } catch (error) {
    if (!io.signal.aborted) throw error;
    return options.exitWhenReady ? interrupted(log) : 0;
  } finally {
    progress.end();
    // First, so that it can say what has ended.
    if (folder !== undefined) await endRealNodes(realNode, { folder, log, io });
    if (folder !== undefined) await removeRunFile(folder).catch(() => undefined);
    const closed = new AbortController();
    const tooLong = sleep(io.clock, closeMsMax, { signal: closed.signal }).catch(() => undefined);
    await Promise.race([started.close(), tooLong]).finally(() => closed.abort());
  }
}

interface Session {
  readonly options: UpOptions;
  readonly io: Io;
  readonly started: Started;
  readonly sinceMs: number;
  readonly components: readonly RootComponent[];
  readonly log: Log;
  readonly progress: Progress;
  readonly kubeconfig: string;
  readonly realNode: KeptNode | undefined;
}

async function planned({ real, data }: UpOptions, io: Io): Promise<NodePlan | undefined> {
  return real === undefined || data === undefined ? undefined : planNode(real, data, io);
}

type Wanted = Omit<StartOptions, 'kubeconfig' | 'definitions' | 'components' | 'report' | 'io'>;

/** Beside a real node there are simulated ones only where somebody asks for them, or has them. */
function startOptions(options: UpOptions, plan: NodePlan | undefined): Wanted {
  return {
    ...options,
    folder: options.data,
    nodes: options.nodes ?? (plan === undefined ? undefined : 0),
    names: [...options.names, ...(plan?.names ?? [])],
    certificates: plan?.certificates ?? [],
  };
}

async function run(session: Session, manifests: readonly Manifest[]): Promise<number> {
  const { options, io, started, sinceMs, components, log, progress, realNode } = session;
  const { cluster, serving } = started;
  const warning = reachWarning(serving, io);
  if (warning !== undefined) log.write({ level: 'warn', message: warning });
  await tellOfNodes(session);
  // Else daemons would be ready for a moment, because there is no node to run on.
  await within(realNode?.started, io.signal);
  const { refusals } = await applyManifests(cluster, manifests, { log, signal: io.signal });
  const follow = await followCluster(cluster, { components, signal: io.signal });
  try {
    const isAllSettled = (): boolean => stepsOf(follow.world, { components }).every(isSettled);
    // Only for what it was given: whoever starts a folder again finds the time as it was left.
    if (started.clock !== undefined && manifests.length > 0)
      await runUntilReady(started.clock, { isReady: isAllSettled, forMs: options.timeoutMs, signal: io.signal });
    const waited = await waitUntilReady(cluster, follow, {
      components,
      progress,
      io,
      // Virtual time has passed for so long already; what is not ready now waits for somebody to move it.
      timeoutMs: started.clock === undefined ? options.timeoutMs : settledMs,
      sinceMs: started.clock === undefined ? sinceMs : 0,
      realNode,
    });
    progress.end();
    const unheld = limitsWarning(follow.world, realNode);
    if (unheld !== undefined) log.write({ level: 'warn', message: unheld });
    const trees = liveForest(follow.world, { components, nowMs: (started.clock ?? io.clock).nowMs() });
    show(session, { waited, trees, refusals });
    const code = waited.isReady && refusals.length === 0 ? 0 : 1;
    if (options.exitWhenReady) return code;
    if (io.background === undefined) log.write({ level: 'info', message: 'Press Ctrl-C to stop.' });
    else io.background.settle(code);
    await untilAborted(io.signal);
    return 0;
  } finally {
    follow.close();
  }
}

function runFacts(
  { serving }: Started,
  { kubeconfig, io }: { readonly kubeconfig: string; readonly io: Io },
): RunFacts {
  return {
    pid: io.processes.id,
    since: toTimestamp(io.clock.nowMs()),
    server: serving.url,
    kubeconfig: absolute(kubeconfig, io),
    log: io.background?.log,
  };
}

/** Nodes that are there are never taken away by a flag; who asked for fewer is told how. */
async function tellOfNodes({ options, io, started, log }: Session): Promise<void> {
  if (options.nodes === undefined || options.data === undefined) return;
  const { items } = await started.cluster.client.list(nodes, { signal: io.signal });
  if (items.length <= options.nodes) return;
  const message = `the cluster has ${items.length} nodes; --nodes ${options.nodes} removes none of them, kubectl delete node NAME does`;
  log.write({ level: 'warn', message });
}

interface Result {
  readonly waited: Waited;
  readonly trees: readonly LiveNode[];
  readonly refusals: readonly string[];
}

function unreadyMessage(
  steps: readonly Step[],
  { timeoutMs, stands }: { readonly timeoutMs: number; readonly stands: boolean },
): string {
  if (steps.every(isSettled)) return 'not ready, and what has failed stays so';
  return stands ? 'not ready yet, and time stands still' : `not ready after ${formatDuration(timeoutMs)}`;
}

function show({ options, io, started, log, kubeconfig }: Session, { waited, trees, refusals }: Result): void {
  const { url } = started.serving;
  const reasons = reasonLines(waited.steps);
  if (!waited.isReady) {
    const message = unreadyMessage(waited.steps, {
      timeoutMs: options.timeoutMs,
      stands: started.clock !== undefined && options.file.length === 0,
    });
    log.write({ level: 'error', message, text: `${message}:` });
    for (const reason of reasons) log.write({ level: 'error', message: reason, text: `  ${reason}` });
  }
  // Told a second time, because what became ready since then stands below the first.
  for (const refusal of refusals) log.write({ level: 'error', message: refusal });
  const path = absolute(kubeconfig, io);
  if (options.output === 'json') {
    const waiting = waited.steps.filter((step) => !isReady(step));
    const process = io.background && { pid: io.processes.id, log: io.background.log };
    const told = {
      ready: waited.isReady,
      server: url,
      kubeconfig: path,
      ...process,
      refused: refusals,
      waiting,
      tree: trees,
    };
    writeLine(io.stdout, JSON.stringify(told, null, 2));
    return;
  }
  const colors = colorsFor(io.stdout, io);
  if (trees.length > 0) io.stdout.write(`${formatLiveTrees(trees, colors)}\n`);
  if (options.exitWhenReady) return;
  writeLine(io.stdout, `The API is at ${colors.bold(url)}. To use it:`);
  writeLine(io.stdout, `  export KUBECONFIG=${shellWord(path)}`);
  writeLine(io.stdout, '  kubectl get pods --all-namespaces');
  if (started.clock !== undefined)
    writeLine(
      io.stdout,
      `It is ${new Date(started.clock.nowMs()).toISOString()} there until you move it: signalbox clock +1h`,
    );
  if (io.background === undefined) return;
  const data = dataOption(options);
  writeLine(io.stdout, `It runs in the background as process ${io.processes.id} and writes to ${io.background.log}:`);
  writeLine(io.stdout, `  signalbox status${data}`);
  writeLine(io.stdout, `  signalbox down${data}`);
}

function interrupted(log: Log): number {
  log.write({ level: 'error', message: 'interrupted before everything was ready' });
  return 1;
}

/** Rejects with the signal's reason when that comes first. */
async function within(started: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  await Promise.race([started, untilAborted(signal)]);
  signal.throwIfAborted();
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
