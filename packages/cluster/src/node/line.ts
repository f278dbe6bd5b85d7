import { pods as podsType } from '../api/generated/kinds.ts';
import type { Key } from '../api/meta.ts';
import { isStatusError } from '../api/status.ts';
import { type Backoff, backoffMs } from '../base/backoff.ts';
import { onAbort } from '../base/signal.ts';
import type { Agenda } from './agenda.ts';
import { type Agent, retryMs } from './agent-state.ts';

/** What the entries of an agenda are. */
export interface Subjects {
  readonly what: 'pod' | 'node';
  /** Writes at once; what is due beyond them waits in line. */
  readonly writesMax: number;
  /** Undefined: nothing is to be written now. */
  tend(entry: string, agent: Agent): Promise<void> | undefined;
  /** Of many that are due, those of which one write can tell. Absent: each is told of alone. */
  together?(entries: readonly string[], agent: Agent): Together | undefined;
  /** There is nothing to be told of it at the moment. */
  settled(entry: string, agent: Agent): void;
  /** Whether something else may be missing, of which no news will come. */
  goesOn(entry: string, agent: Agent): boolean;
}

/** Several that are told of as one. */
export interface Together {
  readonly told: readonly string[];
  /** Why each could not be told, if so. */
  readonly work: Promise<readonly unknown[]>;
}

const reportBackoff: Backoff = { initialMs: 100, maxMs: 5 * 60_000, factor: 2, jitter: 0.5 };
const missingBackoff: Backoff = { ...reportBackoff, maxMs: 10_000 };

/** What is due, and is written one after the other as there is room. */
interface Line {
  readonly of: Subjects;
  readonly agenda: Agenda;
  /** Writes under way, by agenda entry: nobody plans on what is being changed. */
  readonly writing: Set<string>;
  /** How many of them are told of together. */
  together: number;
  /** Called when one of them has ended: somebody waits for room. */
  roomy: (() => void) | undefined;
}

/** Tends to the entries of an agenda as they are due, until the agent ends. */
export async function runLine(of: Subjects, agenda: Agenda, agent: Agent): Promise<void> {
  const { signal, platform } = agent;
  const line: Line = { of, agenda, writing: new Set(), together: 0, roomy: undefined };
  const { writing } = line;
  while (!signal.aborted) {
    for (const entry of await tellTogether(await agenda.due({ signal }), line, agent)) {
      const full = room(line, signal, () => line.writing.size - line.together < of.writesMax);
      if (full !== undefined) await full;
      if (signal.aborted) return;
      if (writing.has(entry)) {
        agenda.set(entry, platform.clock.nowMs() + retryMs);
        continue;
      }
      const work = of.tend(entry, agent);
      if (work === undefined) {
        of.settled(entry, agent);
        continue;
      }
      writing.add(entry);
      void work.then(
        () => {
          leave(entry, line);
          agent.failures.delete(entry);
          of.settled(entry, agent);
        },
        (error: unknown) => {
          leave(entry, line);
          failed(entry, error, { line, agent });
        },
      );
    }
  }
}

/** So many are told of together at once; with two at a time one is made while the other goes to the disk. */
const togetherMax = 2_048;

/** Tells of all that one write can tell of; returns the others. */
async function tellTogether(entries: readonly string[], line: Line, agent: Agent): Promise<readonly string[]> {
  const { of, writing } = line;
  if (of.together === undefined) return entries;
  const full = room(line, agent.signal, () => line.together < togetherMax);
  if (full !== undefined) await full;
  if (agent.signal.aborted) return [];
  const found = of.together(
    entries.filter((entry) => !writing.has(entry)),
    agent,
  );
  if (found === undefined) return entries;
  const { told, work } = found;
  const isTold = new Set(told);
  line.together += told.length;
  for (const entry of told) writing.add(entry);
  const ends = (errorOf: (index: number) => unknown): void => {
    line.together -= told.length;
    for (const [index, entry] of told.entries()) {
      leave(entry, line);
      const error = errorOf(index);
      if (error === undefined) {
        agent.failures.delete(entry);
        of.settled(entry, agent);
      } else failed(entry, error, { line, agent });
    }
  };
  void work.then(
    (errors) => ends((index) => errors[index]),
    (error: unknown) => ends(() => error),
  );
  return entries.filter((entry) => !isTold.has(entry));
}

/** Undefined: there is room for more. What is due waits here, in its order, and is not looked at again and again. */
function room(line: Line, signal: AbortSignal, isThere: () => boolean): Promise<void> | undefined {
  if (isThere()) return undefined;
  return new Promise((resolve) => {
    const stop = onAbort(signal, resolve);
    line.roomy = () => {
      if (!isThere()) return;
      line.roomy = undefined;
      stop();
      resolve();
    };
  });
}

function leave(entry: string, line: Line): void {
  line.writing.delete(entry);
  line.roomy?.();
}

/** Tried again ever more rarely, and told once: what is refused for good would be refused for ever. */
function failed(entry: string, error: unknown, { line, agent }: { readonly line: Line; readonly agent: Agent }): void {
  const { of, agenda } = line;
  const { signal, platform, failures } = agent;
  if (signal.aborted) return;
  const isMissing = isStatusError(error, 'NotFound');
  if (isMissing && !of.goesOn(entry, agent)) {
    failures.delete(entry);
    of.settled(entry, agent);
    return;
  }
  if (isStatusError(error, 'Conflict')) {
    agenda.set(entry, platform.clock.nowMs() + retryMs);
    return;
  }
  const backoff = isMissing ? missingBackoff : reportBackoff;
  // Its node does not wait for what may be refused for ever.
  of.settled(entry, agent);
  const attempt = (failures.get(entry) ?? 0) + 1;
  failures.set(entry, attempt);
  // What was taken away between look and write is made at the second try, and nothing to be told.
  if (attempt === (isMissing ? 2 : 1)) {
    platform.report({ component: 'fleet', message: `cannot report on ${of.what} ${entry}`, error });
    if (of.what === 'pod') announceFailure(entry, error, agent);
  }
  agenda.set(entry, platform.clock.nowMs() + backoffMs(backoff, { attempt, random: platform.random }));
}

function announceFailure(key: Key, error: unknown, { platform, events }: Agent): void {
  const pod = platform.informers.of(podsType).get(key);
  if (pod === undefined) return;
  const why = error instanceof Error ? error.message : String(error);
  const note = `The status of the pod cannot be written, so it stays as it is: ${why}`;
  events.emit({ regarding: pod, type: 'Warning', reason: 'FailedSync', note });
}
