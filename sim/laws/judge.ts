/**
 * What holds for every history, whoever wrote meanwhile and however often the machine lost its power: worked out anew from what
 * clients were told and what lies on the disk.
 */
import type { Finding } from '../world.ts';
import type { ListRecord, Recording, State, WatchRecord } from './recording.ts';

export function judge(recording: Recording): readonly Finding[] {
  return [
    ...order(recording),
    ...kept(recording),
    ...preconditions(recording),
    ...fresh(recording),
    ...recording.lists.flatMap((list) => [...ofOneMoment(list)]),
    ...agreeing(recording),
    ...recording.watches.flatMap((watch) => [...watched(watch, recording)]),
  ];
}

/** Revisions are given once, and in the order of time: who was answered before another asked has the smaller one. */
function* order({ writes }: Recording): Iterable<Finding> {
  const acknowledged = writes.flatMap((write) =>
    write.revision === undefined ? [] : [{ ...write, at: write.revision }],
  );
  const seen = new Set<number>();
  for (const { at, key } of acknowledged) {
    if (seen.has(at)) yield `revision ${at} was given twice, the second time to ${key}`;
    seen.add(at);
  }
  // From the newest down: the smallest revision of those who asked later.
  const byCall = [...acknowledged].sort((a, b) => b.calledAt - a.calledAt);
  const byEnd = [...acknowledged].sort((a, b) => b.endedAt - a.endedAt);
  let least = Infinity;
  let next = 0;
  for (const { at, key, endedAt } of byEnd) {
    for (let later = byCall[next]; later !== undefined && later.calledAt > endedAt; later = byCall[++next])
      least = Math.min(least, later.at);
    if (at > least) yield `the write of ${key} at ${at} was over before the one at ${least} began`;
  }
}

/** What was acknowledged is on the disk, or was replaced there by something newer. */
function* kept({ writes, changes, batches }: Recording): Iterable<Finding> {
  const newest = new Map<string, number>();
  for (const { key, revision } of changes) {
    const name = nameOf(key);
    newest.set(name, Math.max(newest.get(name) ?? 0, revision));
  }
  for (const { key, revision } of writes)
    if (revision !== undefined && (newest.get(key) ?? 0) < revision) yield `the write of ${key} at ${revision} is lost`;
  for (const [index, revision] of batches.entries())
    if (revision <= (batches[index - 1] ?? 0)) yield `the disk went from ${batches[index - 1]} back to ${revision}`;
}

/** `/core/configmaps/default/a` ⇒ `default/a`. */
function nameOf(key: string): string {
  return key.split('/').slice(-2).join('/');
}

/** Who replaces a version replaces that one: nobody else came between. */
function* preconditions({ writes }: Recording): Iterable<Finding> {
  for (const { key, revision, replaces } of writes) {
    if (revision === undefined || replaces === undefined) continue;
    const between = writes.find(
      (other) => other.key === key && (other.revision ?? 0) > replaces && (other.revision ?? 0) < revision,
    );
    if (between !== undefined)
      yield `${key} at ${revision} replaced ${replaces}, and lost the write at ${between.revision}`;
  }
}

/** No answer is older than what anybody was told before the question, also by a server that has lost its power since. */
function* fresh({ writes, lists }: Recording): Iterable<Finding> {
  const told = [
    ...writes.map(({ revision = 0, endedAt }) => ({ revision, endedAt })),
    ...lists.map(({ revision, endedAt, exactly }) => ({ revision: exactly === undefined ? revision : 0, endedAt })),
  ].sort((a, b) => a.endedAt - b.endedAt);
  let next = 0;
  let newest = 0;
  for (const { calledAt, atLeast, exactly, revision } of [...lists].sort((a, b) => a.calledAt - b.calledAt)) {
    for (let one = told[next]; one !== undefined && one.endedAt < calledAt; one = told[++next])
      newest = Math.max(newest, one.revision);
    if (exactly !== undefined && revision !== exactly) yield `a list of ${exactly} is of ${revision}`;
    if (atLeast !== undefined && revision < atLeast) yield `a list of ${atLeast} at least is of ${revision}`;
    if (exactly === undefined && revision < newest) yield `a list is of ${revision} after somebody was told ${newest}`;
  }
}

function* ofOneMoment({ revision, pages }: ListRecord): Iterable<Finding> {
  const other = pages.find((page) => page !== revision);
  if (other !== undefined) yield `pages of one list are of ${revision} and ${other}`;
}

/** Two lists of one revision show the same, whenever they were read. */
function* agreeing({ lists }: Recording): Iterable<Finding> {
  const first = new Map<number, State>();
  for (const { revision, state } of lists) {
    const known = first.get(revision);
    if (known === undefined) first.set(revision, state);
    else yield* same(`two lists of ${revision}`, known, state);
  }
}

/** Each change once, in order, none left out: a watch from any list leads to every later one. */
function* watched({ from, state, events }: WatchRecord, { lists }: Recording): Iterable<Finding> {
  const later =
    state === undefined ? [] : lists.filter((list) => list.revision >= from).sort((a, b) => a.revision - b.revision);
  const now = new Map(state);
  let last = from;
  let next = 0;
  for (const event of events) {
    if (event.type === 'ERROR') {
      if (event.code !== 410) yield `a watch from ${from} ended in ${event.code}`;
      return;
    }
    const { type, revision, key, version } = event;
    if (type === 'BOOKMARK' ? revision < last : revision <= last)
      yield `a watch from ${from} tells ${revision} after ${last}`;
    // What is of before this event is complete by now.
    for (let list = later[next]; list !== undefined && list.revision < revision; list = later[++next])
      yield* same(`a watch from ${from} at ${list.revision}`, list.state, now);
    if (type === 'ADDED' && now.has(key)) yield `a watch from ${from} adds ${key} twice`;
    if (state !== undefined && (type === 'MODIFIED' || type === 'DELETED') && !now.has(key))
      yield `a watch from ${from} tells ${type} of unknown ${key}`;
    if (type === 'DELETED') now.delete(key);
    else if (type !== 'BOOKMARK') now.set(key, version);
    last = Math.max(last, revision);
  }
  for (let list = later[next]; list !== undefined && list.revision <= last; list = later[++next])
    yield* same(`a watch from ${from} at ${list.revision}`, list.state, now);
}

function* same(what: string, one: State, other: State): Iterable<Finding> {
  for (const key of new Set([...one.keys(), ...other.keys()]))
    if (one.get(key) !== other.get(key))
      yield `${what}: ${key} is ${one.get(key) ?? 'absent'} and ${other.get(key) ?? 'absent'}`;
}
