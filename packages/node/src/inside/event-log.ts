/** What has happened, numbered, for whoever asks later. Only so many are kept: who comes too late asks for the state. */
import { InsideFailure } from '../protocol/failure.ts';
import type { ContainerState, InsideEvent, Waiting } from '../protocol/inside.ts';

export interface EventLog {
  readonly last: number;
  ended(container: ContainerState): void;
  told(pod: string, message: string): void;
  overfull(of: Omit<Extract<InsideEvent, { readonly is: 'overfull' }>, 'is' | 'number'>): void;
  events(since: number, waiting: Waiting): AsyncIterable<InsideEvent>;
}

const keptMax = 4_096;

export function createEventLog(): EventLog {
  let kept: readonly InsideEvent[] = [];
  let last = 0;
  const waiting = new Set<() => void>();
  const add = (event: (number: number) => InsideEvent): void => {
    last += 1;
    kept = [...kept.slice(-keptMax + 1), event(last)];
    for (const wake of waiting) wake();
    waiting.clear();
  };
  return {
    get last() {
      return last;
    },
    ended: (container) => add((number) => ({ number, is: 'ended', container })),
    told: (pod, message) => add((number) => ({ number, is: 'told', pod, message })),
    overfull: (of) => add((number) => ({ number, is: 'overfull', ...of })),
    async *events(since, { signal }) {
      let seen = since;
      if (since > last || since < (kept[0]?.number ?? 1) - 1)
        throw new InsideFailure(`the events after ${since} are forgotten; ask for the state`, { code: 'Expired' });
      while (!signal.aborted) {
        for (const event of kept.slice(Math.max(0, kept.length - (last - seen)))) {
          seen = event.number;
          yield event;
        }
        if (seen === last) await woken(waiting, signal);
      }
    },
  };
}

function woken(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      waiting.delete(done);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
    waiting.add(done);
  });
}
