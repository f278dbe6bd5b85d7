import fc from 'fast-check';
import jsonpatch, { type Operation } from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import { freeze } from '../../base/freeze.ts';
import { isStatusError } from '../status.ts';
import { applyJsonPatch } from './json.ts';

const pod = freeze({ metadata: { name: 'a', labels: { app: 'x' } }, spec: { list: [1, 2, 3], deep: { n: 1 } } });

function codeOf(patch: unknown): number | undefined {
  try {
    applyJsonPatch(pod, patch);
    return undefined;
  } catch (error) {
    return isStatusError(error) ? error.code : -1;
  }
}

test('every kind of operation works, and leaves the object alone', () => {
  const next = applyJsonPatch(pod, [
    { op: 'test', path: '/spec/list/0', value: 1 },
    { op: 'add', path: '/spec/list/1', value: 9 },
    { op: 'add', path: '/spec/list/-', value: 4 },
    { op: 'remove', path: '/spec/list/0' },
    { op: 'replace', path: '/metadata/labels/app', value: 'y' },
    { op: 'copy', from: '/spec/deep', path: '/spec/copy' },
    { op: 'replace', path: '/spec/copy/n', value: 2 },
    { op: 'move', from: '/metadata/name', path: '/metadata/labels/a~1b' },
  ]);
  expect(next).toEqual({
    metadata: { labels: { app: 'y', 'a/b': 'a' } },
    spec: { list: [9, 2, 3, 4], deep: { n: 1 }, copy: { n: 2 } },
  });
  expect(pod.spec.list).toEqual([1, 2, 3]);
});

test('untouched parts are shared', () => {
  const next = applyJsonPatch(pod, [{ op: 'replace', path: '/metadata/labels/app', value: 'y' }]);
  expect(next['spec']).toBe(pod.spec);
  expect(applyJsonPatch(pod, [{ op: 'test', path: '/metadata/name', value: 'a' }])).toBe(pod);
});

test('a copy does not change with its source afterwards', () => {
  const next = applyJsonPatch(pod, [
    { op: 'add', path: '/spec/deep/m', value: 1 },
    { op: 'copy', from: '/spec/deep', path: '/spec/copy' },
    { op: 'add', path: '/spec/deep/m', value: 2 },
    { op: 'add', path: '/spec/copy/k', value: 3 },
  ]);
  expect(next['spec']).toMatchObject({ deep: { n: 1, m: 2 }, copy: { n: 1, m: 1, k: 3 } });
});

test('a value of the patch is not changed by the operations after it', () => {
  const value = freeze({ a: 1 });
  expect(
    applyJsonPatch(pod, [
      { op: 'add', path: '/x', value },
      { op: 'add', path: '/x/b', value: 2 },
    ])['x'],
  ).toEqual({ a: 1, b: 2 });
});

describe('is refused', () => {
  test.each<[string, unknown, number]>([
    ['a patch that is no array', { op: 'add' }, 400],
    ['an operation that is no object', [1], 400],
    ['an operation without a path', [{ op: 'remove' }], 400],
    ['an operation without a value', [{ op: 'add', path: '/x' }], 400],
    ['an operation without a source', [{ op: 'move', path: '/x' }], 400],
    ['an unknown operation', [{ op: 'toString', path: '/x' }], 422],
    ['a test that fails', [{ op: 'test', path: '/metadata/name', value: 'b' }], 422],
    ['a test of nothing', [{ op: 'test', path: '/metadata/nothing', value: 'b' }], 422],
    ['a path to a prototype', [{ op: 'add', path: '/__proto__/x', value: 1 }], 422],
    ['a path to a prototype by the constructor', [{ op: 'add', path: '/constructor/prototype/x', value: 1 }], 422],
    ['a name that only the prototype has', [{ op: 'test', path: '/toString', value: 1 }], 422],
    ['a negative index', [{ op: 'remove', path: '/spec/list/-1' }], 422],
    ['an index with a leading zero', [{ op: 'remove', path: '/spec/list/01' }], 422],
    ['an index behind the end', [{ op: 'add', path: '/spec/list/4', value: 1 }], 422],
    ['a removal behind the last', [{ op: 'remove', path: '/spec/list/-' }], 422],
    ['an unknown escape', [{ op: 'add', path: '/a~2', value: 1 }], 422],
    ['a path without a slash', [{ op: 'add', path: 'a', value: 1 }], 422],
    ['a replacement of nothing', [{ op: 'replace', path: '/spec/x', value: 1 }], 422],
    ['a removal of nothing', [{ op: 'remove', path: '/spec/x' }], 422],
    ['a removal of everything', [{ op: 'remove', path: '' }], 422],
    ['a place below a scalar', [{ op: 'add', path: '/metadata/name/x', value: 1 }], 422],
    ['a move into itself', [{ op: 'move', from: '/spec', path: '/spec/deep/x' }], 422],
    ['an object replaced by a scalar', [{ op: 'replace', path: '', value: 1 }], 400],
    [
      'too many operations',
      Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/metadata/name', value: 'a' })),
      413,
    ],
  ])('%s', (_, patch, code) => {
    expect(codeOf(patch)).toBe(code);
  });

  test('a bomb of copies, quickly', () => {
    const copies = Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '/spec', path: `/spec/${index}` }));
    expect(codeOf(copies)).toBe(422);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

const documents = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.integer({ max: 9, min: 0 }), tie('object'), tie('list')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  list: fc.array(tie('value'), { maxLength: 3 }),
}));

test('whatever the operations, the result is that of the reference implementation', () =>
  fc.assert(
    fc.property(documents.object, documents.object, (before, after) => {
      const source = freeze(before as Record<string, unknown>);
      const patch = jsonpatch.compare(before as object, after as object);
      expect(applyJsonPatch(source, patch)).toEqual(after);
    }),
  ));

test('single operations succeed and fail together with the reference implementation', () => {
  const pointers = fc
    .array(fc.constantFrom('a', 'b', '0', '1', '-'), { minLength: 1, maxLength: 3 })
    .map((path) => `/${path.join('/')}`);
  const operations = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy'),
    path: pointers,
    from: pointers,
    value: fc.constant(7),
  });
  fc.assert(
    fc.property(documents.object, operations, (object, operation) => {
      const attempt = (apply: () => unknown): unknown => {
        try {
          return apply();
        } catch {
          return 'refused';
        }
      };
      const source = freeze(object as Record<string, unknown>);
      const ours = attempt(() => applyJsonPatch(source, [operation]));
      const theirs = attempt(
        () => jsonpatch.applyPatch(structuredClone(source), [operation as Operation], true, true).newDocument,
      );
      // The reference does not mind to remove or read the place behind the end, nor to move a value into itself.
      if (ours !== 'refused') expect(ours).toEqual(theirs);
    }),
  );
});
