import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConfigMap } from '../api/generated/core-v1.ts';
import { configmaps } from '../api/generated/kinds.ts';
import { keyOf } from '../api/meta.ts';
import type { Index } from './cache.ts';
import { createObjectCache } from './object-cache.ts';
import { hasReached } from './resource-version.ts';

function configMap(
  namespace: string,
  name: string,
  options: { readonly owner?: string; readonly color?: string } = {},
): ConfigMap {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'x', uid: options.owner ?? '', controller: true };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace,
      name,
      uid: `${namespace}-${name}`,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(options.owner !== undefined && { ownerReferences: [owner] }),
      ...(options.color !== undefined && { labels: { color: options.color } }),
    },
  };
}

const byColor: Index<ConfigMap> = {
  name: 'color',
  valuesOf: ({ metadata }) => (metadata.labels?.color === undefined ? [] : [metadata.labels.color]),
};

test('objects are found by key, namespace, owner and declared index', () => {
  const cache = createObjectCache(configmaps);
  cache.put(configMap('a', 'x', { owner: 'u1', color: 'red' }));
  cache.put(configMap('a', 'y', { owner: 'u2' }));
  cache.put(configMap('b', 'x', { owner: 'u1' }));
  const names = (objects: Iterable<ConfigMap>): string[] => [...objects].map(keyOf);
  expect(cache.get('a/y')?.metadata.name).toBe('y');
  expect(names(cache.inNamespace('a'))).toEqual(['a/x', 'a/y']);
  expect(names(cache.ownedBy('u1'))).toEqual(['a/x', 'b/x']);
  expect(names(cache.by(byColor, 'red'))).toEqual(['a/x']);
  expect(names(cache.by(byColor, 'blue'))).toEqual([]);
});

test('an index follows every history of puts and removals', () => {
  const key = fc.constantFrom('a', 'b', 'c');
  const color = fc.constantFrom('red', 'blue', undefined);
  const step = fc.oneof(fc.record({ put: key, color }), fc.record({ remove: key }));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const cache = createObjectCache(configmaps);
      cache.by(byColor, 'red');
      for (const change of steps) {
        if ('remove' in change) cache.remove(`n/${change.remove}`);
        else cache.put(configMap('n', change.put, change.color === undefined ? {} : { color: change.color }));
        for (const value of ['red', 'blue'])
          expect(cache.by(byColor, value).map(keyOf).sort()).toEqual(
            [...cache.values()]
              .filter(({ metadata }) => metadata.labels?.color === value)
              .map(keyOf)
              .sort(),
          );
      }
    }),
  );
});

test('versions compare as numbers of any length', () => {
  expect([
    hasReached('9', '10'),
    hasReached('10', '9'),
    hasReached('10', '10'),
    hasReached('123456789012345678901', '99'),
  ]).toEqual([false, true, true, true]);
});
