import { expect, test } from 'vitest';
import type { Owners } from '../../api/apply/managers.ts';
import { shapeOf } from '../../api/apply/shape.ts';
import { ownersAfterUpdate } from '../../api/apply/update.ts';
import { changeOf } from '../../api/apply/versions.ts';
import type { KubeObject } from '../../api/meta.ts';
import { fromOpenApiV3 } from '../../api/schema/node.ts';
import { SharedList } from '../../base/shared-json.ts';
import { listed, sharedUpdate } from './shared-owners.ts';

const apiVersion = 'example.com/v1';

function world() {
  const map = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['ip'] };
  const item = { type: 'object', properties: { ip: { type: 'string' } } };
  const spec = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };
  const shape = shapeOf(
    fromOpenApiV3({ type: 'object', properties: { spec, ips: { type: 'array', ...map, items: item } } }),
  );
  const versions = { apiVersion, shapeOf: () => shape, convert: (object: KubeObject) => object };
  return (
    owners: Owners,
    [before, after]: readonly [object, object],
    { manager = 'm', time = '2025-01-01T00:00:00Z', subresource = undefined as string | undefined } = {},
  ): Owners | undefined => {
    const change = changeOf(before as KubeObject, after as KubeObject, versions);
    const actor = { manager, operation: 'Update' as const, apiVersion, subresource };
    const found = sharedUpdate({ owners, change, actor, time }, () =>
      ownersAfterUpdate(owners, change, { actor, time }),
    );
    // Shared or not, it is what it would be for the first one.
    expect(found ?? []).toEqual(ownersAfterUpdate(owners, change, { actor, time }));
    return found;
  };
}

const nobody: Owners = Object.freeze([]);

test('those who are made alike in one second have one list of owners from the second on', () => {
  const after = world();
  const made = Array.from({ length: 4 }, () => after(nobody, [{}, { spec: { a: 'x' } }]));
  expect(made[2]).toBe(made[1]);
  expect(made[3]).toBe(made[1]);
  expect(made[1]).toBeInstanceOf(SharedList);
  const changed = made.map((owners) => after(owners ?? nobody, [{ spec: { a: 'x' } }, { spec: { a: 'y' } }]));
  expect(changed[3]).toBe(changed[2]);
});

test.each<[string, object]>([
  ['in another second', { time: '2025-01-01T00:00:01Z' }],
  ['by another manager', { manager: 'other' }],
  ['by another door', { subresource: 'status' }],
])('what is done %s is told apart', (_name, other) => {
  const after = world();
  const change = [{}, { spec: { a: 'x' } }] as const;
  for (let round = 0; round < 3; round++) after(nobody, change);
  const one = after(nobody, change);
  expect(after(nobody, change, other)).not.toBe(one);
  expect(after(nobody, change, other)).toEqual(after(nobody, change, other));
  expect(after(nobody, change)).toBe(one);
});

test('the same change to what others own is told apart, and so is what goes', () => {
  const after = world();
  const made = (): Owners => after(nobody, [{}, { spec: { a: 'x', b: 'x' } }], { manager: 'maker' }) ?? nobody;
  const owners = [made(), made(), made()].at(-1) ?? nobody;
  const grown = [{ spec: { a: 'x', b: 'x' } }, { spec: { a: 'y', b: 'x' } }] as const;
  const moved = [{ spec: { a: 'x', b: 'x' } }, { spec: { a: 'y' } }] as const;
  for (let round = 0; round < 3; round++) {
    expect(after(owners, grown)).not.toEqual(after(owners, moved));
    expect(after(nobody, grown)).not.toEqual(after(owners, grown));
  }
});

test('what has an address in it is owned as anything else', () => {
  const after = world();
  for (let index = 0; index < 20; index++) {
    const change = [{}, { spec: { a: 'x' }, ips: [{ ip: `10.0.0.${index}` }] }] as const;
    expect(after(nobody, change)?.[0]?.fieldsV1['f:ips']).toEqual({
      '.': {},
      [`k:{"ip":"10.0.0.${index}"}`]: { '.': {}, 'f:ip': {} },
    });
  }
});

test('where nobody is left there are no owners, and a list that was made here is not made again', () => {
  const after = world();
  const owners = after(nobody, [{}, { spec: { a: 'x' } }]) ?? nobody;
  expect(after(owners, [{ spec: { a: 'x' } }, {}])).toBeUndefined();
  expect(listed(owners)).toBe(owners);
  expect(Object.isFrozen(listed([...owners]))).toBe(true);
});
