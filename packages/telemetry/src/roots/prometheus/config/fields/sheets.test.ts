import { expect, test } from 'vitest';
import { createLeaf } from '../../../../scrape/leaf.ts';
import { objectsOf } from '../../../../testing/world.ts';
import { type Place, prometheus } from '../settings.ts';
import { parseVersion } from '../version.ts';
import { prometheusAgentFields, prometheusFields } from './roots.ts';
import { type RootFields, type SheetName, sheetOf } from './sheets.ts';
import { warnOfUnrendered } from './unrendered.ts';

/** A root that nobody knows. */
interface Tower {
  readonly bells?: number;
  readonly clock?: { readonly face?: string; readonly hands?: number; readonly motto?: string };
  readonly height?: number;
  readonly doors?: readonly { readonly name?: string }[];
  readonly flag?: string;
}

const fields: RootFields<Tower> = {
  height: { argument: { as: 'height', until: '3.0' }, tsdb: { as: 'height', from: '3.0' } },
  clock: {
    argument: { as: 'ticks', made: (clock) => clock !== undefined },
    members: {
      hands: { argument: { as: 'hands' } },
      face: { tsdb: { as: 'clock_face', since: prometheus('2.50'), made: (own) => own ?? 'white' } },
      motto: 'no effect',
    },
  },
  bells: {
    argument: [
      { as: 'bells', of: (count) => count },
      { as: 'ropes', of: (count) => count },
    ],
  },
  doors: { members: { name: 'elsewhere' } },
  flag: 'no effect',
};

function rendered(spec: Tower, sheet: 'argument' | 'tsdb', version = '3.1'): readonly unknown[] {
  const place = placeOf(version);
  const section = sheetOf(spec, { fields, sheet }, place);
  return [section, place.leaf.findings.map(({ field, message }) => `${field} ${message}`)];
}

function placeOf(text: string): Place {
  const [tower] = objectsOf('{ apiVersion: v1, kind: Tower, metadata: { name: a } }');
  const version = parseVersion(text);
  if (tower === undefined || version === undefined) throw new Error('both are there');
  const vault = { lookup: () => ({ state: 'object missing' }) as const, pathOf: () => '' };
  return { version, leaf: createLeaf(tower, vault, { missingFile: 'warn', expansion: 'any' }), at: 'spec' };
}

test('a sheet has its own lines in the order of the table, those of members in the place of theirs', () => {
  const [section] = rendered({ bells: 3, clock: { face: 'black', hands: 2 }, height: 9 }, 'argument', '2.55');
  expect(JSON.stringify(section)).toBe('{"height":9,"ticks":true,"hands":2,"bells":3,"ropes":3}');
});

test('a field moves from one sheet to another with the version, and nobody needs to hear of it', () => {
  expect(rendered({ height: 9 }, 'argument', '2.55')).toEqual([{ height: 9 }, []]);
  expect(rendered({ height: 9 }, 'tsdb', '2.55')).toEqual([{ clock_face: 'white' }, []]);
  expect(rendered({ height: 9 }, 'argument')).toEqual([{}, []]);
  expect(rendered({ height: 9 }, 'tsdb')).toEqual([{ height: 9, clock_face: 'white' }, []]);
});

test('a version that would refuse a line gets none, and its owner is told where the field stands', () => {
  expect(rendered({ clock: { face: 'black' } }, 'tsdb', '2.49')).toEqual([
    {},
    ['spec.clock.face needs Prometheus 2.50 or newer, so the field has no effect'],
  ]);
  expect(rendered({}, 'tsdb', '2.49')).toEqual([{}, []]);
});

test('findings about fields without effect read the same table', () => {
  const { leaf } = placeOf('3.1');
  warnOfUnrendered(
    { height: 1, bells: 1, clock: { face: 'a', motto: 'b' }, doors: [{ name: 'a' }], flag: 'c' },
    fields,
    leaf,
  );
  expect(leaf.findings.map(({ field }) => field)).toEqual(['spec.clock.motto', 'spec.flag']);
});

test('a table without a field of its root, or of a member, does not compile', () => {
  const { flag: _, ...others } = fields;
  // @ts-expect-error -- nobody has decided about the flag.
  const incomplete: RootFields<Tower> = others;
  // @ts-expect-error -- nor about the clock's motto.
  const shallow: RootFields<Tower> = { ...fields, clock: { members: { face: 'elsewhere', hands: 'elsewhere' } } };
  expect([incomplete, shallow]).toHaveLength(2);
});

/** What of a sheet could be lost unseen: two fields that claim one line. */
const sheets = ['global', 'argument', 'storageArgument', 'lastArgument', 'pod', 'workload'] as const;

test.each<[string, object]>([
  ['Prometheus', prometheusFields],
  ['PrometheusAgent', prometheusAgentFields],
])('no two fields of a %s claim one line', (_, table) => {
  for (const sheet of sheets) {
    const names = namesOn(table, sheet);
    expect(new Set(names).size).toBe(names.length);
  }
});

function namesOn(table: object, sheet: SheetName): readonly unknown[] {
  return Object.values(table).flatMap((field: string | ({ readonly members?: object } & Sheets)) => {
    if (typeof field === 'string') return [];
    const lines = [field[sheet] ?? []].flat();
    return [...lines.map(({ as }) => as), ...namesOn(field.members ?? {}, sheet)];
  });
}

type AnyLine = { readonly as: unknown };
type Sheets = { readonly [Sheet in SheetName]?: AnyLine | readonly AnyLine[] };
