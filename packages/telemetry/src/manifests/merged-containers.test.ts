import type { Container } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { mergedContainers } from './merged-containers.ts';

const own: readonly Container[] = [
  { name: 'config-reloader', image: 'a' },
  { name: 'grafana-agent', image: 'b' },
];

test.each<[string, readonly Container[], readonly string[]]>([
  ['none of the user’s', [], ['config-reloader a', 'grafana-agent b']],
  [
    'the user’s own come last, in their order',
    [{ name: 'mine', image: 'x' }, { name: 'grafana-agent', image: 'c' }, { name: 'also-mine' }],
    ['config-reloader a', 'grafana-agent c', 'mine x', 'also-mine undefined'],
  ],
  [
    'changes in another order change no order',
    [{ name: 'grafana-agent' }, { name: 'config-reloader', image: 'r' }],
    ['config-reloader r', 'grafana-agent b'],
  ],
])('%s', (_, containers, expected) => {
  const merged = mergedContainers({ containers: own, initContainers: [] }, { containers });
  expect(merged.containers.map(({ name, image }) => `${name} ${image}`)).toEqual(expected);
});
