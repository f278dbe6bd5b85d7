import type { KubeObject, PodSpec } from '@signalbox/cluster';
import type { CommonPrometheusSpec, Labels } from '../../../../resources/prometheus-fields.ts';
import { type Fields, type Line, sectionOf } from '../../../../scrape/fields/table.ts';
import type { Section } from '../../../../scrape/http.ts';
import type { EnforcedLimits, Place } from '../settings.ts';
import { isAtLeast } from '../version.ts';

/*
 * A root's fields end in several places: sections of the configuration, the command line, the pods. Each place is a sheet,
 * and the field's one entry in the table says what stands on which of them.
 */

export interface RootPlace extends Place {
  readonly root: KubeObject;
}

export interface GlobalPlace extends RootPlace {
  readonly enforced: EnforcedLimits;
}

export interface ShardPlace extends Place {
  /** What finds the pods of this shard alone, and those of the whole root. */
  readonly labels: { readonly OnShard: Labels; readonly OnResource: Labels };
}

/** What knows the place that the lines of a sheet are made at. */
interface Places {
  /** Limits that hold over those of every monitor, by the monitor's names for them. */
  readonly enforced: Place;
  /** Sections of the configuration. */
  readonly global: GlobalPlace;
  readonly runtime: Place;
  readonly tsdb: Place;
  readonly retention: Place;
  readonly exemplars: Place;
  /** The command line: what comes before the place of the data, after it, and after the web server's file. */
  readonly argument: Place;
  readonly storageArgument: Place;
  readonly lastArgument: Place;
  readonly environment: Place;
  /** The web server's file. */
  readonly webServer: Place;
  readonly webHeaders: Place;
  /** The StatefulSet and its pods. */
  readonly workload: Place;
  readonly pod: ShardPlace;
}

export type SheetName = keyof Places;

/** A line that only some versions have; with the others, another line stands for the field, or none is needed. */
interface Dated {
  readonly from?: string;
  readonly until?: string;
}

export type SheetLine<Value, Spec, At extends Place> = Line<Value, Spec, At> & Dated;

type Sheets<Value, Spec> = {
  readonly [Sheet in Exclude<SheetName, 'pod'>]?: OneOrMore<SheetLine<Value, Spec, Places[Sheet]>>;
} & {
  readonly pod?: SheetLine<Value, Spec, ShardPlace> & { readonly as: keyof PodSpec };
};

type OneOrMore<T> = T | readonly T[];

type RootField<Value, Spec> =
  | Sheets<Value, Spec>
  | 'elsewhere'
  | 'no effect'
  | { readonly only: readonly Value[] }
  | (Sheets<Value, Spec> & { readonly members: RootFields<Item<Value>> | Fields<Item<Value>, Place> });

/** What becomes of every field of a root. */
export type RootFields<Spec> = {
  readonly [Name in keyof Spec]-?: RootField<NonNullable<Spec[Name]>, Spec>;
};

type Item<Value> = Value extends readonly (infer One)[] ? One : Value;

/** What stands on one sheet, in the order of the table. */
export function sheetOf<Sheet extends SheetName>(
  spec: object,
  { fields, sheet }: { readonly fields: object; readonly sheet: Sheet },
  place: Places[Sheet],
): Section {
  const section: Record<string, unknown> = {};
  for (const { name, lines, members } of entriesOn(fields, sheet)) {
    for (const line of lines)
      if (isThere(line, place)) Object.assign(section, sectionOf(spec, { [name]: line }, place));
    if (members === undefined) continue;
    const value: unknown = spec[name as keyof object] ?? {};
    if (typeof value !== 'object' || value === null) continue;
    Object.assign(section, sheetOf(value, { fields: members, sheet }, { ...place, at: `${place.at}.${name}` }));
  }
  return section as Section;
}

/** A field with something to say on a sheet, of its own or of its members. */
interface EntryOn {
  readonly name: string;
  readonly lines: readonly AnyLine[];
  readonly members: object | undefined;
}

/** A table never changes, and each of its sheets has few of its many fields. */
const entries = new WeakMap<object, Map<SheetName, readonly EntryOn[]>>();

function entriesOn(fields: object, sheet: SheetName): readonly EntryOn[] {
  const sheets = entries.get(fields) ?? new Map<SheetName, readonly EntryOn[]>();
  entries.set(fields, sheets);
  const known = sheets.get(sheet) ?? findEntries(fields, sheet);
  sheets.set(sheet, known);
  return known;
}

function findEntries(fields: object, sheet: SheetName): readonly EntryOn[] {
  return Object.entries(fields).flatMap(([name, field]: [string, Entry]) => {
    if (typeof field === 'string') return [];
    const { members } = field;
    const lines = [field[sheet] ?? []].flat();
    const goesOn = members !== undefined && entriesOn(members, sheet).length > 0;
    return lines.length > 0 || goesOn ? [{ name, lines, members: goesOn ? members : undefined }] : [];
  });
}

type AnyLine = SheetLine<unknown, object, Place>;
type Entry = string | ({ readonly members?: object } & { readonly [Sheet in SheetName]?: OneOrMore<AnyLine> });

function isThere({ from, until }: Dated, { version }: Place): boolean {
  return (from === undefined || isAtLeast(version, from)) && (until === undefined || !isAtLeast(version, until));
}

/** Fields that a manifest has under the same name, and with the same type. */
export function asPodHas<const Name extends SameInPods>(
  ...names: readonly Name[]
): { readonly [Each in Name]: { readonly pod: { readonly as: Each } } } {
  return Object.fromEntries(names.map((name) => [name, { pod: { as: name } }])) as {
    readonly [Each in Name]: { readonly pod: { readonly as: Each } };
  };
}

type Same<Spec> = {
  [Name in keyof Spec & keyof PodSpec]: NonNullable<Spec[Name]> extends NonNullable<PodSpec[Name]> ? Name : never;
}[keyof Spec & keyof PodSpec];
type SameInPods = Same<Required<CommonPrometheusSpec>>;
