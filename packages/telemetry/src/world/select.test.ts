import { expect, test } from 'vitest';
import { podmonitors } from '../resources/pod-monitor.ts';
import { worldOfYaml } from '../testing/world.ts';
import { SelectorError } from './labels.ts';
import { compileSelection, type Selection } from './select.ts';

const world = worldOfYaml(`
apiVersion: v1
kind: Namespace
metadata: { name: shop, labels: { team: shop } }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: b, namespace: shop, labels: { agent: main, tier: "1" } }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: a, namespace: shop, labels: { agent: main } }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: c, namespace: monitoring, labels: { agent: other } }
`);
const selected = (selection: Partial<Selection>): readonly string[] =>
  world
    .select(podmonitors, { labels: undefined, namespaces: undefined, home: 'monitoring', ...selection })
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

test.each<[string, Partial<Selection>, readonly string[]]>([
  ['no label selector selects nothing', { namespaces: {} }, []],
  ['an empty label selector selects everything at home', { labels: {} }, ['monitoring/c']],
  [
    'an empty namespace selector means every namespace, sorted by namespace and name',
    { labels: {}, namespaces: {} },
    ['monitoring/c', 'shop/a', 'shop/b'],
  ],
  [
    'a namespace selector is matched against the labels of Namespaces',
    { labels: {}, namespaces: { matchLabels: { team: 'shop' } } },
    ['shop/a', 'shop/b'],
  ],
  [
    'the name label of a namespace is there even without a Namespace object',
    { labels: {}, namespaces: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
    ['monitoring/c'],
  ],
  [
    'a namespace selector that misses home leaves home out',
    { labels: {}, namespaces: { matchExpressions: [{ key: 'team', operator: 'Exists' }] } },
    ['shop/a', 'shop/b'],
  ],
  ['equality', { labels: { matchLabels: { agent: 'main' } }, namespaces: {} }, ['shop/a', 'shop/b']],
  [
    'In',
    { labels: { matchExpressions: [{ key: 'agent', operator: 'In', values: ['other', 'x'] }] }, namespaces: {} },
    ['monitoring/c'],
  ],
  [
    'NotIn also takes objects without the label',
    { labels: { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['1'] }] }, namespaces: {} },
    ['monitoring/c', 'shop/a'],
  ],
  [
    'DoesNotExist',
    { labels: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }, namespaces: {} },
    ['monitoring/c', 'shop/a'],
  ],
])('%s', (_, selection, expected) => expect(selected(selection)).toEqual(expected));

test.each<[string, Partial<Selection>, string]>([
  ['nothing is selected', {}, 'the selector is not set, so it selects nothing'],
  [
    'another namespace',
    { labels: {} },
    'it is in namespace "shop", and without a namespace selector only "monitoring" is searched',
  ],
  [
    'a namespace that does not match',
    { labels: {}, namespaces: { matchLabels: { team: 'ops' } } },
    'namespace "shop": label team is "shop", wanted "ops"',
  ],
  [
    'a label that does not match',
    { labels: { matchLabels: { agent: 'other' } }, namespaces: {} },
    'label agent is "main", wanted "other"',
  ],
  ['a label that is absent', { labels: { matchLabels: { x: 'y' } }, namespaces: {} }, 'label x is absent, wanted "y"'],
])('the verdict names the first reason: %s', (_, selection, reason) => {
  const verdictOf = compileSelection(
    { labels: undefined, namespaces: undefined, home: 'monitoring', ...selection },
    world.get,
  );
  const [object] = world.list(podmonitors, 'shop');
  expect(object && verdictOf(object)).toEqual({ selected: false, reason });
});

test.each([
  { key: 'a', operator: 'Near' },
  { key: 'a', operator: 'In' },
  { key: 'a', operator: 'NotIn', values: [] },
  { key: 'a', operator: 'Exists', values: ['b'] },
  { key: 'a', operator: 'DoesNotExist', values: ['b'] },
])('a selector that cannot be evaluated is refused: %j', (requirement) => {
  expect(() => selected({ labels: { matchExpressions: [requirement] } })).toThrow(SelectorError);
});

test('labels that are called like members of every object do not match by accident', () => {
  expect(
    selected({ labels: { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }, namespaces: {} }),
  ).toEqual([]);
});

test('a miss tells everything that is missing, and which selector says so', () => {
  const [, monitor] = world.list(podmonitors);
  const misses = (selection: Partial<Selection>): readonly string[] =>
    monitor === undefined
      ? []
      : compileSelection({ labels: undefined, namespaces: undefined, home: 'monitoring', ...selection }, world.get)
          .misses(monitor)
          .map(({ of, reason }) => `${of}: ${reason}`);
  const matchExpressions = [{ key: 'tier', operator: 'Exists' as const }];
  expect(misses({ labels: { matchLabels: { agent: 'other' }, matchExpressions } })).toEqual([
    'namespaces: it is in namespace "shop", and without a namespace selector only "monitoring" is searched',
    'labels: label agent is "main", wanted "other"',
    'labels: label tier is absent',
  ]);
  expect(misses({ labels: {}, namespaces: {} })).toEqual([]);
  expect(misses({})).toEqual(['not set: the selector is not set, so it selects nothing']);
});
