/**
 * What a correct server must have shown, worked out from one complete recording by rules of its own: it shares no code with
 * the server. Failures are returned as text, so that the checks can be tested too.
 */
import type { KubeObject } from '../../api/meta.ts';
import type { WatchEvent } from '../../api/operation.ts';

export type Change = Exclude<WatchEvent, { readonly type: 'ERROR' }>;

/** Who is asked for: a namespace or all, and a selector with its meaning. */
export interface View {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  has(object: KubeObject): boolean;
}

export function revisionOf({ object }: { readonly object: KubeObject }): number {
  return Number(object.metadata.resourceVersion);
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function isIn(view: View, object: KubeObject | undefined): boolean {
  if (object === undefined) return false;
  return (view.namespace === undefined || object.metadata.namespace === view.namespace) && view.has(object);
}

export type State = ReadonlyMap<string, KubeObject>;

/** The objects as of a revision, by key. */
export function stateAt(recording: readonly Change[], revision: number, view?: View): State {
  const state = new Map<string, KubeObject>();
  for (const change of recording) {
    if (revisionOf(change) > revision) break;
    if (change.type === 'DELETED') state.delete(keyOf(change.object));
    else state.set(keyOf(change.object), change.object);
  }
  if (view !== undefined) for (const [key, object] of state) if (!isIn(view, object)) state.delete(key);
  return state;
}

/** The same state from a list and what a watch added. */
export function fold(items: readonly KubeObject[], changes: readonly WatchEvent[]): State {
  const state = new Map(items.map((item) => [keyOf(item), item]));
  for (const { type, object } of changes) {
    if (type === 'ADDED' || type === 'MODIFIED') state.set(keyOf(object), object);
    else if (type === 'DELETED') state.delete(keyOf(object));
  }
  return state;
}

/** What a watch from `from` must show: entering a selection is ADDED, leaving it DELETED with the object as it was inside. */
export function expectedChanges(recording: readonly Change[], from: number, view: View): readonly Change[] {
  const before = new Map<string, KubeObject>();
  const expected: Change[] = [];
  for (const change of recording) {
    const { type, object } = change;
    const previous = before.get(keyOf(object));
    const was = isIn(view, previous);
    const is = type !== 'DELETED' && isIn(view, object);
    if (type === 'DELETED') before.delete(keyOf(object));
    else before.set(keyOf(object), object);
    if (revisionOf(change) <= from) continue;
    if (is) expected.push({ type: was ? 'MODIFIED' : 'ADDED', object });
    else if (was && previous !== undefined) expected.push({ type: 'DELETED', object: at(change, previous) });
  }
  return expected;
}

function at({ type, object }: Change, previous: KubeObject): KubeObject {
  // A deletion shows what was deleted; leaving shows what was inside, at the revision of leaving.
  if (type === 'DELETED') return object;
  return { ...previous, metadata: { ...previous.metadata, resourceVersion: object.metadata.resourceVersion } };
}

/** Ordered and Unique: revisions of changes grow strictly; no bookmark goes back behind what was shown. */
export function* orderFaults(events: readonly WatchEvent[]): Iterable<string> {
  let last = 0;
  for (const event of events) {
    if (event.type === 'ERROR') continue;
    const revision = revisionOf(event);
    if (event.type === 'BOOKMARK' ? revision < last : revision <= last)
      yield `${event.type} at ${revision} came after ${last}`;
    last = Math.max(last, revision);
  }
}

/** Bookmarkable: when a bookmark comes, everything up to its revision has come before. */
export function* bookmarkFaults(events: readonly WatchEvent[], expected: readonly Change[]): Iterable<string> {
  const shown = new Set<number>();
  for (const event of events) {
    if (event.type === 'ERROR') continue;
    const revision = revisionOf(event);
    if (event.type !== 'BOOKMARK') shown.add(revision);
    else
      for (const change of expected)
        if (revisionOf(change) <= revision && !shown.has(revisionOf(change)))
          yield `the bookmark at ${revision} came before the event at ${revisionOf(change)}`;
  }
}

/** Reliable, Filter, IsCreate: exactly what was expected, up to where the recording of this watch ends. */
export function* contentFaults(events: readonly WatchEvent[], expected: readonly Change[]): Iterable<string> {
  const changes = events.filter(({ type }) => type !== 'BOOKMARK' && type !== 'ERROR') as Change[];
  const gone = events.at(-1)?.type === 'ERROR';
  if (gone ? changes.length > expected.length : changes.length !== expected.length)
    yield `${changes.length} events instead of ${expected.length}: ${lines(changes)} instead of ${lines(expected)}`;
  for (const [index, change] of changes.entries()) {
    const wanted = expected[index];
    if (wanted !== undefined && canonical(change) !== canonical(wanted))
      yield `event ${index} is ${canonical(change)} instead of ${canonical(wanted)}`;
  }
}

export function lines(changes: readonly WatchEvent[]): string {
  return changes
    .map((event) =>
      event.type === 'ERROR'
        ? `ERROR ${event.object.code}`
        : `${event.type} ${keyOf(event.object)}@${revisionOf(event)}`,
    )
    .join(', ');
}

/** JSON that does not depend on the order of members. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

export function canonicalState(state: State): string {
  return canonical([...state].sort(([a], [b]) => (a < b ? -1 : 1)));
}
