import { expect, test } from 'vitest';
import { objectsOf } from '../../testing/world.ts';
import type { Place } from '../checks.ts';
import { createLeaf } from '../leaf.ts';
import type { Since } from './since.ts';
import { each, type Fields, sectionOf } from './table.ts';
import { unrenderedFields } from './unrendered.ts';

/** A reader whose versions are whole numbers. */
interface Shown extends Place {
  readonly version: number;
}

function lamplighter(minimum: number): Since<Shown> {
  return { minimum: `Lamplighter ${minimum}`, isRead: ({ version }) => version >= minimum };
}

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

const fields: Fields<Lamp, Shown> = {
  watts: {
    as: 'watts',
    check: (watts, { leaf, at }) => {
      if (watts < 0) leaf.reject('InvalidField', at, 'must not be negative');
    },
    made: (own, _, { before }) => own ?? (before['colour'] === undefined ? undefined : 40),
  },
  colour: { as: 'colour', of: (colour) => colour.toLowerCase() },
  dimmed: { as: ({ version }) => (version < 4 ? 'dim' : 'dimmed'), since: lamplighter(3), keepsAll: true },
  shade: { members: { cloth: 'elsewhere', trim: 'no effect' } },
  bulbs: { members: each('elsewhere', 'name', 'cap') },
  mode: { only: ['on'] },
  switch: 'elsewhere',
  stand: 'no effect',
};

function rendered(spec: Lamp & { readonly unheardOf?: string }, version = 4): readonly unknown[] {
  const at = shown(version);
  const section = sectionOf<Lamp, Shown>(spec, fields, at);
  return [section, at.leaf.findings.map(({ severity, field, message }) => `${severity} ${field} ${message}`)];
}

function shown(version = 4): Shown {
  const [lamp] = objectsOf('{ apiVersion: v1, kind: Lamp, metadata: { name: a } }');
  if (lamp === undefined) throw new Error('it is there');
  const vault = { lookup: () => ({ state: 'object missing' }) as const, pathOf: () => '' };
  return { version, leaf: createLeaf(lamp, vault, { missingFile: 'warn', expansion: 'any' }), at: 'spec' };
}

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
  expect(sectionOf<Lamp, Shown>({ colour: 'Red' }, { colour, watts, ...others }, shown())).toEqual({
    colour: 'red',
    watts: 40,
  });
  expect(sectionOf<Lamp, Shown>({}, { colour, watts, ...others }, shown())).toEqual({});
});

test('a line may be a section of its own, whose fields have lines in turn', () => {
  const cap = { as: 'cap', members: { colour: { as: 'colour' }, trim: 'no effect' } } as const;
  const spec = { cap: { trim: 'gold', colour: 'red' } };
  expect(sectionOf(spec, { cap }, shown())).toEqual({ cap: { colour: 'red' } });
  expect([...unrenderedFields(spec, { cap }, 'spec')]).toEqual(['spec.cap.trim']);
});

test('a version that would refuse a line gets none, and its owner is told', () => {
  expect(rendered({ dimmed: false }, 2)).toEqual([
    {},
    ['warning spec.dimmed needs Lamplighter 3 or newer, so the field has no effect'],
  ]);
  expect(rendered({}, 2)).toEqual([{}, []]);
  expect(rendered({ dimmed: true }, 3)).toEqual([{ dim: true }, []]);
});

test('an older version is not given a section without a line that it needs', () => {
  const lit: Fields<Pick<Lamp, 'colour'>, Shown> = { colour: { as: 'colour', optionalSince: lamplighter(3) } };
  const told = (spec: Lamp, version: number): readonly string[] => {
    const at = shown(version);
    sectionOf<Pick<Lamp, 'colour'>, Shown>(spec, lit, at);
    return at.leaf.findings.map(({ field, message }) => `${field} ${message}`);
  };
  expect(told({}, 2)).toEqual(['spec.colour may only be empty from Lamplighter 3 on']);
  expect(told({ colour: 'red' }, 2)).toEqual([]);
  expect(told({}, 3)).toEqual([]);
});

test('a line may hold a section of its own, of which nothing is lost unsaid', () => {
  const covered: Fields<Pick<Lamp, 'shade'>, Shown> = {
    shade: { as: 'cover', members: { cloth: { as: 'of' }, trim: 'no effect' } },
  };
  const spec = { shade: { cloth: 'silk', trim: 'lace' } };
  expect(sectionOf<Pick<Lamp, 'shade'>, Shown>(spec, covered, shown())).toEqual({ cover: { of: 'silk' } });
  expect([...unrenderedFields(spec, covered, 'spec')]).toEqual(['spec.shade.trim']);
});

test('a value is looked at where it stands', () => {
  expect(rendered({ watts: -1 })[1]).toEqual(['error spec.watts must not be negative']);
});

test('of every field something comes, or it is among those of which nothing does', () => {
  const spec = {
    shade: { cloth: 'a', trim: 'b' },
    bulbs: [{ name: 'a' }, { cap: 'E27' }],
    mode: 'on',
    switch: 'a',
    stand: 'b',
    unheardOf: 'c',
  };
  expect([...unrenderedFields(spec, fields, 'spec')]).toEqual(['spec.shade.trim', 'spec.stand', 'spec.unheardOf']);
  expect([...unrenderedFields({ mode: 'off' }, fields, 'spec')]).toEqual(['spec.mode']);
});

test('a table without a field of its kind does not compile', () => {
  const { stand: _, ...others } = fields;
  // @ts-expect-error -- nobody has decided about the stand.
  const incomplete: Fields<Lamp, Shown> = others;
  expect(incomplete).not.toHaveProperty('stand');
});
