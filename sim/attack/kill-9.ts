import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  checkFolder,
  configmaps,
  createClient,
  createHttpTransport,
  loadKubeconfig,
  type Random,
  sleep,
  systemClock,
  systemRandom,
} from '@signalbox/cluster';
import { seededRandom } from '@signalbox/cluster/testing';
import { type CommandProcess, startCommand } from '../../packages/cli/src/testing/process.ts';
import type { Attack, AttackOptions, AttackResult } from './attack.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { type Hands, workUntilDead } from './writers.ts';

/**
 * A server on a durable folder, clients that count by compare-and-set, create, delete and watch, and no warning. After each
 * start everything that anybody was told of must be there, and nothing else than what somebody tried.
 */
export const kill9: Attack = {
  name: 'kill-9',
  summary: 'kill -9 under compare-and-set counters, creates, deletes and watches loses nothing that was acknowledged',
  async run(options) {
    const cwd = await mkdtemp(join(tmpdir(), 'signalbox-kill-'));
    try {
      return await attack(cwd, options);
    } finally {
      await rm(cwd, { recursive: true });
    }
  },
};

const roundsFor = { short: 3, long: 150 } as const;
const workMsMax = 700;
const begunAfter = 8;
const beginMsMax = 10_000;
const pollMs = 20;

async function attack(cwd: string, { seed, effort, signal, log }: AttackOptions): Promise<AttackResult> {
  const random = seededRandom(`kill-9/${seed}`);
  const ledger = createLedger();
  for (let round = 1; round <= roundsFor[effort] && !signal.aborted; round++) {
    await runRound({ cwd, ledger, random, signal, round });
    if (round % 10 === 0) log(`${round} kills, ${ledger.figures()['acknowledgedWrites']} acknowledged writes`);
    if (ledger.findings.length > 0) break;
  }
  if (!signal.aborted) await runRound({ cwd, ledger, random, signal, round: 0 });
  const { findings } = await checkFolder(join(cwd, 'data'));
  const figures = ledger.figures();
  return {
    cases: Number(figures['acknowledgedWrites']),
    findings: [...ledger.findings, ...findings].map((finding) => `${finding} (seed ${seed})`),
    figures,
  };
}

interface Round {
  readonly cwd: string;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** 0 is the last: it only looks, and ends in order. */
  readonly round: number;
}

async function runRound({ cwd, ledger, random, signal, round }: Round): Promise<void> {
  const server = startCommand(['up', '--data', 'data', '--port', '0', '--nodes', '1', '--no-operator', '--no-crds'], {
    cwd,
  });
  try {
    await server.printed('The API is at');
    const hands = await connect(cwd, signal);
    try {
      ledger.compare(await hands.client.list(configmaps, { namespace: 'default', signal }), round);
      if (round !== 0) await workAndKill(server, { hands, ledger, random });
    } finally {
      await hands.close();
    }
  } catch (error) {
    ledger.find(`the start after kill ${round} failed: ${String(error)} ${server.err()}`);
  } finally {
    server.child.kill(round === 0 ? 'SIGTERM' : 'SIGKILL');
    await server.ended;
  }
}

async function connect(cwd: string, signal: AbortSignal): Promise<Hands & { close(): Promise<void> }> {
  const { connection } = await loadKubeconfig({ path: join(cwd, 'data', 'kubeconfig'), env: {}, clock: systemClock });
  const transport = createHttpTransport({ connection, clock: systemClock, random: systemRandom() });
  return { client: createClient(transport, { name: '', groups: [] }), signal, close: () => transport.close() };
}

interface Working {
  readonly hands: Hands;
  readonly ledger: Ledger;
  readonly random: Random;
}

async function workAndKill(server: CommandProcess, { hands, ledger, random }: Working): Promise<void> {
  const stopping = new AbortController();
  const working = workUntilDead({ ...hands, signal: stopping.signal }, { ledger, random });
  const { acknowledgedWrites: before = 0 } = ledger.figures();
  const hasBegun = (): boolean => (ledger.figures()['acknowledgedWrites'] ?? 0) >= before + begunAfter;
  // On a busy machine the first answers take longer than all the work is meant to.
  for (let waited = 0; !hasBegun() && waited < beginMsMax; waited += pollMs)
    await sleep(systemClock, pollMs, { signal: hands.signal });
  await sleep(systemClock, random.below(workMsMax), { signal: hands.signal });
  server.child.kill('SIGKILL');
  await server.ended;
  stopping.abort(new Error('the server is dead'));
  await working;
}
