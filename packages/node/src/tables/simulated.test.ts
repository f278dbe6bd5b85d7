import type { Pod } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { simulatedTable } from './simulated.ts';

const pod = (status: object, { annotations = {}, spec = {} } = {}): Pod =>
  ({
    metadata: { namespace: 'shop', name: 'web', annotations },
    spec: { nodeName: 'node-1', containers: [{ name: 'app', ports: [{ containerPort: 8080 }] }], ...spec },
    status: {
      ...{ podIP: '10.128.0.3', phase: 'Running', startTime: '2026-01-01T00:00:00Z' },
      ...{ conditions: [{ type: 'Ready', status: 'True' }] },
      ...status,
    },
  }) as unknown as Pod;

const web = {
  ...{ namespace: 'shop', name: 'web', node: 'node-1', address: '10.128.0.3', ports: [8080] },
  ...{ startedMs: Date.parse('2026-01-01T00:00:00Z'), series: 0 },
};

test('a simulated pod that runs answers on its TCP ports', () => {
  expect(simulatedTable([pod({})]).pods).toEqual([web]);
  const ports = [{ containerPort: 1 }, { containerPort: 2, protocol: 'UDP' }, { containerPort: 1 }];
  const containers = [{ name: 'a', ports }, { name: 'b' }];
  expect(simulatedTable([pod({}, { spec: { containers } })]).pods[0]?.ports).toEqual([1]);
});

test.each<[string, object]>([
  ['is of a real node', { podIP: '10.64.0.3' }],
  ['has no address yet', { podIP: undefined }],
  ['is on the host network of nowhere', { podIP: '192.0.2.1' }],
  ['has ended', { phase: 'Succeeded' }],
  ['is not ready', { conditions: [{ type: 'Ready', status: 'False' }] }],
])('one that %s does not', (_, status) => expect(simulatedTable([pod(status)]).pods).toEqual([]));

test('its counters begin anew with its container', () => {
  const containerStatuses = [{ state: { running: { startedAt: '2026-01-01T00:01:00Z' } } }, { state: {} }];
  expect(simulatedTable([pod({ containerStatuses })]).pods[0]?.startedMs).toBe(Date.parse('2026-01-01T00:01:00Z'));
});

test.each([
  ['100', 100],
  ['-1', 0],
  ['many', 0],
  ['1000000000', 100_000],
])('%s series are %i', (text, series) =>
  expect(simulatedTable([pod({}, { annotations: { 'signalbox.dev/series': text } })]).pods[0]?.series).toBe(series),
);
