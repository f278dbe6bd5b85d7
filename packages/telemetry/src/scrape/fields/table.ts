import type { Place } from '../checks.ts';
import { says } from '../given.ts';
import type { Section } from '../http.ts';
import { type Since, whereRead } from './since.ts';

/*
 * What becomes of each field of a kind, in one table: the line that is rendered from it, the version of the agent that
 * reads that line, and whether anything comes of it at all. A table has every field that the definition has, so a younger
 * definition does not compile until somebody has decided about its new fields.
 */

/** `Spec` is what the field stands in, `At` where it is rendered. */
export type Field<Value, Spec, At extends Place> =
  | Line<Value, Spec, At>
  /** More than this field decides about what is rendered from it: there is code for that. */
  | 'elsewhere'
  | 'no effect'
  /** One of the values that mean what happens anyway has an effect, as it were. */
  | { readonly only: readonly Value[] }
  | { readonly members: Fields<Item<Value>, At> };

export type Fields<Spec, At extends Place = Place> = {
  readonly [Name in keyof Spec]-?: Field<NonNullable<Spec[Name]>, Spec, At>;
};

type Item<Value> = Value extends readonly (infer One)[] ? One : Value;

/** One line of a section. What says nothing (empty, 0, false) is left out, unless it `keepsAll`. */
export interface Line<Value, Spec, At extends Place> {
  /** Its name there. */
  readonly as: string | ((at: At) => string);
  /** Older versions refuse the line with the whole file: it is left out, and the owner of what is said is told. */
  readonly since?: Since<At>;
  /** Older versions refuse the section without the line. */
  readonly optionalSince?: Since<At>;
  readonly keepsAll?: true;
  /** The field is an object, and its fields are lines of a section that stands in this line. */
  readonly members?: Fields<Item<Value>, At>;
  /** Looks at what is given, whether or not this version reads it. */
  check?(value: Value, at: At): void;
  /** What stands in the line; nothing: the value itself. */
  of?(value: Value, at: At): unknown;
  /** The same for a line that may be there without the field. */
  made?(own: Value | undefined, at: At, others: Others<Spec>): unknown;
}

export interface Others<Spec> {
  readonly spec: Spec;
  /** What stands in the lines before this one. */
  readonly before: Readonly<Record<string, unknown>>;
}

/** The lines of a section in the order of the table. */
export function sectionOf<Spec extends object, At extends Place>(
  spec: Spec,
  fields: Partial<Fields<Spec, At>>,
  at: At,
): Section {
  const before: Record<string, unknown> = {};
  const kept = new Set<string>();
  for (const { name, line, needsValue } of linesOf<Spec, At>(fields)) {
    if (needsValue && (spec[name] ?? undefined) === undefined) continue;
    const place = { ...at, at: `${at.at}.${name}` };
    const as = typeof line.as === 'string' ? line.as : line.as(place);
    const told = at.leaf.findings.length;
    before[as] = contentOf(line, { value: spec[name] ?? undefined, place, others: { spec, before } });
    if (at.leaf.findings.length === told) checkThere(line, before[as], place);
    if (line.keepsAll === true) kept.add(as);
  }
  const section: Record<string, unknown> = {};
  for (const [as, content] of Object.entries(before))
    if (content !== undefined && (kept.has(as) || says(content))) section[as] = content;
  return section;
}

interface NamedLine<Spec, At extends Place> {
  readonly name: keyof Spec & string;
  readonly line: Line<unknown, Spec, At>;
  /** Where its field is not given, nothing comes of it. */
  readonly needsValue: boolean;
}

// The same tables meet the fields of every monitor.
const remembered = new WeakMap<object, readonly unknown[]>();

function linesOf<Spec extends object, At extends Place>(
  fields: Partial<Fields<Spec, At>>,
): readonly NamedLine<Spec, At>[] {
  const known = remembered.get(fields) as readonly NamedLine<Spec, At>[] | undefined;
  if (known !== undefined) return known;
  const entries = Object.entries(fields).filter(([, field]) => isLine(field)) as unknown as readonly (readonly [
    keyof Spec & string,
    Line<unknown, Spec, At>,
  ])[];
  const lines = entries.map(([name, line]) => {
    const { as, made, optionalSince } = line;
    // Of two fields with one line the second has the last word, also by saying nothing.
    const isAlone = typeof as === 'string' && entries.every((other) => other[0] === name || other[1].as !== as);
    return { name, line, needsValue: isAlone && made === undefined && optionalSince === undefined };
  });
  remembered.set(fields, lines);
  return lines;
}

interface Around<Spec, At> {
  readonly value: unknown;
  readonly place: At;
  readonly others: Others<Spec>;
}

function contentOf<Spec, At extends Place>(
  line: Line<unknown, Spec, At>,
  { value, place, others }: Around<Spec, At>,
): unknown {
  if (value !== undefined) line.check?.(value, place);
  const read =
    line.since === undefined ? value : whereRead(value, line.since, { place, isSaid: line.keepsAll ?? says(value) });
  if (line.since?.isRead(place) === false) return undefined;
  if (line.made !== undefined) return line.made(read, place, others);
  if (read === undefined) return undefined;
  if (line.of !== undefined) return line.of(read, place);
  return line.members === undefined
    ? read
    : sectionOf(read as object, line.members as Partial<Fields<object, At>>, place);
}

function checkThere<Spec, At extends Place>(line: Line<unknown, Spec, At>, content: unknown, place: At): void {
  const { optionalSince } = line;
  if (optionalSince === undefined || says(content) || optionalSince.isRead(place)) return;
  place.leaf.reject('InvalidField', place.at, `may only be empty from ${optionalSince.minimum} on`);
}

export function isLine(field: unknown): boolean {
  return typeof field === 'object' && field !== null && 'as' in field;
}

/** The same for many fields. */
export function each<const Name extends string, const Becomes extends 'elsewhere' | 'no effect'>(
  becomes: Becomes,
  ...names: readonly Name[]
): { readonly [Each in Name]: Becomes } {
  return Object.fromEntries(names.map((name) => [name, becomes])) as { readonly [Each in Name]: Becomes };
}
