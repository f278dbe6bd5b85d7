import { expect, test } from 'vitest';
import { configmaps } from '../api/generated/kinds.ts';
import { sleep } from '../base/clock.ts';
import { seededRandom } from '../base/random.ts';
import type { Informers } from '../client/informers.ts';
import { createVirtualClock, type VirtualClock } from '../testing/virtual-clock.ts';
import type { Component, Platform, Problem } from './component.ts';
import { type CreateComponent, createSupervisor, type Supervisor } from './supervisor.ts';

interface World {
  readonly clock: VirtualClock;
  readonly supervisor: Supervisor;
  readonly reported: string[];
  readonly listeners: Set<(event: never) => void>;
  readonly running: Promise<void>;
  end(): Promise<void>;
}

/** A platform of which parts use the clock and the informers' listeners only. */
function world(...parts: readonly CreateComponent[]): World {
  const clock = createVirtualClock();
  const reported: string[] = [];
  const listeners = new Set<(event: never) => void>();
  const informers = {
    listen(_: unknown, handle: (event: never) => void) {
      listeners.add(handle);
      return () => listeners.delete(handle);
    },
  } as unknown as Informers;
  const platform = {
    clock,
    random: seededRandom('supervisor'),
    informers,
    report: ({ message, error }: Problem) =>
      reported.push(`${message}: ${error instanceof Error ? error.message : ''}`),
  } as Partial<Platform> as Platform;
  const supervisor = createSupervisor(parts, platform);
  const ending = new AbortController();
  const running = supervisor.run({ signal: ending.signal });
  return {
    clock,
    supervisor,
    reported,
    listeners,
    running,
    async end() {
      ending.abort(new Error('the end'));
      await running;
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

const steady: CreateComponent = () => ({ name: 'steady', run: ({ signal }) => untilAborted(signal) });

/** Dies in its first `lives` lives, a minute after each birth. */
function dying(lives: number, during: (platform: Platform) => void = () => undefined): CreateComponent {
  let born = 0;
  return (platform): Component => {
    const life = ++born;
    return {
      name: 'dying',
      async run({ signal }) {
        during(platform);
        if (life > lives) return untilAborted(signal);
        await sleep(platform.clock, 60_000, { signal });
        throw new Error(`bug ${life}`);
      },
    };
  };
}

const isOf = ({ states }: Supervisor, name: string): string | undefined =>
  states.find((each) => each.name === name)?.is;

test('a part that dies is made anew after a pause, and the others do not notice', async () => {
  const { clock, supervisor, reported, end } = world(steady, dying(1));
  await clock.advance(60_000);
  expect(supervisor.states).toEqual([
    { name: 'steady', is: 'running', reason: undefined },
    { name: 'dying', is: 'restarting', reason: 'bug 1' },
  ]);
  expect(reported).toEqual([expect.stringMatching(/^dying died and starts again in 1\d\d\d ms: bug 1$/)]);
  await clock.advance(2_000);
  expect(isOf(supervisor, 'dying')).toBe('running');
  await end();
});

test('one that dies again and again is given up, with its reason', async () => {
  const { clock, supervisor, end } = world(steady, dying(9));
  await clock.advance(10 * 60_000);
  expect(isOf(supervisor, 'dying')).toBe('failed');
  expect(await supervisor.failed).toMatchObject({
    component: 'dying',
    message: 'dying died 5 times within ten minutes and is given up: bug 5',
  });
  expect(isOf(supervisor, 'steady')).toBe('running');
  await end();
});

test('a part that ends unasked has died, too', async () => {
  const { clock, supervisor, end } = world(() => ({ name: 'short', run: () => Promise.resolve() }));
  await clock.settle();
  expect(supervisor.states).toEqual([{ name: 'short', is: 'restarting', reason: 'it ended by itself' }]);
  await end();
});

test('one that cannot be made anew has died, too', async () => {
  let made = 0;
  const { clock, supervisor, end } = world((platform) => {
    if (++made === 2) throw new Error('not now');
    return dying(made === 1 ? 1 : 0)(platform);
  });
  await clock.advance(62_000);
  expect(supervisor.states).toEqual([{ name: 'dying', is: 'restarting', reason: 'not now' }]);
  await clock.advance(10_000);
  expect(isOf(supervisor, 'dying')).toBe('running');
  await end();
});

test('listeners of a life end with it, and what it left running hears of the end', async () => {
  const ended: string[] = [];
  const mortal = dying(1);
  const create: CreateComponent = (platform) => {
    const { name, run } = mortal(platform);
    return {
      name,
      async run({ signal }) {
        platform.informers.listen(configmaps, () => undefined);
        signal.addEventListener('abort', () => ended.push('left'));
        await run({ signal });
      },
    };
  };
  const { clock, listeners, end } = world(create);
  expect(listeners.size).toBe(1);
  await clock.advance(60_500);
  expect([listeners.size, ended]).toEqual([0, ['left']]);
  await clock.advance(2_000);
  expect(listeners.size).toBe(1);
  await end();
  expect(listeners.size).toBe(0);
});

test('what a listener throws is its own part’s death, and goes no further', async () => {
  const { clock, supervisor, listeners, end } = world(
    dying(0, ({ informers }) => {
      informers.listen(configmaps, () => {
        throw new Error('a listener’s bug');
      });
    }),
    steady,
  );
  for (const tell of listeners) expect(() => tell({} as never)).not.toThrow();
  await clock.settle();
  expect(supervisor.states).toMatchObject([{ is: 'restarting', reason: 'a listener’s bug' }, { is: 'running' }]);
  await end();
});

test('the end of the plane is nobody’s death', async () => {
  const { supervisor, reported, end } = world(steady, dying(1));
  await end();
  expect([reported, isOf(supervisor, 'dying')]).toEqual([[], 'running']);
});
