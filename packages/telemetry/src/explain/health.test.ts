import { expect, test } from 'vitest';
import type { TargetView } from './explanation.ts';
import { checked, readTargets, unaskedNotes } from './health.ts';

const prometheus = JSON.stringify({
  status: 'success',
  data: {
    activeTargets: [
      {
        scrapePool: 'a',
        discoveredLabels: { __address__: '10.0.0.1:80' },
        health: 'down',
        lastError: 'connection refused',
      },
      { scrapePool: 'b', discoveredLabels: { __address__: '10.0.0.1:80' }, health: 'up', lastError: '' },
    ],
  },
});
const agent = JSON.stringify({
  status: 'success',
  data: [
    {
      instance: 'm/one',
      target_group: 'a',
      state: 'down',
      discovered_labels: { __address__: '10.0.0.1:80' },
      scrape_error: 'connection refused',
    },
  ],
});
const target: TargetView = {
  of: '',
  address: '10.0.0.1:80',
  isImagined: false,
  discovered: { __address__: '10.0.0.1:80' },
  fate: { kept: true, labels: {}, shards: [1] },
};
const pod = (shard: number) => ({ pod: `m/agent-${shard}`, shard, path: `/${shard}` });

test.each([
  ['Prometheus', prometheus],
  ['the Grafana Agent', agent],
])('%s tells how a target is', (_, text) => {
  const told = [0, 1].map((shard) => ({ agent: pod(shard), answer: shard === 1 ? readTargets(text) : [] }));
  expect(checked(target, { name: 'a' }, told).health).toEqual([
    { pod: 'm/agent-1', state: 'down', lastError: 'connection refused' },
  ]);
});

test('an agent that has not the target says so, and those that do not answer are told of once', () => {
  const told = [
    { agent: pod(1), answer: readTargets(prometheus) },
    { agent: pod(1), answer: 'no route' },
  ];
  expect(checked(target, { name: 'c' }, told).health?.map(({ state }) => state)).toEqual(['unknown']);
  expect(unaskedNotes(told)).toEqual(['1 of 2 agents cannot be asked how their targets are; m/agent-1: no route']);
  expect(unaskedNotes(told.slice(0, 1))).toEqual([]);
});

test('an agent of another shard that has it says so', () => {
  const told = [0, 1].map((shard) => ({ agent: pod(shard), answer: shard === 0 ? readTargets(prometheus) : [] }));
  expect(checked(target, { name: 'b' }, told).health).toEqual([
    { pod: 'm/agent-0', state: 'up', lastError: '', shard: 0 },
  ]);
});

test('a target that is dropped is asked about nowhere', () => {
  const dropped: TargetView = { ...target, fate: { kept: false, by: undefined, reason: '' } };
  expect(checked(dropped, { name: 'a' }, [{ agent: pod(1), answer: readTargets(prometheus) }])).toBe(dropped);
});

test('an answer that is none is an error', () => {
  expect(() => readTargets('<html>')).toThrow(SyntaxError);
  expect(readTargets('{}')).toEqual([]);
});
