import { describe, expect, test } from 'vitest';
import { resourceText, type ShownContainer } from '../../testing/fake-kubelet.ts';
import { parseReading, type Reading } from './reading.ts';
import { follow, nodeMeasure, type PodMeasure, podMeasure, type Series } from './series.ts';

const startMs = Date.UTC(2026, 0, 1);

/** Seconds after the start; the container began before it unless it is said. */
function at(seconds: number, ...containers: readonly Partial<ShownContainer>[]): Reading {
  const nowMs = startMs + seconds * 1_000;
  const usual = { pod: 'web', container: 'main', cpuSeconds: 0, memoryBytes: 1_024, startedMs: startMs - 3_600_000 };
  const shown = containers.map((each) => ({ ...usual, ...each }));
  return parseReading(resourceText(shown, nowMs), nowMs);
}

function after(...readings: readonly Reading[]): Series {
  const series = readings.reduce<Series | undefined>((known, reading) => follow(known, reading), undefined);
  if (series === undefined) throw new Error('no reading');
  return series;
}

const web = (...readings: readonly Reading[]): PodMeasure | undefined => podMeasure(after(...readings), 'default/web');
const cpuOf = (measure: PodMeasure | undefined): unknown => measure?.containers.get('main')?.cpuMilli;

describe('a reading', () => {
  test('has what is dated, and dates what is not', () => {
    const text = [
      '# HELP container_cpu_usage_seconds_total [STABLE] Cumulative cpu time',
      'container_cpu_usage_seconds_total{container="a",namespace="n",pod="p"} 1.5e+01 1700000000123',
      'container_memory_working_set_bytes{container="a",namespace="n",pod="p"} 2.048e+03',
      'container_cpu_usage_seconds_total{container="half",namespace="n",pod="p"} 3',
      'container_cpu_usage_seconds_total{container="x",namespace="n",pod="q"} NaN',
      'pod_cpu_usage_seconds_total{namespace="n",pod="p"} 3',
      'node_cpu_usage_seconds_total 7',
      'node_memory_working_set_bytes 9',
      'scrape_error 0',
      'broken{',
    ].join('\n');
    const { node, pods } = parseReading(text, 5);
    expect(node).toEqual({ cpuSeconds: 7, memoryBytes: 9, takenMs: 5, startedMs: undefined });
    const a = { cpuSeconds: 15, memoryBytes: 2_048, takenMs: 1_700_000_000_123, startedMs: undefined };
    expect(pods).toEqual(new Map([['n/p', new Map([['a', a]])]]));
  });
});

describe('a pod', () => {
  test('is measured by two readings', () => {
    expect(web(at(0, { cpuSeconds: 10 }))).toBeUndefined();
    expect(web(at(0, { cpuSeconds: 10 }), at(15, { cpuSeconds: 13, memoryBytes: 2_048 }))).toEqual({
      takenMs: startMs + 15_000,
      windowMs: 15_000,
      containers: new Map([['main', { cpuMilli: 200, memoryBytes: 2_048 }]]),
    });
  });

  test('that has just begun is measured from its start, once that says anything', () => {
    const startedMs = startMs;
    expect(web(at(9, { cpuSeconds: 6, startedMs }))).toBeUndefined();
    const measure = web(at(12, { cpuSeconds: 6, startedMs }));
    expect([cpuOf(measure), measure?.windowMs]).toEqual([500, 12_000]);
    expect(cpuOf(web(at(12, { cpuSeconds: 6, startedMs }), at(27, { cpuSeconds: 9, startedMs })))).toBe(200);
  });

  test('that began again is not measured by what it was before', () => {
    const again = at(15, { cpuSeconds: 50, startedMs: startMs + 8_000 });
    expect(web(at(0, { cpuSeconds: 10 }), again)).toBeUndefined();
    // Also where nobody says when it started.
    expect(web(at(0, { cpuSeconds: 10 }), at(15, { cpuSeconds: 5 }))).toBeUndefined();
  });

  test('keeps its measure when the node says the same again', () => {
    const [first, second] = [at(0, { cpuSeconds: 0 }), at(15, { cpuSeconds: 3 })];
    expect(cpuOf(web(first, second, second))).toBe(200);
  });

  test('is a gap while one of its containers is, and when nobody speaks of it any more', () => {
    const [a, b] = [{ cpuSeconds: 1 }, { cpuSeconds: 2, container: 'new' }];
    expect(web(at(0, a), at(15, a, b))).toBeUndefined();
    expect([...(web(at(0, a), at(15, a, b), at(30, a, b))?.containers.keys() ?? [])]).toEqual(['main', 'new']);
    expect(web(at(0, a), at(15, a), at(30))).toBeUndefined();
    expect(web(at(0, a), at(15), at(30, a))).toBeUndefined();
  });
});

describe('a node', () => {
  test('is measured by its own counter', () => {
    const series = after(at(0, { cpuSeconds: 10 }), at(15, { cpuSeconds: 13 }));
    expect(nodeMeasure(series)).toMatchObject({ windowMs: 15_000, usage: { cpuMilli: 200, memoryBytes: 1_024 } });
    expect(nodeMeasure(after(at(0)))).toBeUndefined();
  });

  test('by the pods that are left where its counter fell with one that ended', () => {
    const [web, gone] = [{ cpuSeconds: 10 }, { cpuSeconds: 100, pod: 'gone' }];
    const series = after(at(0, web, gone), at(15, { cpuSeconds: 13 }));
    expect(nodeMeasure(series)).toMatchObject({ windowMs: 15_000, usage: { cpuMilli: 200, memoryBytes: 1_024 } });
  });
});
