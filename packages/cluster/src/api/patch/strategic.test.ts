import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freeze } from '../../base/freeze.ts';
import type { JsonObject } from '../record.ts';
import { type SchemaNode, schemaOf } from '../schema/node.ts';
import { isStatusError } from '../status.ts';
import { applyStrategicPatch } from './strategic.ts';

const podSpec = schemaOf('io.k8s.api.core.v1.PodSpec');
const meta = schemaOf('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
const deployment = schemaOf('io.k8s.api.apps.v1.DeploymentSpec');
const serviceSpec = schemaOf('io.k8s.api.core.v1.ServiceSpec');

function patched(object: JsonObject, patch: JsonObject, schema: SchemaNode = podSpec): JsonObject {
  return applyStrategicPatch(freeze(object), freeze(patch), schema);
}

const two = {
  containers: [
    { name: 'a', image: 'a:1', env: [{ name: 'X', value: '1' }] },
    { name: 'b', image: 'b:1' },
  ],
};

describe('a list with a merge key', () => {
  test('merges element by element', () => {
    expect(patched(two, { containers: [{ name: 'a', image: 'a:2' }] })).toEqual({
      containers: [
        { name: 'a', image: 'a:2', env: [{ name: 'X', value: '1' }] },
        { name: 'b', image: 'b:1' },
      ],
    });
  });

  test('merges the lists inside its elements', () => {
    const next = patched(two, { containers: [{ name: 'a', env: [{ name: 'Y', value: '2' }] }] });
    expect((next['containers'] as typeof two.containers)[0]?.env).toEqual([
      { name: 'Y', value: '2' },
      { name: 'X', value: '1' },
    ]);
  });

  test('takes a new element in front of what the patch does not name', () => {
    expect(patched(two, { containers: [{ name: 'c', image: 'c:1' }] })['containers']).toMatchObject([
      { name: 'c' },
      { name: 'a' },
      { name: 'b' },
    ]);
  });

  test('lets an element go by $patch: delete', () => {
    expect(patched(two, { containers: [{ $patch: 'delete', name: 'a' }] })).toEqual({
      containers: [{ name: 'b', image: 'b:1' }],
    });
  });

  test('is replaced as a whole by $patch: replace', () => {
    expect(patched(two, { containers: [{ $patch: 'replace' }, { name: 'z', image: 'z' }] })).toEqual({
      containers: [{ name: 'z', image: 'z' }],
    });
  });

  test('follows $setElementOrder', () => {
    const next = patched(two, {
      '$setElementOrder/containers': [{ name: 'b' }, { name: 'c' }, { name: 'a' }],
      containers: [{ name: 'c', image: 'c' }],
    });
    expect(next['containers']).toMatchObject([{ name: 'b' }, { name: 'c' }, { name: 'a' }]);
  });

  test('is only put in order by $setElementOrder alone', () => {
    expect(patched(two, { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] })['containers']).toMatchObject(
      [{ name: 'b' }, { name: 'a' }],
    );
    expect(patched({}, { '$setElementOrder/containers': [{ name: 'b' }] })).toEqual({});
  });

  test('keeps elements of the server where they stood among those in order', () => {
    const object = { containers: ['s1', 'a', 's2', 'b'].map((name) => ({ name })) };
    const next = patched(object, {
      '$setElementOrder/containers': [{ name: 'a' }, { name: 'n' }, { name: 'b' }],
      containers: [{ name: 'n' }],
    });
    expect((next['containers'] as { name: string }[]).map(({ name }) => name)).toEqual(['s1', 'a', 'n', 's2', 'b']);
  });

  test('with several keys tells apart what the first key cannot', () => {
    const object = {
      ports: [
        { port: 53, protocol: 'UDP', name: 'u' },
        { port: 53, protocol: 'TCP', name: 't' },
      ],
    };
    expect(patched(object, { ports: [{ port: 53, protocol: 'TCP', name: 'tcp' }] }, serviceSpec)).toEqual({
      ports: [
        { port: 53, protocol: 'UDP', name: 'u' },
        { port: 53, protocol: 'TCP', name: 'tcp' },
      ],
    });
    expect(patched(object, { ports: [{ $patch: 'delete', port: 53, protocol: 'UDP' }] }, serviceSpec)).toEqual({
      ports: [{ port: 53, protocol: 'TCP', name: 't' }],
    });
  });

  test('lets a single element change its other key', () => {
    const object = { ports: [{ port: 53, protocol: 'UDP' }] };
    expect(patched(object, { ports: [{ port: 53, protocol: 'TCP' }] }, serviceSpec)).toEqual({
      ports: [{ port: 53, protocol: 'TCP' }],
    });
  });
});

describe('a list of scalars that merges', () => {
  const object = { finalizers: ['a', 'b'] };

  test('is united', () => {
    expect(patched(object, { finalizers: ['b', 'c'] }, meta)['finalizers']).toEqual(['a', 'b', 'c']);
  });

  test('loses values by $deleteFromPrimitiveList', () => {
    expect(patched(object, { '$deleteFromPrimitiveList/finalizers': ['a'] }, meta)).toEqual({ finalizers: ['b'] });
    expect(patched({}, { '$deleteFromPrimitiveList/finalizers': ['a'] }, meta)).toEqual({});
  });

  test('follows $setElementOrder', () => {
    expect(
      patched(object, { '$setElementOrder/finalizers': ['c', 'b', 'a'], finalizers: ['c'] }, meta)['finalizers'],
    ).toEqual(['c', 'b', 'a']);
  });
});

test('other lists are replaced', () => {
  const object = { containers: [{ name: 'a', args: ['1', '2'] }] };
  expect(patched(object, { containers: [{ name: 'a', args: ['3'] }] })).toEqual({
    containers: [{ name: 'a', args: ['3'] }],
  });
});

describe('an object', () => {
  test('loses fields by null, is replaced and emptied by $patch', () => {
    const object = { nodeSelector: { a: '1', b: '2' }, hostNetwork: true };
    expect(patched(object, { nodeSelector: { a: null }, hostNetwork: null })).toEqual({ nodeSelector: { b: '2' } });
    expect(patched(object, { nodeSelector: { $patch: 'replace', c: '3' } })).toEqual({
      nodeSelector: { c: '3' },
      hostNetwork: true,
    });
    expect(patched(object, { nodeSelector: { $patch: 'delete' } })).toEqual({ nodeSelector: {}, hostNetwork: true });
    expect(patched(object, { nodeSelector: { $patch: 'merge', c: '3' } })['nodeSelector']).toEqual({
      a: '1',
      b: '2',
      c: '3',
    });
  });

  test('keeps only what $retainKeys names', () => {
    const object = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } }, replicas: 1 };
    expect(patched(object, { strategy: { $retainKeys: ['type'], type: 'Recreate' } }, deployment)).toEqual({
      strategy: { type: 'Recreate' },
      replicas: 1,
    });
  });

  test('swaps the source of a volume with $retainKeys', () => {
    const object = { volumes: [{ name: 'v', emptyDir: {} }] };
    const patch = { volumes: [{ $retainKeys: ['name', 'hostPath'], name: 'v', hostPath: { path: '/x' } }] };
    expect(patched(object, patch)).toEqual({ volumes: [{ name: 'v', hostPath: { path: '/x' } }] });
  });

  test('that is new takes no directives with it', () => {
    expect(
      patched(
        {},
        {
          affinity: { nodeAffinity: { $patch: 'replace', x: 1, y: null } },
          containers: [
            { name: 'a', $patch: 'delete' },
            { name: 'b', env: [{ name: 'E', $retainKeys: ['name'] }] },
          ],
        },
      ),
    ).toEqual({
      affinity: { nodeAffinity: { x: 1 } },
      containers: [{ name: 'b', env: [{ name: 'E' }] }],
    });
  });
});

test('a patch that is null changes nothing', () => {
  const object = { spec: {} };
  expect(applyStrategicPatch(object, null, {})).toBe(object);
});

describe('is refused with 400', () => {
  test.each<[string, unknown]>([
    ['a patch that is a list', []],
    ['a patch that is a text', 'a'],
    ['an unknown directive on an object', { nodeSelector: { $patch: 'bogus' } }],
    ['an unknown directive on an element', { containers: [{ $patch: 'bogus', name: 'a' }] }],
    ['an element without the merge key', { containers: [{ image: 'x' }] }],
    ['a scalar among objects', { containers: ['x'] }],
    ['$retainKeys that lacks a field of the patch', { volumes: [{ $retainKeys: ['name'], name: 'v', emptyDir: {} }] }],
    ['$retainKeys that is no list', { securityContext: { $retainKeys: 'x' } }],
    ['an order that lacks an element', { '$setElementOrder/containers': [{ name: 'b' }], containers: [{ name: 'a' }] }],
    ['an order that is no list', { '$setElementOrder/containers': 'x', containers: [{ name: 'a' }] }],
  ])('%s', (_, patch) => {
    let thrown: unknown;
    try {
      applyStrategicPatch(freeze({ ...two }), patch, podSpec);
    } catch (error) {
      thrown = error;
    }
    expect(isStatusError(thrown, 'BadRequest')).toBe(true);
  });
});

test('untouched parts are shared, and nothing to change is the object itself', () => {
  const object = freeze({ ...two, volumes: [{ name: 'v' }] });
  const next = applyStrategicPatch(object, { containers: [{ name: 'a', image: 'a:2' }] }, podSpec);
  expect(next['volumes']).toBe(object.volumes);
  expect((next['containers'] as unknown[])[1]).toBe(object.containers[1]);
  expect(applyStrategicPatch(object, { containers: [{ name: 'b', image: 'b:1' }] }, podSpec)).toBe(object);
});

const containers = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), image: fc.constantFrom('1', '2') }),
  {
    selector: ({ name }) => name,
  },
);

test('patching twice is patching once, and no name ever stands twice', () =>
  fc.assert(
    fc.property(containers, containers, (stored, change) => {
      const once = applyStrategicPatch(freeze({ containers: stored }), { containers: change }, podSpec);
      const names = (once['containers'] as { name: string }[]).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect([...names].sort()).toEqual([...new Set([...stored, ...change].map(({ name }) => name))].sort());
      expect(applyStrategicPatch(once, { containers: change }, podSpec)).toBe(once);
    }),
  ));
