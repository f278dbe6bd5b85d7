import { deepOrder } from './element.ts';

/**
 * A set of fields of an object, in the very form in which the API shows it (FieldsV1): a tree whose keys are steps (`f:spec`,
 * `k:{"name":"web"}`, `v:"a"`, `i:0`). A step is in the set when nothing is under it, or `.` is. The root never is.
 */
export interface FieldSet {
  readonly [step: string]: FieldSet;
}

/** Nothing as a set, and a step with nothing under it as a part of one. */
export const noFields: FieldSet = Object.freeze({});

/** Stands for the step itself beside what is under it. */
const itself = '.';

type Draft = Record<string, FieldSet>;

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether a part of a set stands for its own step too. */
function isMember(part: FieldSet): boolean {
  return Object.hasOwn(part, itself) || isEmpty(part);
}

/** A part of a set from what is under it; undefined when that is nothing, and its own step is not in the set. */
export function partOf(under: FieldSet | undefined, member: boolean): FieldSet | undefined {
  if (under === undefined || isEmpty(under)) return member ? noFields : undefined;
  return member ? { [itself]: noFields, ...under } : under;
}

/** All fields of both. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  return isEmpty(a) ? b : joined(a, b);
}

function joined(a: FieldSet, b: FieldSet): FieldSet {
  let next: Draft | undefined;
  for (const step in b) {
    if (step === itself) continue;
    const mine = a[step];
    const theirs = b[step] as FieldSet;
    const both = mine === undefined ? theirs : joinedParts(mine, theirs);
    if (both === mine) continue;
    next ??= { ...a };
    next[step] = both;
  }
  return next ?? a;
}

function joinedParts(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (isEmpty(a) || isEmpty(b)) {
    const larger = isEmpty(a) ? b : a;
    return isMember(larger) ? larger : { [itself]: noFields, ...larger };
  }
  const both = joined(a, b);
  return isMember(both) || !Object.hasOwn(b, itself) ? both : { [itself]: noFields, ...both };
}

/** What is in `a` and not in `b`. Fields under one that goes stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return a === b ? noFields : without(a, b, differenceOfParts);
}

/** What is in `a`, and neither in `b` nor under anything in `b`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return without(a, b, (mine, theirs) =>
    isMember(theirs) ? undefined : partOf(recursiveDifference(under(mine), theirs), isMember(mine)),
  );
}

type Rest = (mine: FieldSet, theirs: FieldSet) => FieldSet | undefined;

function without(a: FieldSet, b: FieldSet, rest: Rest): FieldSet {
  let next: Record<string, FieldSet | undefined> | undefined;
  let isAllThere = true;
  for (const step in b) {
    const mine = step === itself ? undefined : a[step];
    if (mine === undefined) continue;
    const left = rest(mine, b[step] as FieldSet);
    if (left === mine) continue;
    next ??= { ...a };
    next[step] = left;
    isAllThere &&= left !== undefined;
  }
  return next === undefined ? a : isAllThere ? (next as FieldSet) : present(next);
}

/** A field that is deleted would make a slow object of all of them. */
function present(parts: Readonly<Record<string, FieldSet | undefined>>): FieldSet {
  const next: Draft = {};
  for (const step in parts) {
    const part = parts[step];
    if (part !== undefined) next[step] = part;
  }
  return next;
}

function differenceOfParts(mine: FieldSet, theirs: FieldSet): FieldSet | undefined {
  if (mine === theirs) return undefined;
  // Its own step stays where it is meanwhile: most parts that are looked at stay as they are.
  const left = difference(mine, theirs);
  const member = isMember(mine);
  const stays = member && !isMember(theirs);
  return left === mine && stays === member ? mine : partOf(under(left), stays);
}

/** What is under a part, without the part's own step. */
function under(part: FieldSet): FieldSet {
  if (!Object.hasOwn(part, itself)) return part;
  const { [itself]: _self, ...rest } = part;
  return rest;
}

/** What is in both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const next: Draft = {};
  for (const step in a) {
    const theirs = b[step];
    if (theirs === undefined || step === itself) continue;
    const mine = a[step] as FieldSet;
    const both = partOf(intersection(under(mine), under(theirs)), isMember(mine) && isMember(theirs));
    if (both !== undefined) next[step] = both;
  }
  return next;
}

/** Each field of the set as its steps: those of one place before what is under them. */
export function* pathsOf(set: FieldSet, above: readonly string[] = []): Iterable<readonly string[]> {
  const steps = Object.keys(set).filter((step) => step !== itself);
  for (const step of steps) if (isMember(set[step] as FieldSet)) yield [...above, step];
  for (const step of steps) yield* pathsOf(set[step] as FieldSet, [...above, step]);
}

/** Whether this one field is in the set. */
export function isIn(set: FieldSet, path: readonly string[]): boolean {
  let part: FieldSet | undefined = set;
  for (const step of path) part = part?.[step];
  return part !== undefined && isMember(part);
}

/** The same set, its steps in the order in which they are shown, frozen. */
export function inOrder(set: FieldSet): FieldSet {
  if (Object.isFrozen(set)) return set;
  const next: Draft = {};
  for (const step of Object.keys(set).sort(deepOrder)) next[step] = inOrder(set[step] as FieldSet);
  return Object.freeze(next);
}
