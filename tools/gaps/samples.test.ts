import { expect, test } from 'vitest';
import { parseScrapes } from './samples.ts';

const replicaLabel = 'prometheus_replica';
const answer = (...result: readonly object[]): string =>
  JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } });

test('the pod that scraped says which shard of which replica it is', () => {
  const metric = { __name__: 'up', job: 'app', instance: '10.64.0.3:80' };
  const text = answer(
    { metric: { ...metric, prometheus_replica: 'prom-agent-edge-1' }, values: [[1.25, '1']] },
    { metric: { prometheus_replica: 'prom-agent-edge-shard-12-0', ...metric }, values: [[2, '0'], [4.5, '1']] }, // biome-ignore format: rows
  );
  const target = '{instance="10.64.0.3:80",job="app"}';
  expect(parseScrapes(text, { replicaLabel })).toEqual([
    { target, replica: '1', shard: '0', atMs: 1_250, isUp: true },
    { target, replica: '0', shard: '12', atMs: 2_000, isUp: false },
    { target, replica: '0', shard: '12', atMs: 4_500, isUp: true },
  ]);
});

test('a label of another name', () => {
  const text = answer({ metric: { up: '1', pod: 'only' }, values: [[1, '1']] });
  expect(parseScrapes(text, { replicaLabel: 'pod' })).toMatchObject([{ replica: 'only', shard: '0' }]);
});

test.each([
  ['<html>', /no answer of Prometheus' query API: <html>/],
  ['{"status":"error","error":"parse error"}', /the query failed: parse error/],
  ['{"kind":"Status","message":"no"}', /the query failed: \{"kind"/],
  ['{"status":"success","data":{"resultType":"vector","result":[]}}', /this is a vector: ask with a range/],
  [answer({ metric: { job: 'app' }, values: [] }), /no label prometheus_replica: \{"job":"app"\}/],
])('%j is refused', (text, message) => {
  expect(() => parseScrapes(text, { replicaLabel })).toThrow(message);
});
