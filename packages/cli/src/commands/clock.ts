import { type ClockFacts, type Connection, download, durationMs, formatDuration } from '@signalbox/cluster';
import { fromStrictTimestamp } from '@signalbox/cluster/base';
import { chooseKubeconfig } from '../io/connect.ts';
import { CommandError } from '../io/errors.ts';
import { type Io, writeLine } from '../io/io.ts';

export interface ClockOptions {
  /** Undefined: only tell it. */
  readonly move: Move | undefined;
  readonly pace: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly output: 'text' | 'json';
}

/** How far, or where to. */
export type Move = { readonly byMs: number } | { readonly toMs: number };

/** `+72h`, or `2027-01-01T00:00:00Z`; undefined for anything else. */
export function parseMove(text: string): Move | undefined {
  if (text.startsWith('+')) {
    const byMs = durationMs(text.slice(1));
    return byMs === undefined ? undefined : { byMs };
  }
  const toMs = fromStrictTimestamp(text);
  return Number.isNaN(toMs) ? undefined : { toMs };
}

/** A long way is gone in pieces of about this long, so that one sees it go. */
const pieceTakesMs = 2_000;
const firstPieceMs = 60 * 60 * 1000;

/** Tells the time of a cluster, or moves it. Resolves with the exit code. */
export async function clock(options: ClockOptions, io: Io): Promise<number> {
  const { connection } = await chooseKubeconfig({ ...options, prefersLocal: true }, io);
  const facts = await asked('GET', '', { connection, io });
  const reached =
    options.move === undefined ? facts : await moved(options.move, { facts, connection, io, pace: options.pace });
  if (options.output === 'json') writeLine(io.stdout, JSON.stringify(reached, null, 2));
  else {
    const target = reached.target === undefined ? '' : `, on its way to ${reached.target}`;
    const whose = reached.virtual ? `virtual: it moves when it is told to${target}` : 'the computer’s';
    writeLine(io.stdout, options.move === undefined ? `${reached.now} (${whose})` : reached.now);
  }
  return 0;
}

interface Asking {
  readonly connection: Connection;
  readonly io: Io;
}

async function moved(
  move: Move,
  { facts, pace, ...asking }: Asking & { readonly facts: ClockFacts; readonly pace: string | undefined },
): Promise<ClockFacts> {
  if (!facts.virtual)
    throw new CommandError(
      'the clock of this cluster is the computer’s and cannot be moved; start it with: signalbox up --virtual',
    );
  const targetMs = targetFrom(move, Date.parse(facts.now));
  const { clock: real, stderr } = asking.io;
  const paced = pace === undefined ? '' : `&pace=${encodeURIComponent(pace)}`;
  let at = facts;
  for (let pieceMs = firstPieceMs; ; ) {
    const nowMs = Date.parse(at.now);
    const beganMs = real.nowMs();
    const to = new Date(Math.min(targetMs, nowMs + pieceMs)).toISOString();
    at = await asked('POST', `?to=${encodeURIComponent(to)}${paced}`, asking);
    if (Date.parse(at.now) >= targetMs) return at;
    const tookMs = Math.max(1, real.nowMs() - beganMs);
    pieceMs = Math.min(pieceMs * 10, Math.max(60_000, (pieceMs * pieceTakesMs) / tookMs));
    if (tookMs > pieceTakesMs / 4)
      writeLine(stderr, `${at.now}, ${formatDuration(targetMs - Date.parse(at.now))} to go`);
  }
}

function targetFrom(move: Move, nowMs: number): number {
  if ('byMs' in move) return nowMs + move.byMs;
  if (move.toMs < nowMs) throw new CommandError(`time only goes forward, and it is ${new Date(nowMs).toISOString()}`);
  return move.toMs;
}

async function asked(method: 'GET' | 'POST', query: string, { connection, io }: Asking): Promise<ClockFacts> {
  const chunks: Buffer[] = [];
  for await (const chunk of download({ connection, method, target: `/signalbox/clock${query}` }, io))
    chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as ClockFacts;
}
