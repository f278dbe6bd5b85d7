import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equal } from '../../base/equal.ts';
import type { KubeObject } from '../meta.ts';
import { fromOpenApiV3 } from '../schema/node.ts';
import { type AppliedChange, applyFields } from './apply.ts';
import { compare } from './compare.ts';
import { conflictStatus } from './conflict.ts';
import { showStep } from './element.ts';
import { difference, type FieldSet, intersection, isEmpty, pathsOf, union } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import type { Owners } from './managers.ts';
import { withoutStripped } from './managers.ts';
import { customShapeOf, shapeOf } from './shape.ts';
import { typeProblem, typeProblems } from './typed.ts';
import { ownersAfterUpdate } from './update.ts';
import { changeOf, type Versions } from './versions.ts';

const apiVersion = 'example.com/v1';

/** Every way in which a schema can say how lists and maps are owned. */
const schema = fromOpenApiV3({
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    number: { type: 'integer' },
    text: { type: 'string' },
    time: { type: 'string', format: 'date-time' },
    struct: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
    atom: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' } } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    list: { type: 'array', items: { type: 'string' } },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    map: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: {
          port: { type: 'integer' },
          protocol: { type: 'string', default: 'TCP' },
          name: { type: 'string' },
        },
      },
    },
    byName: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string' }, text: { type: 'string' } } },
    },
    either: { 'x-kubernetes-int-or-string': true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
});
const shape = shapeOf(schema);
const versions: Versions = {
  apiVersion,
  shapeOf: (version) => (version === apiVersion ? shape : undefined),
  convert: (object) => object,
};

type Fields = Readonly<Record<string, unknown>>;
interface World {
  readonly object: KubeObject;
  readonly owners: Owners;
}

const nothing: World = { object: { apiVersion, kind: 'Thing' } as KubeObject, owners: [] };
const withKind = (fields: Fields): KubeObject => ({ apiVersion, kind: 'Thing', ...fields }) as unknown as KubeObject;

function tryApply(
  { object, owners }: World,
  fields: Fields,
  { manager, force = false }: { readonly manager: string; readonly force?: boolean },
): AppliedChange {
  const actor = { manager, operation: 'Apply', apiVersion } as const;
  return applyFields({ live: object, applied: withKind(fields), owners, actor, versions, force, time: 'now' });
}

function apply(world: World, fields: Fields, by: { readonly manager: string; readonly force?: boolean }): World {
  const done = tryApply(world, fields, by);
  if (!done.ok) throw new Error(conflictStatus(done.conflicts).message);
  return done;
}

function update({ object, owners }: World, fields: Fields, manager: string): World {
  const after = withKind(fields);
  const actor = { manager, operation: 'Update', apiVersion } as const;
  return {
    object: after,
    owners: ownersAfterUpdate(owners, changeOf(object, after, versions), { actor, time: 'now' }),
  };
}

const show = (set: FieldSet): readonly string[] => [...pathsOf(set)].map((steps) => steps.map(showStep).join(''));
const ownedBy = ({ owners }: World, manager: string): readonly string[] =>
  show(owners.find((owner) => owner.manager === manager)?.fieldsV1 ?? {});

describe('lists and maps are owned as their schema says', () => {
  test.each<[string, Fields, Fields, Fields, readonly string[]]>([
    ['scalars', { number: 1, text: 'a' }, { either: '50%' }, { number: 1, text: 'a', either: '50%' }, ['.either']],
    ['a struct', { struct: { a: '1' } }, { struct: { b: '2' } }, { struct: { a: '1', b: '2' } }, ['.struct.b']],
    ['a map', { labels: { a: '1' } }, { labels: { b: '2' } }, { labels: { a: '1', b: '2' } }, ['.labels.b']],
    ['a set', { set: ['a', 'b'] }, { set: ['c', 'b'] }, { set: ['a', 'c', 'b'] }, ['.set[="b"]', '.set[="c"]']],
    [
      'a list by keys, one of them with a default',
      {
        map: [
          { port: 80, name: 'x' },
          { port: 80, protocol: 'UDP' },
        ],
      },
      { map: [{ port: 443 }, { port: 80, protocol: 'TCP' }] },
      { map: [{ port: 443 }, { port: 80, name: 'x', protocol: 'TCP' }, { port: 80, protocol: 'UDP' }] },
      [
        '.map[port=80,protocol="TCP"]',
        '.map[port=443,protocol="TCP"]',
        '.map[port=80,protocol="TCP"].port',
        '.map[port=80,protocol="TCP"].protocol',
        '.map[port=443,protocol="TCP"].port',
      ],
    ],
    [
      'anything',
      { free: { a: { b: 1 } } },
      { free: { a: { c: [1] } } },
      { free: { a: { b: 1, c: [1] } } },
      ['.free.a', '.free.a.c'],
    ],
    ['an empty struct', { text: 'a' }, { struct: {} }, { text: 'a', struct: {} }, ['.struct']],
  ])('%s', (_what, first, second, both, owned) => {
    const world = apply(apply(nothing, first, { manager: 'me' }), second, { manager: 'you' });
    expect(world.object).toEqual(withKind(both));
    expect([...ownedBy(world, 'you')].sort()).toEqual([...owned].sort());
  });

  test.each<[string, Fields, Fields, readonly string[]]>([
    ['a scalar', { number: 1 }, { number: 2 }, ['.number']],
    ['an atomic list', { list: ['a'] }, { list: ['a', 'b'] }, ['.list']],
    ['an atomic map', { atom: { a: '1' } }, { atom: { a: '2' } }, ['.atom']],
    ['a field of a struct', { struct: { a: '1', b: '1' } }, { struct: { a: '2', b: '1' } }, ['.struct.a']],
    [
      'a field of an element',
      { map: [{ port: 80, name: 'a' }] },
      { map: [{ port: 80, name: 'b' }] },
      ['.map[port=80,protocol="TCP"].name'],
    ],
    ['a list where anything stands', { free: { l: [1] } }, { free: { l: [2] } }, ['.free.l']],
    ['what is no map any more', { free: { l: { a: 1 } } }, { free: { l: 2 } }, ['.free.l']],
  ])('another value of %s is a conflict', (_what, first, second, fields) => {
    const done = tryApply(apply(nothing, first, { manager: 'me' }), second, { manager: 'you' });
    expect(done.ok ? [] : done.conflicts.flatMap((each) => show(each.fields))).toEqual(fields);
  });
});

describe('what is left out', () => {
  test.each<[string, Fields, Fields, Fields]>([
    ['an element of a set', { set: ['a', 'b'] }, { set: ['b'] }, { set: ['b'] }],
    ['an element by its keys', { map: [{ port: 1 }, { port: 2 }] }, { map: [{ port: 2 }] }, { map: [{ port: 2 }] }],
    ['a field of an element', { map: [{ port: 1, name: 'x' }] }, { map: [{ port: 1 }] }, { map: [{ port: 1 }] }],
    ['a struct', { struct: { a: '1' }, text: 'x' }, { text: 'x' }, { text: 'x' }],
    ['all of it', { struct: { a: '1' }, set: ['a'], labels: { a: '1' } }, {}, {}],
    ['an atomic list', { list: ['a'], text: 'x' }, { text: 'x' }, { text: 'x' }],
  ])('%s goes', (_what, first, second, left) => {
    expect(apply(apply(nothing, first, { manager: 'me' }), second, { manager: 'me' }).object).toEqual(withKind(left));
  });

  test('what nobody applied stays, in the same struct and list too; an element goes with all that is in it', () => {
    const first = apply(nothing, { struct: { a: '1' }, set: ['a'], map: [{ port: 1 }] }, { manager: 'me' });
    const more = { struct: { a: '1', b: '2' }, set: ['a', 'b'], map: [{ port: 1, name: 'n' }, { port: 2 }], text: 't' };
    expect(apply(update(first, more, 'editor'), {}, { manager: 'me' }).object).toEqual(
      withKind({ struct: { b: '2' }, set: ['b'], map: [{ port: 2 }], text: 't' }),
    );
  });
});

const values = {
  number: fc.constantFrom(1, 2),
  text: fc.constantFrom('a', 'b'),
  struct: fc.record({ a: fc.constantFrom('1', '2'), b: fc.constantFrom('1', '2') }, { requiredKeys: [] }),
  atom: fc.record({ a: fc.constantFrom('1', '2') }, { requiredKeys: [] }),
  labels: fc.dictionary(fc.constantFrom('x', 'y', '__proto__'), fc.constantFrom('1', '2')),
  list: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  set: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
  map: fc.uniqueArray(
    fc.record(
      { port: fc.constantFrom(1, 2), protocol: fc.constantFrom('TCP', 'UDP'), name: fc.constantFrom('x', 'y') },
      { requiredKeys: ['port', 'protocol'] },
    ),
    { selector: ({ port, protocol }) => `${port}${protocol}` },
  ),
  either: fc.constantFrom<unknown>(1, '1'),
  free: fc.dictionary(
    fc.constantFrom('p', 'q'),
    fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null),
  ),
};
const anyFields = fc.record(values, { requiredKeys: [] }) as fc.Arbitrary<Fields>;

/** What happened to an object before. */
const history = fc.array(
  fc.record({ by: fc.constantFrom('me', 'you', 'editor'), fields: anyFields, force: fc.constant(true) }),
  { maxLength: 4 },
);
function lived(steps: readonly { readonly by: string; readonly fields: Fields; readonly force: boolean }[]): World {
  return steps.reduce(
    (world, { by, fields, force }) =>
      by === 'editor' ? update(world, fields, by) : apply(world, fields, { manager: by, force }),
    nothing,
  );
}

describe('laws', () => {
  test('who applies twice changes nothing the second time', () => {
    fc.assert(
      fc.property(history, anyFields, (steps, fields) => {
        const once = apply(lived(steps), fields, { manager: 'me', force: true });
        const twice = apply(once, fields, { manager: 'me' });
        expect(twice.object).toBe(once.object);
        expect(twice.owners).toBe(once.owners);
      }),
    );
  });

  test('by force all that is named is as it is said, and the applier’s', () => {
    fc.assert(
      fc.property(history, anyFields, (steps, fields) => {
        const { object, owners } = apply(lived(steps), fields, { manager: 'me', force: true });
        const named = withoutStripped(fieldsOf(withKind(fields), shape));
        expect(equal(owners.find(({ manager }) => manager === 'me')?.fieldsV1 ?? {}, named)).toBe(true);
        const { touched } = compare(withKind(fields), object, shape);
        expect(show(intersection(touched, named))).toEqual([]);
        // Nobody else still owns what they had another value of.
        for (const owner of owners) expect(owner.manager === 'me' || !isEmpty(owner.fieldsV1)).toBe(true);
      }),
    );
  });

  test('two who name different fields may come in any order', () => {
    fc.assert(
      fc.property(anyFields, fc.subarray(Object.keys(values)), (fields, names) => {
        const of = (wanted: (name: string) => boolean): Fields =>
          Object.fromEntries(Object.entries(fields).filter(([name]) => wanted(name)));
        const mine = of((name) => names.includes(name));
        const yours = of((name) => !names.includes(name));
        const one = apply(apply(nothing, mine, { manager: 'me' }), yours, { manager: 'you' });
        const other = apply(apply(nothing, yours, { manager: 'you' }), mine, { manager: 'me' });
        expect(equal(one, other)).toBe(true);
      }),
    );
  });

  test('when the last owner leaves a field it goes; what somebody owns stays as it was', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const before = lived(steps);
        const after = apply(before, {}, { manager: 'me' });
        const mine = before.owners.find(({ manager }) => manager === 'me')?.fieldsV1 ?? {};
        const others = before.owners
          .filter(({ manager }) => manager !== 'me')
          .reduce<FieldSet>((all, { fieldsV1 }) => union(all, fieldsV1), {});
        const alone = difference(mine, others);
        const { touched, removed } = compare(before.object, after.object, shape);
        expect(show(touched)).toEqual([]);
        // Something of another's under it keeps the place.
        for (const path of show(alone))
          expect(show(removed).includes(path) || show(others).some((each) => each.startsWith(path))).toBe(true);
        // As upstream, an element that goes takes along what others have put into it.
        const lost = show(intersection(removed, others)).filter(
          (path) => !show(alone).some((each) => path.startsWith(each)),
        );
        expect(lost).toEqual([]);
        expect(after.owners.some(({ manager }) => manager === 'me')).toBe(false);
      }),
    );
  });

  test('after an update all that is there and was noted is somebody’s, and nothing that is not', () => {
    fc.assert(
      fc.property(fc.array(anyFields, { minLength: 1, maxLength: 4 }), (all) => {
        const { object, owners } = all.reduce<World>(
          (world, fields, index) => update(world, fields, `m${index}`),
          nothing,
        );
        const owned = owners.reduce<FieldSet>((set, { fieldsV1 }) => union(set, fieldsV1), {});
        expect(equal(owned, withoutStripped(compare(nothing.object, object, shape).touched))).toBe(true);
      }),
    );
  });

  test('what is made of a schema’s own values has no problem with it', () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        expect([...typeProblems(withKind(fields), shape)]).toEqual([]);
      }),
    );
  });
});

test.each<[string, Fields, string]>([
  ['an unknown field', { other: 1 }, '.other: field not declared in schema'],
  ['an unknown field in a struct', { struct: { c: 1 } }, '.struct.c: field not declared in schema'],
  [
    'an unknown field of an element',
    { map: [{ port: 1, x: 1 }] },
    '.map[port=1,protocol="TCP"].x: field not declared in schema',
  ],
  ['a number for a text', { text: 1 }, '.text: expected string, got &value.valueUnstructured{Value:1}'],
  ['a map for a time', { time: { a: 1 } }, '.time: expected any scalar, got &{map[a:1]}'],
  [
    'a map for a key',
    { map: [{ port: { a: 'b' } }] },
    '.map[port=a="b",protocol="TCP"].port: expected numeric (int or float), got map[string]interface {}',
  ],
  ['a text for a number', { number: 'x' }, '.number: expected numeric (int or float), got string'],
  [
    'a map for a text',
    { text: { a: 1 } },
    '.text: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":1}}',
  ],
  ['a list for what anything may be in', { free: [] }, '.free: expected map, got &{[]}'],
  ['a list for a struct', { struct: [] }, '.struct: expected map, got &{[]}'],
  ['a map for a list', { list: {} }, '.list: expected list, got &{map[]}'],
  ['a map for a set', { set: {} }, '.set: expected list, got &{map[]}'],
  ['a list in a set', { set: [[]] }, '.set: element 0: not supported: associative list with lists as elements'],
  ['a map in a set', { set: [{}] }, ".set: element 0: associative list without keys has an element that's a map type"],
  ['one twice', { set: ['a', 'a'] }, '.set: duplicate entries for key [="a"]'],
  [
    'an element without its keys',
    { map: [1] },
    '.map: element 0: associative list with keys may not have non-map elements',
  ],
])('%s cannot be applied', (_what, fields, problem) => {
  expect([...typeProblems(withKind(fields), shape)]).toEqual([problem]);
});

test.each<[string, Fields, string | undefined]>([
  ['nothing', {}, undefined],
  ['one mistake', { number: 'x' }, '.number: expected numeric (int or float), got string'],
  [
    'several, until a field is met that nobody knows',
    { set: ['a', 'a', 'a'], other: 1, text: 1 },
    'errors:\n  .set: duplicate entries for key [="a"]\n  .set: duplicate entries for key [="a"]\n  .other: field not declared in schema',
  ],
  [
    'an element that cannot be told apart, and none after it',
    { map: [1, 2] },
    '.map: element 0: associative list with keys may not have non-map elements',
  ],
])('of what cannot be applied is told: %s', (_what, fields, told) => {
  expect(typeProblem(withKind(fields), shape)).toBe(told);
});

test('an element of a custom resource has one of its keys', () => {
  const custom = customShapeOf(schema);
  expect(typeProblem(withKind({ byName: [{ text: 'x' }] }), custom)).toBe(
    `.byName: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`,
  );
  expect(typeProblem(withKind({ map: [{ name: 'x' }] }), custom)).toBeUndefined();
  expect(typeProblem(withKind({ byName: [{ text: 'x' }] }), shape)).toBeUndefined();
});
