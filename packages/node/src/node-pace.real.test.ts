/** How quickly a node starts pods, and what it costs while they do nothing. */
import { readFileSync } from 'node:fs';
import { pods } from '@signalbox/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { familyOf } from './testing/family.ts';
import { everybody } from './testing/real-inside.ts';
import { isRunning, pause, type RealNode, realNode, shellContainer } from './testing/real-node.ts';

/** Hundredths of a second of the processor's time that the process has had. */
function ticksOf(pid: number): number {
  const [user = '0', system = '0'] =
    readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? [];
  return Number(user) + Number(system);
}

function megabytesOf(pid: number): number {
  return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

const sleeps = [shellContainer('exec sleep 10000')];

describe.each(everybody)('as %s', (who) => {
  let node: RealNode;
  beforeAll(async () => {
    node = await realNode(who);
  });
  afterAll(() => node.end());

  /** When each of them was told to run. */
  const started = async (names: readonly string[]): Promise<readonly number[]> => {
    const ending = new AbortController();
    const { metadata } = await node.client.list(pods, { namespace: 'default' });
    const { resourceVersion = '' } = metadata;
    const events = node.client.watch(pods, { namespace: 'default', resourceVersion, signal: ending.signal } as never);
    const missing = new Map<string, number>();
    const tookMs: number[] = [];
    const seen = (async () => {
      for await (const event of events) {
        if (event.type !== 'MODIFIED' || !isRunning(event.object as never)) continue;
        const sinceMs = missing.get(event.object.metadata.name);
        if (sinceMs === undefined) continue;
        tookMs.push(performance.now() - sinceMs);
        missing.delete(event.object.metadata.name);
        if (tookMs.length === names.length) return;
      }
    })();
    for (const name of names) {
      missing.set(name, performance.now());
      await node.create(name, { containers: sleeps });
    }
    await seen;
    ending.abort();
    return tookMs.toSorted((a, b) => a - b);
  };

  test('one after the other, many at once, and then nothing', async () => {
    const alone: number[] = [];
    for (let number = 0; number < 10; number++) alone.push(...(await started([`alone-${number}`])));
    const p50 = alone.toSorted((a, b) => a - b)[5] ?? 0;
    const [, inside = 0] = familyOf(node.folder);
    await pause(2_000);
    const before = megabytesOf(node.pid) + megabytesOf(inside);
    const sinceMs = performance.now();
    await started(Array.from({ length: 90 }, (_, number) => `many-${number}`));
    const manyMs = performance.now() - sinceMs;
    await pause(3_000);
    const ticks = [node.pid, inside].map(ticksOf);
    await pause(10_000);
    const idle = [node.pid, inside].map((pid, index) => (ticksOf(pid) - (ticks[index] ?? 0)) / 10);
    const perPod = (megabytesOf(node.pid) + megabytesOf(inside) - before) / 90;
    console.log(
      `${who}: one pod ${p50.toFixed(0)} ms (p50); 90 at once ${manyMs.toFixed(0)} ms; idle with 100: agent ${idle[0]} %, inside ${idle[1]} %; ${perPod.toFixed(2)} MB a pod`,
    );
    // Generous: other tests may run beside this one.
    expect(p50).toBeLessThan(1_500);
    expect(manyMs).toBeLessThan(60_000);
    expect(Math.max(...idle)).toBeLessThan(10);
    expect(node.said).toEqual([]);
  });
});
