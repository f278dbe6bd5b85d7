import { fieldEffects } from '../generated/effects.ts';
import type { FieldEffect } from './field-effect.ts';

/** What is to be added to the texts of an object's fields. */
export function effectNotes(path: readonly string[]): ReadonlyMap<string, string> | undefined {
  notes ??= notesByObject();
  return notes.get(path.join('.'));
}

let notes: ReadonlyMap<string, ReadonlyMap<string, string>> | undefined;

function notesByObject(): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const all = new Map<string, Map<string, string>>();
  for (const [place, effect] of Object.entries(fieldEffects)) {
    const dot = place.lastIndexOf('.');
    const fields = all.get(place.slice(0, dot)) ?? new Map<string, string>();
    all.set(place.slice(0, dot), fields.set(place.slice(dot + 1), noteOf(effect)));
  }
  return all;
}

function noteOf({ none, only, since }: FieldEffect): string {
  return [
    ...(none === undefined ? [] : [none === 'everywhere' ? 'Has no effect.' : `Has no effect with ${named(none)}.`]),
    ...(only === undefined ? [] : [`${onlyWith(only.roots)} ${only.values.join(', ')} has an effect.`]),
    ...(since === undefined ? [] : [`Needs ${since}.`]),
  ].join(' ');
}

function onlyWith(roots: readonly string[] | 'everywhere'): string {
  return roots === 'everywhere' ? 'Only' : `With ${named(roots)}, only`;
}

function named(roots: readonly string[]): string {
  return roots.map((root) => `a ${root}`).join(' or ');
}

/** The outer field of which nothing ever comes; undefined: there is none. */
export function outerWithoutEffect(path: readonly string[]): string | undefined {
  ends ??= endsWithoutEffect();
  const { names, places } = ends;
  // Most paths have no such field in them, and are not put together.
  if (!path.some((field) => names.has(field))) return undefined;
  return path.find((field, index) => names.has(field) && places.has(path.slice(0, index + 1).join('.')));
}

interface Ends {
  /** The fields' own names. */
  readonly names: ReadonlySet<string>;
  readonly places: ReadonlySet<string>;
}

let ends: Ends | undefined;

function endsWithoutEffect(): Ends {
  const places = Object.keys(fieldEffects).filter((place) => fieldEffects[place]?.none === 'everywhere');
  return { names: new Set(places.map((place) => place.slice(place.lastIndexOf('.') + 1))), places: new Set(places) };
}
