import { expect, test } from 'vitest';
import { createLeaf } from '../../../../scrape/leaf.ts';
import { objectsOf } from '../../../../testing/world.ts';
import type { Place } from '../settings.ts';
import { parseVersion } from '../version.ts';
import { each, type Fields, sectionOf } from './table.ts';
import { warnOfUnrendered } from './unrendered.ts';

/** A kind that nobody knows, with one field of each sort. */
interface Lamp {
  readonly colour?: string;
  readonly dimmed?: boolean;
  readonly watts?: number;
  readonly shade?: { readonly cloth?: string; readonly trim?: string };
  readonly bulbs?: readonly { readonly name?: string; readonly cap?: string }[];
  readonly mode?: string;
  readonly switch?: string;
  readonly stand?: string;
}

const fields: Fields<Lamp> = {
  watts: {
    as: 'watts',
    check: (watts, { leaf, at }) => {
      if (watts < 0) leaf.reject('InvalidField', at, 'must not be negative');
    },
    made: (own, _, { before }) => own ?? (before['colour'] === undefined ? undefined : 40),
  },
  colour: { as: 'colour', of: (colour) => colour.toLowerCase() },
  dimmed: { as: ({ version }) => (version.major === 2 ? 'dim' : 'dimmed'), since: '2.50', keepsAll: true },
  shade: { members: { cloth: 'elsewhere', trim: 'no effect' } },
  bulbs: { members: each('elsewhere', 'name', 'cap') },
  mode: { only: ['on'] },
  switch: 'elsewhere',
  stand: 'no effect',
};

function rendered(spec: Lamp & { readonly unheardOf?: string }, version = '3.0'): readonly unknown[] {
  const [lamp] = objectsOf('{ apiVersion: v1, kind: Lamp, metadata: { name: a } }');
  const parsed = parseVersion(version);
  if (lamp === undefined || parsed === undefined) throw new Error('both are there');
  const vault = { lookup: () => ({ state: 'object missing' }) as const, pathOf: () => '' };
  const leaf = createLeaf(lamp, vault, { missingFile: 'warn', expansion: 'any' });
  const place: Place = { version: parsed, leaf, at: 'spec' };
  const section = sectionOf<Lamp, Place>(spec, fields, place);
  warnOfUnrendered(spec, fields, leaf);
  return [section, leaf.findings.map(({ severity, field, message }) => `${severity} ${field} ${message}`)];
}

const noEffect = 'is not rendered by this operator yet, so the field has no effect';

test('lines stand in the order of the table, whatever order the object has', () => {
  const [section] = rendered({ dimmed: true, colour: 'Red', watts: 5 });
  expect(JSON.stringify(section)).toBe('{"watts":5,"colour":"red","dimmed":true}');
});

test('what says nothing is left out, unless its line keeps all', () => {
  expect(rendered({ colour: '', watts: 0, dimmed: false })).toEqual([{ dimmed: false }, []]);
  expect(rendered({})).toEqual([{}, []]);
});

test('a line may be there without its field, and looks at the lines before it', () => {
  const { colour, watts, ...others } = fields;
  expect(sectionOf<Lamp, Place>({ colour: 'Red' }, { colour, watts, ...others }, place())).toEqual({
    colour: 'red',
    watts: 40,
  });
  expect(sectionOf<Lamp, Place>({}, { colour, watts, ...others }, place())).toEqual({});
});

test('a version that would refuse a line gets none, and its owner is told', () => {
  expect(rendered({ dimmed: false }, '2.49')).toEqual([
    {},
    ['warning spec.dimmed needs Prometheus 2.50 or newer, so the field has no effect'],
  ]);
  expect(rendered({ dimmed: true }, '2.50')).toEqual([{ dim: true }, []]);
});

test('a value is looked at where it stands', () => {
  expect(rendered({ watts: -1 })[1]).toEqual(['error spec.watts must not be negative']);
});

test('of every field something comes, or its owner is told that nothing does', () => {
  const spec = {
    shade: { cloth: 'a', trim: 'b' },
    bulbs: [{ name: 'a' }, { cap: 'E27' }],
    mode: 'on',
    switch: 'a',
    stand: 'b',
    unheardOf: 'c',
  };
  expect(rendered(spec)[1]).toEqual([
    `warning spec.shade.trim ${noEffect}`,
    `warning spec.stand ${noEffect}`,
    `warning spec.unheardOf ${noEffect}`,
  ]);
  expect(rendered({ mode: 'off' })[1]).toEqual([`warning spec.mode ${noEffect}`]);
});

test('a table without a field of its kind does not compile', () => {
  const { stand: _, ...others } = fields;
  // @ts-expect-error -- nobody has decided about the stand.
  const incomplete: Fields<Lamp> = others;
  expect(incomplete).not.toHaveProperty('stand');
});

function place(): Place {
  const [lamp] = objectsOf('{ apiVersion: v1, kind: Lamp, metadata: { name: a } }');
  const version = parseVersion('3.0');
  if (lamp === undefined || version === undefined) throw new Error('both are there');
  const vault = { lookup: () => ({ state: 'object missing' }) as const, pathOf: () => '' };
  return { version, leaf: createLeaf(lamp, vault, { missingFile: 'warn', expansion: 'any' }), at: 'spec' };
}
