import type { Clock } from '../../base/clock.ts';

/** Resolves when this user's next piece of a large answer may be made. */
export type PieceTurns = (user: string) => Promise<void>;

/** So many are made before everybody else gets a word in: a piece takes about as long as a few small requests. */
const piecesPerTurn = 4;

/**
 * Who makes the next piece of a large answer. However many are on their way, few are made in one turn of the process, and users
 * come by turns: whoever asks for a hundred lists waits for them, and nobody else does.
 */
export function createPieceTurns(clock: Pick<Clock, 'turn'>): PieceTurns {
  // Whose turn it is next comes first.
  const waiting = new Map<string, (() => void)[]>();
  let isRunning = false;
  const makeOne = (): void => {
    const [next] = waiting;
    if (next === undefined) return;
    const [user, makers] = next;
    waiting.delete(user);
    makers.shift()?.();
    if (makers.length > 0) waiting.set(user, makers);
  };
  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.size > 0) {
      await clock.turn();
      for (let made = 0; made < piecesPerTurn; made++) makeOne();
    }
    isRunning = false;
  };
  return (user) =>
    new Promise((resolve) => {
      const makers = waiting.get(user) ?? [];
      makers.push(resolve);
      waiting.set(user, makers);
      if (!isRunning) void run();
    });
}
