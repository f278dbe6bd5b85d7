import { type CacheEvent, type KubeObject, namespaces, type ResourceType, secrets } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { podmonitors } from '../resources/pod-monitor.ts';
import { objectsOf, worldOfYaml } from '../testing/world.ts';
import { createWakeIndex } from './wakes.ts';

const world = worldOfYaml('apiVersion: v1\nkind: Namespace\nmetadata: { name: shop, labels: { team: shop } }\n');
const object = (yaml: string): KubeObject => objectsOf(yaml)[0] as KubeObject;
const monitor = (labels: string, namespace = 'shop'): KubeObject =>
  object(
    `{ apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: { name: m, namespace: ${namespace}, labels: ${labels} } }`,
  );
const namespace = (labels: string): KubeObject =>
  object(`{ apiVersion: v1, kind: Namespace, metadata: { name: shop, labels: ${labels} } }`);
const secret = (name: string): KubeObject =>
  object(`{ apiVersion: v1, kind: Secret, metadata: { name: ${name}, namespace: shop } }`);
const added = (now: KubeObject): CacheEvent => ({ type: 'added', object: now, previous: undefined });
const updated = (previous: KubeObject, now: KubeObject): CacheEvent => ({ type: 'updated', object: now, previous });
const deleted = (gone: KubeObject): CacheEvent => ({ type: 'deleted', object: gone, previous: gone });

function woken(type: ResourceType, event: CacheEvent): readonly string[] {
  const index = createWakeIndex();
  const seen = index.follow('monitoring/agent', world);
  seen.get(secrets, 'shop/login');
  seen.select(podmonitors, {
    labels: { matchLabels: { agent: 'main' } },
    namespaces: { matchLabels: { team: 'shop' } },
    home: 'monitoring',
  });
  return [...index.rootsOf(type, event, world)];
}

test.each<[string, ResourceType, CacheEvent]>([
  ['an object that was looked up', secrets, updated(secret('login'), secret('login'))],
  ['an object that was looked up and missing', secrets, added(secret('login'))],
  ['a new object that a selection matches', podmonitors, added(monitor('{ agent: main }'))],
  [
    'an object that a selection still matches',
    podmonitors,
    updated(monitor('{ agent: main }'), monitor('{ agent: main }')),
  ],
  ['an object that loses the label', podmonitors, updated(monitor('{ agent: main }'), monitor('{}'))],
  ['an object that gains the label', podmonitors, updated(monitor('{}'), monitor('{ agent: main }'))],
  ['an object that goes', podmonitors, deleted(monitor('{ agent: main }'))],
  ['a namespace that gains the label', namespaces, updated(namespace('{}'), namespace('{ team: shop }'))],
  ['a namespace that loses the label', namespaces, updated(namespace('{ team: shop }'), namespace('{}'))],
  ['a namespace that comes with the label', namespaces, added(namespace('{ team: shop }'))],
])('%s wakes the root', (_, type, event) => expect(woken(type, event)).toEqual(['monitoring/agent']));

test.each<[string, ResourceType, CacheEvent]>([
  ['an object that nobody asked for', secrets, updated(secret('other'), secret('other'))],
  ['an object without the label', podmonitors, added(monitor('{ agent: other }'))],
  ['an object in a namespace without the label', podmonitors, added(monitor('{ agent: main }', 'elsewhere'))],
  [
    'a namespace whose other labels change',
    namespaces,
    updated(namespace('{ team: shop }'), namespace('{ team: shop, x: y }')),
  ],
  ['a namespace without the label', namespaces, added(namespace('{}'))],
])('%s lets the root sleep', (_, type, event) => expect(woken(type, event)).toEqual([]));

test('one resource in two hierarchies wakes both roots', () => {
  const index = createWakeIndex();
  for (const root of ['a/one', 'b/two']) index.follow(root, world).get(secrets, 'shop/login');
  expect([...index.rootsOf(secrets, added(secret('login')), world)]).toEqual(['a/one', 'b/two']);
  index.forget('a/one');
  expect([...index.rootsOf(secrets, added(secret('login')), world)]).toEqual(['b/two']);
});

test('what a root no longer asks for no longer wakes it', () => {
  const index = createWakeIndex();
  index.follow('a/one', world).get(secrets, 'shop/login');
  index.follow('a/one', world).get(secrets, 'shop/other');
  expect([...index.rootsOf(secrets, added(secret('login')), world)]).toEqual([]);
});
