import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { level, type World, world } from '../../testing/server/seats-world.ts';

describe('laws', () => {
  const levels = [
    level('a', { nominal: 4, own: 2, most: 20 }),
    level('b', { nominal: 2, own: 2, most: 20 }),
    level('c', { nominal: 3, own: 0, most: 4 }),
    level('d', { nominal: 2, own: 1, most: 2 }, { queues: undefined }),
  ];
  const step = fc.oneof(
    fc.record({ does: fc.constant('arrive' as const), level: fc.nat(3), flow: fc.nat(4), wide: fc.nat(7) }),
    fc.record({ does: fc.constant('leave' as const), which: fc.nat(30), afterMs: fc.nat(50) }),
  );
  const steps = fc.array(step, { maxLength: 120 });
  type Steps = typeof steps extends fc.Arbitrary<infer T> ? T : never;

  interface Playing {
    readonly startMs?: number;
    /** Called after each step. */
    look?(w: World): void;
  }

  /** Plays them, and tells after each what is told. */
  function play(all: Steps, { startMs = 0, look }: Playing = {}): readonly string[] {
    const w = world(levels, { seats: 11, startMs });
    return all.map((one, index) => {
      let told = '';
      if (one.does === 'arrive') {
        const { name = '', seats: { nominal } = { nominal: 1 } } = levels[one.level] ?? {};
        // As a rule one; never more than are the level's.
        const seats = Math.min(nominal, Math.max(1, one.wide - 3));
        told = w.arrive(name, `f${one.flow}`, `${one.flow}-${index}`, { seats });
      } else {
        w.nowMs += one.afterMs;
        const name = [...w.running.keys()][one.which % Math.max(1, w.running.size)];
        if (name !== undefined) told = w.leave(name).join();
      }
      look?.(w);
      return told;
    });
  }

  test('there are never more seats taken than there are, and none is kept from whom it belongs to', () => {
    fc.assert(
      fc.property(steps, (all) => {
        play(all, {
          look({ queues, running }) {
            expect([...running.values()].reduce((sum, { seats = 1 }) => sum + seats, 0)).toBeLessThanOrEqual(11);
            for (const { level: of, taken, queue } of queues.levels()) {
              expect(taken).toBeLessThanOrEqual(of.seats.most);
              const widest = Math.max(0, ...[...queue.all()].flatMap((turns) => turns.map(({ seats = 1 }) => seats)));
              if (queue.size > 0) expect(taken + widest).toBeGreaterThan(Math.max(1, of.seats.own));
            }
          },
        });
      }),
    );
  });

  test('nobody waits while there is a seat that nobody else may ask for', () => {
    fc.assert(
      fc.property(steps, (all) => {
        play(all, { look: ({ queues, nowMs }) => expect(queues.next(nowMs)).toEqual([]) });
      }),
    );
  });

  test('nobody starves: once nobody comes any more, all that wait run', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let last: World | undefined;
        play(all, {
          look(w) {
            last = w;
          },
        });
        if (last === undefined) return;
        for (let name = first(last); name !== undefined; name = first(last)) last.leave(name);
        expect([...last.queues.levels()].map(({ queue }) => queue.size)).toEqual([0, 0, 0, 0]);
      }),
    );
    function first({ running }: World): string | undefined {
      return running.keys().next().value;
    }
  });

  test('a flow that comes anew is served before any other of its level was served twice', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(40)), { minLength: 1, maxLength: 60 }), (before) => {
        const w = world([level('a', { nominal: 1 }, { queues: { flowsMax: 9, lengthMax: 99 } })]);
        w.arrive('a', 'f0', 'f0-first');
        for (const [flow, takesMs] of before) {
          w.arrive('a', `f${flow}`);
          if (takesMs % 3 !== 0) continue;
          w.nowMs += takesMs;
          w.leave([...w.running.keys()][0] ?? '');
          w.arrive('a', `f${flow}`);
        }
        if (w.arrive('a', 'new', 'new') === 'runs') return;
        const served = new Map<string, number>();
        for (;;) {
          const [name = ''] = w.leave([...w.running.keys()][0] ?? '');
          if (name === 'new') return;
          const flow = name.slice(0, 2);
          served.set(flow, (served.get(flow) ?? 0) + 1);
          expect(served.get(flow)).toBe(1);
        }
      }),
    );
  });

  test('what happens follows from what was before, and not from what the clock says', () => {
    fc.assert(
      fc.property(steps, fc.nat(10 ** 12), (all, startMs) => {
        expect(play(all, { startMs })).toEqual(play(all));
      }),
    );
  });
});
