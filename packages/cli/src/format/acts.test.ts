import { type Action, type Informers, type StatefulSet, statefulsets } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { actOf, hasDone, wouldDo } from './acts.ts';

const mark = 'signalbox.dev/input-hash';
const identity = { name: 'main', namespace: 'shop', uid: 'u', resourceVersion: '1', creationTimestamp: '' };

function set(annotations: Readonly<Record<string, string>>, replicas = 1): StatefulSet {
  const spec = { replicas, serviceName: 'x', selector: {}, template: { spec: { containers: [] } } };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...identity, annotations },
    spec,
    status: { replicas: 1 },
  };
}

function told(live: StatefulSet, object: StatefulSet): readonly string[] {
  const informers = { has: () => true, of: () => ({ get: () => live }) } as unknown as Pick<Informers, 'has' | 'of'>;
  const act = actOf({ do: 'update', type: statefulsets, object } as Action, informers);
  if (act === undefined) throw new Error('an update is worth a word');
  return [wouldDo(act), hasDone(act)];
}

test('an update says which fields change', () => {
  expect(told(set({ [mark]: 'a' }, 1), set({ [mark]: 'b' }, 2))[0]).toBe(
    'would change StatefulSet shop/main: spec.replicas',
  );
});

test('one that changes the mark alone says so: the first of an installation that is taken over, or another', () => {
  const marked = 'marked (signalbox.dev/input-hash), and nothing else';
  expect(told(set({}), set({ [mark]: 'b' }))).toEqual([
    `would change StatefulSet shop/main: ${marked}`,
    `changed StatefulSet shop/main: ${marked}`,
  ]);
  expect(told(set({ [mark]: 'a' }), set({ [mark]: 'b' }))[0]).toContain(marked);
});

test('another annotation is a field', () => {
  expect(told(set({ [mark]: 'a' }), set({ [mark]: 'b', 'example.com/a': 'b' }))[0]).toBe(
    'would change StatefulSet shop/main: metadata.annotations[example.com/a]',
  );
});
