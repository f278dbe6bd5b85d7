import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lease } from '../api/generated/coordination-v1.ts';
import { leases } from '../api/generated/kinds.ts';
import { failure, StatusError } from '../api/status.ts';
import { sleep, toMicroTimestamp } from '../base/clock.ts';
import { seededRandom, systemRandom } from '../base/random.ts';
import { createClient } from '../client/create-client.ts';
import { createTestPlane, type TestPlane } from '../testing/plane.ts';
import { leaseIdentity, planLease, runWithLease, type SeenLease } from './lease.ts';

const place = { namespace: 'kube-system', name: 'operator' };

describe('what a candidate does about the lease that it sees', () => {
  const lease = (spec: Lease['spec']): Lease => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...place, uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec,
  });
  const held = lease({ holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: 3, acquireTime: 'then' });
  const now = toMicroTimestamp(100_000);
  const claim = { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: now };

  test.each<[string, SeenLease, unknown]>([
    [
      'makes the one that is missing',
      { lease: undefined, sinceMs: 0 },
      { do: 'create', spec: { ...claim, acquireTime: now, leaseTransitions: 0 } },
    ],
    ['waits while its holder may still work', { lease: held, sinceMs: 85_001 }, { do: 'wait', holder: 'b' }],
    [
      'takes the one that nobody has renewed for its whole time',
      { lease: held, sinceMs: 85_000 },
      { do: 'update', spec: { ...claim, acquireTime: now, leaseTransitions: 4 } },
    ],
    [
      'believes the holder about the time, not itself',
      { lease: lease({ holderIdentity: 'b', leaseDurationSeconds: 60 }), sinceMs: 50_000 },
      { do: 'wait', holder: 'b' },
    ],
    [
      'takes the one that was given back at once',
      { lease: lease({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 1 }), sinceMs: 100_000 },
      { do: 'update', spec: { ...claim, acquireTime: now, leaseTransitions: 2 } },
    ],
    [
      'renews its own and keeps since when it holds it',
      { lease: lease({ ...held.spec, holderIdentity: 'a' }), sinceMs: 0 },
      { do: 'update', spec: { ...claim, acquireTime: 'then', leaseTransitions: 3 } },
    ],
  ])('%s', (_, seen, expected) => {
    const step = planLease(seen, { ...place, identity: 'a', nowMs: 100_000, leaseMs: 15_000 });
    expect(step.do === 'wait' ? step : { do: step.do, spec: step.object.spec }).toEqual(expected);
  });

  test('writes over exactly the version that it has seen', () => {
    const step = planLease({ lease: held, sinceMs: 0 }, { ...place, identity: 'a', nowMs: 100_000, leaseMs: 15_000 });
    expect(step).toMatchObject({ object: { metadata: { resourceVersion: '1', uid: 'u' } } });
  });
});

/** No answer, until whoever asked gives up. */
const silence = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('candidates on one cluster', () => {
  let plane: TestPlane;
  let story: string[];
  beforeEach(async () => {
    plane = await createTestPlane();
    story = [];
  });
  afterEach(() => plane.close());

  interface Candidate {
    stop(): void;
    cut: boolean;
    /** Whether nothing comes back on the connection that it has. */
    isDead: boolean;
    /** How long every answer takes. */
    answerMs: number;
    /** Requests, by verb. */
    readonly asked: string[];
    /** Called after each write, before it is answered. */
    written: () => void;
    readonly ended: Promise<void>;
  }

  const candidate = (identity: string, work?: (signal: AbortSignal) => Promise<void>): Candidate => {
    const ending = new AbortController();
    const link = { cut: false, isDead: false, answerMs: 0, asked: [] as string[], written: (): void => undefined };
    const client = createClient(
      {
        async perform(operation, waiting) {
          // The next connection is another one.
          if (link.isDead) return silence(waiting.signal).finally(() => (link.isDead = false));
          if (link.answerMs > 0) await sleep(plane.clock, link.answerMs, { signal: waiting.signal });
          if (link.cut) throw new StatusError(failure(503, 'ServiceUnavailable', 'no route'));
          link.asked.push(operation.verb);
          return plane.server.perform(operation, waiting).finally(() => operation.verb !== 'get' && link.written());
        },
        watch: (operation, waiting) => plane.server.watch(operation, waiting),
      },
      plane.client.user,
    );
    const untilAborted = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const ended = runWithLease(
      {
        ...place,
        client,
        clock: plane.clock,
        random: seededRandom(identity),
        identity,
        report: (message) => story.push(message),
      },
      async ({ signal }) => {
        story.push(`${identity} begins`);
        await (work ?? untilAborted)(signal);
        story.push(`${identity} ends`);
      },
      { signal: ending.signal },
    );
    ended.catch(() => undefined);
    return Object.assign(link, { stop: () => ending.abort(new Error('stop')), ended });
  };
  const begun = (): readonly string[] => story.filter((line) => /^\w+ (begins|ends)$/.test(line));
  const holder = async (): Promise<string | undefined> =>
    (await plane.find(leases, place.name, place.namespace))?.spec.holderIdentity;

  test('one works, the other waits; who stops in order gives way within seconds', async () => {
    const a = candidate('a');
    await plane.clock.advance(1_000);
    const b = candidate('b');
    await plane.clock.advance(60_000);
    expect(begun()).toEqual(['a begins']);
    expect(story).toContain('a holds the lease kube-system/operator; waiting');
    a.stop();
    await plane.clock.advance(5_000);
    await a.ended;
    expect(begun()).toEqual(['a begins', 'a ends', 'b begins']);
    b.stop();
    await plane.clock.advance(1_000);
    await b.ended;
    expect(await holder()).toBe('');
  });

  test('two processes on hosts of one name: exactly one works', async () => {
    const names = [leaseIdentity('web-0', systemRandom()), leaseIdentity('web-0', systemRandom())];
    expect(names).toEqual([expect.stringMatching(/^web-0_[0-9a-f-]{36}$/), expect.stringMatching(/^web-0_/)]);
    const both = names.map((name) => candidate(name));
    await plane.clock.advance(60_000);
    const first = story.filter((line) => line.endsWith(' begins')).map((line) => line.split(' ')[0]);
    expect(first).toHaveLength(1);
    both[names.indexOf(first[0] ?? '')]?.stop();
    await plane.clock.advance(10_000);
    expect(story.filter((line) => / (begins|ends)$/.test(line)).map((line) => line.split(' ')[1])).toEqual([
      'begins',
      'ends',
      'begins',
    ]);
    for (const each of both) each.stop();
    await plane.clock.advance(1_000);
    await Promise.all(both.map(({ ended }) => ended));
  });

  test('a holder that cannot renew stops before the other begins, and works again later', async () => {
    const a = candidate('a');
    await plane.clock.advance(5_000);
    const b = candidate('b');
    a.cut = true;
    await plane.clock.advance(13_000);
    expect(begun()).toEqual(['a begins', 'a ends']);
    await plane.clock.advance(12_000);
    expect(begun()).toEqual(['a begins', 'a ends', 'b begins']);
    a.cut = false;
    await plane.clock.advance(30_000);
    expect(begun()).toHaveLength(3);
    b.stop();
    await plane.clock.advance(5_000);
    expect(begun().at(-1)).toBe('a begins');
    a.stop();
    await plane.clock.advance(1_000);
    await Promise.all([a.ended, b.ended]);
  });

  test('who was stopped may not write when it goes on, though nobody has told it yet', async () => {
    let stoppedMs = 0;
    const stopping = { ...plane.clock, nowMs: () => plane.clock.nowMs() + stoppedMs };
    let isHeld: (() => boolean) | undefined;
    const ending = new AbortController();
    const ended = runWithLease(
      {
        ...place,
        client: plane.client,
        clock: stopping,
        random: seededRandom('a'),
        identity: 'a',
        report: (message) => story.push(message),
      },
      async (holding) => {
        isHeld = holding.isHeld;
        await new Promise<void>((resolve) => holding.signal.addEventListener('abort', () => resolve(), { once: true }));
      },
      { signal: ending.signal },
    );
    await plane.clock.advance(60_000);
    expect(isHeld?.()).toBe(true);
    stoppedMs = 10_000;
    expect(isHeld?.()).toBe(false);
    // Nobody took it meanwhile.
    await plane.clock.advance(3_000);
    expect(isHeld?.()).toBe(true);
    ending.abort(new Error('stop'));
    await plane.clock.advance(1_000);
    await ended;
  });

  test('a connection that dies without a word, and the holder with it: the other has the lease within 20 seconds', async () => {
    for (const aliveMs of [10_000, 10_700, 11_400, 12_100, 13_900]) {
      story.splice(0);
      const a = candidate(`a${aliveMs}`);
      await plane.clock.advance(5_000);
      const b = candidate(`b${aliveMs}`);
      await plane.clock.advance(aliveMs);
      a.cut = true;
      b.isDead = true;
      await plane.clock.advance(20_000);
      expect(begun().at(-1)).toBe(`b${aliveMs} begins`);
      a.stop();
      b.stop();
      await plane.clock.advance(5_000);
      await Promise.all([a.ended, b.ended]);
    }
  });

  test('a server that takes longer for its answers than a dead connection gets has its time in the end', async () => {
    const b = candidate('b');
    b.answerMs = 3_000;
    await plane.clock.advance(30_000);
    expect(begun()).toEqual(['b begins']);
    b.stop();
    await plane.clock.advance(30_000);
    await b.ended;
  });

  test('whenever the holder dies, the other has the lease within 18 seconds', async () => {
    for (const aliveMs of [10_000, 10_700, 11_400, 12_100, 13_900]) {
      story.splice(0);
      const a = candidate(`a${aliveMs}`);
      await plane.clock.advance(5_000);
      const b = candidate(`b${aliveMs}`);
      await plane.clock.advance(aliveMs);
      a.cut = true;
      await plane.clock.advance(18_000);
      expect(begun().at(-1)).toBe(`b${aliveMs} begins`);
      a.stop();
      b.stop();
      await plane.clock.advance(5_000);
      await Promise.all([a.ended, b.ended]);
    }
  });

  test('a short failure is survived', async () => {
    const a = candidate('a');
    await plane.clock.advance(5_000);
    a.cut = true;
    await plane.clock.advance(7_000);
    a.cut = false;
    await plane.clock.advance(60_000);
    expect(begun()).toEqual(['a begins']);
    a.stop();
    await plane.clock.advance(1_000);
    await a.ended;
  });

  test('a holder asks nobody what it knows: it writes every two seconds, and nothing else', async () => {
    const a = candidate('a');
    await plane.clock.advance(1_000);
    a.asked.splice(0);
    await plane.clock.advance(60_000);
    expect(a.asked).toEqual(Array.from({ length: 30 }, () => 'update'));
    a.stop();
    await plane.clock.advance(1_000);
    await a.ended;
  });

  test('a lease that somebody else has labelled, or deleted, is renewed all the same', async () => {
    const a = candidate('a');
    await plane.clock.advance(5_000);
    const body = { metadata: { labels: { seen: 'yes' } } };
    await plane.client.patch(leases, { ...place, patchType: 'merge', body, signal: plane.signal });
    await plane.clock.advance(20_000);
    expect((await plane.find(leases, place.name, place.namespace))?.metadata.labels).toEqual({ seen: 'yes' });
    await plane.client.delete(leases, { ...place, signal: plane.signal });
    await plane.clock.advance(20_000);
    expect(await holder()).toBe('a');
    expect(begun()).toEqual(['a begins']);
    expect(story).toEqual(['a holds the lease kube-system/operator and works', 'a begins']);
    a.stop();
    await plane.clock.advance(1_000);
    await a.ended;
  });

  test('whoever takes the lease away ends the work at once', async () => {
    const a = candidate('a');
    await plane.clock.advance(5_000);
    await plane.client.patch(leases, {
      ...place,
      patchType: 'merge',
      body: { spec: { holderIdentity: 'thief' } },
      signal: plane.signal,
    });
    await plane.clock.advance(2_100);
    expect(begun()).toEqual(['a begins', 'a ends']);
    expect(story).toContain('lost the lease kube-system/operator to thief');
    a.stop();
    await plane.clock.advance(1_000);
    await a.ended;
    expect(await holder()).toBe('thief');
  });

  test('who is told to stop while it takes the lease does not work for ever, and gives it back', async () => {
    const a = candidate('a');
    a.written = () => a.stop();
    await plane.clock.advance(1_000);
    await a.ended;
    expect(story).toContain('a holds the lease kube-system/operator and works');
    expect(await holder()).toBe('');
  });

  test('work that ends by itself gives the lease back', async () => {
    const a = candidate('a', async () => undefined);
    await plane.clock.advance(1_000);
    await a.ended;
    expect(await holder()).toBe('');
  });

  test('work that fails gives the lease back and tells why', async () => {
    const a = candidate('a', () => Promise.reject(new Error('broken')));
    await plane.clock.advance(1_000);
    await expect(a.ended).rejects.toThrow('broken');
    expect(await holder()).toBe('');
  });
});
