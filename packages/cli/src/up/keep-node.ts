/**
 * Keeps the agent of a real node running as a process of its own: what dies starts again, and finds what it ran. It outlives a
 * killed `up`, so the next one finds it by the lock in its folder, lets it go and takes over.
 */
import { folderHolder, formatDuration, quietProcess, sleep } from '@signalbox/cluster';
import type { Launched } from '../io/background.ts';
import { CommandError } from '../io/errors.ts';
import { holderEnds, signalHolder } from '../io/holder.ts';
import type { Io } from '../io/io.ts';
import type { Log } from '../io/log.ts';
import { toldLines } from './node-lines.ts';

export interface KeptNode {
  readonly name: string;
  /** Rejects when it cannot be started at all. */
  readonly failed: Promise<never>;
  /** Resolves once its agent has got so far for the first time. */
  readonly started: Promise<void>;
  /** Whether its agent has got so far that the node is its own. */
  isUp(): boolean;
  /** Lets an agent with the files as they are now take over; what runs goes on. */
  renew(): void;
  /** Ends the agent and all that runs on the node. */
  end(): Promise<void>;
}

export interface KeepNodeOptions {
  readonly name: string;
  /** The node's, absolute. */
  readonly folder: string;
  readonly argv: readonly string[];
  /** Where the agent writes. */
  readonly logFile: string;
  readonly log: Log;
  readonly io: Pick<Io, 'launch' | 'clock' | 'processes' | 'realNodes'>;
}

const backOffMs = 1_000;
const backOffMsMax = 30_000;
/** One that ran so long had got over what ended the one before. */
const steadyMs = 60_000;

/** What is known of the agent of the moment. */
interface Agent {
  readonly hasStarted: () => void;
  child?: Launched;
  isUp: boolean;
  /** It was let go of for its successor. */
  isRenewing: boolean;
}

export function keepNode(options: KeepNodeOptions): KeptNode {
  const { name, folder, io } = options;
  const ending = new AbortController();
  let hasStarted = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    hasStarted = resolve;
  });
  const agent: Agent = { hasStarted: () => hasStarted(), isUp: false, isRenewing: false };
  const keeping = keep(options, agent, ending.signal);
  const failed = keeping.then(() => new Promise<never>(() => undefined));
  // Whoever ends it first does not hear of it.
  failed.catch(() => undefined);
  return {
    name,
    failed,
    started,
    isUp: () => agent.isUp,
    renew() {
      if (agent.child === undefined || ending.signal.aborted) return;
      agent.isRenewing = true;
      agent.child.kill('SIGHUP');
    },
    async end() {
      ending.abort(new Error('the real node ends'));
      if (agent.child !== undefined) await endChild(agent.child, io);
      await keeping.catch(() => undefined);
      await io.realNodes.endLeftIn(folder);
    },
  };
}

async function keep(options: KeepNodeOptions, agent: Agent, signal: AbortSignal): Promise<void> {
  const { log, io } = options;
  await takeOver(options, signal);
  let quickEnds = 0;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const startedMs = io.clock.nowMs();
    const how = await runAgent(options, agent).catch((error: unknown) => {
      if (isFirst && !signal.aborted) throw error;
      return error instanceof Error ? error.message : String(error);
    });
    const isRenewed = agent.isRenewing;
    agent.isRenewing = false;
    if (signal.aborted) return;
    if (isRenewed) continue;
    quickEnds = io.clock.nowMs() - startedMs >= steadyMs ? 0 : quickEnds + 1;
    const delayMs = Math.min(backOffMsMax, backOffMs * 2 ** Math.max(0, quickEnds - 1));
    const message = `${how}; what runs in its pods goes on, and it is started again in ${formatDuration(delayMs)}`;
    log.write({ level: 'warn', component: `node ${options.name}`, message });
    await sleep(io.clock, delayMs, { signal }).catch(() => undefined);
  }
}

/** Runs one agent to its end. Resolves with how it ended, or rejects with its words when it never got anywhere. */
async function runAgent({ name, argv, logFile, log, io }: KeepNodeOptions, agent: Agent): Promise<string> {
  const child = io.launch({ log: logFile, takesInput: false, runtime: quietProcess, argv });
  agent.child = child;
  const lines = toldLines();
  let isUp = false;
  for await (const message of child.messages) {
    if (message.is === 'settled') {
      isUp = true;
      agent.isUp = true;
      agent.hasStarted();
      child.release();
      break;
    }
    for (const line of lines.of(message.text)) log.write({ ...line, component: `node ${name}` });
  }
  const code = await child.ended;
  agent.isUp = false;
  if (!isUp && code !== 0)
    throw new CommandError(`the real node ${name} cannot run: ${lines.lastError() ?? `see ${logFile}`}`);
  return `its agent (process ${child.pid}) ${code === null ? 'was killed' : `ended with exit code ${code}`}`;
}

const endMsMax = 20_000;

async function endChild(child: Launched, { clock }: Pick<Io, 'clock'>): Promise<void> {
  const waiting = new AbortController();
  child.kill('SIGTERM');
  const kill = (): void => child.kill('SIGKILL');
  const tooLong = sleep(clock, endMsMax, { signal: waiting.signal }).then(kill, () => undefined);
  await Promise.race([child.ended, tooLong]);
  await child.ended;
  waiting.abort(new Error('it has ended'));
}

const leaveMsMax = 10_000;
const killedMsMax = 5_000;

/** Of an `up` that was killed the agent goes on: it has the options of then. */
async function takeOver({ name, folder, log, io }: KeepNodeOptions, signal: AbortSignal): Promise<void> {
  const holder = await folderHolder(folder);
  if (holder === undefined) return;
  const { pid } = holder;
  const message = `takes over from process ${pid}; what runs in its pods goes on`;
  log.write({ level: 'info', component: `node ${name}`, message });
  const waiting = { clock: io.clock, signal };
  signalHolder(holder, 'SIGHUP', io);
  if (await holderEnds(holder, leaveMsMax, waiting)) return;
  signalHolder(holder, 'SIGKILL', io);
  if (!(await holderEnds(holder, killedMsMax, waiting)))
    throw new CommandError(`process ${pid} has ${folder} and cannot be killed; ask the system why (ps ${pid})`);
}
