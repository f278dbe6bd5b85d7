import { type ClockFacts, type Connection, download, durationMs, formatDuration } from '@signalbox/cluster';
import { chooseKubeconfig } from '../io/connect.ts';
import { CommandError } from '../io/errors.ts';
import { type Io, writeLine } from '../io/io.ts';

export interface ClockOptions {
  /** `+72h`, or a time; undefined: only tell it. */
  readonly move: string | undefined;
  readonly pace: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly output: 'text' | 'json';
}

/** A long way is gone in pieces of about this long, so that one sees it go. */
const pieceTakesMs = 2_000;
const firstPieceMs = 60 * 60 * 1000;

/** Tells the time of a cluster, or moves it. Resolves with the exit code. */
export async function clock(options: ClockOptions, io: Io): Promise<number> {
  const { connection } = await chooseKubeconfig({ ...options, prefersLocal: true }, io);
  const facts = await asked('GET', '', { connection, io });
  const reached = options.move === undefined ? facts : await moved(options, { facts, connection, io });
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
  { move = '', pace }: ClockOptions,
  { facts, ...asking }: Asking & { readonly facts: ClockFacts },
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

function targetFrom(move: string, nowMs: number): number {
  const deltaMs = move.startsWith('+') ? durationMs(move.slice(1)) : undefined;
  const targetMs = deltaMs === undefined ? Date.parse(move) : nowMs + deltaMs;
  if (Number.isNaN(targetMs) || (deltaMs === undefined && !/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(move)))
    throw new CommandError(
      `${JSON.stringify(move)} is neither a way such as +72h or +11m nor a time such as 2027-01-01T00:00:00Z`,
    );
  if (targetMs < nowMs) throw new CommandError(`time only goes forward, and it is ${new Date(nowMs).toISOString()}`);
  return targetMs;
}

async function asked(method: 'GET' | 'POST', query: string, { connection, io }: Asking): Promise<ClockFacts> {
  const chunks: Buffer[] = [];
  for await (const chunk of download({ connection, method, target: `/signalbox/clock${query}` }, io))
    chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as ClockFacts;
}
