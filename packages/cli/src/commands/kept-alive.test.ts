import { type Component, createSupervisor, type Platform } from '@signalbox/cluster';
import { createTestCluster } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';
import { keepAlive } from './kept-alive.ts';

/** A part whose first lives end with a bug. */
function mortal(deaths: number): { readonly create: () => Component; lives: number } {
  const part = {
    lives: 0,
    create: (): Component => ({
      name: 'mortal',
      async run({ signal }) {
        part.lives++;
        if (part.lives <= deaths) throw new Error('no such thing');
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
    }),
  };
  return part;
}

async function withPlatform(work: (platform: Platform, advance: (ms: number) => Promise<void>) => Promise<void>) {
  const cluster = await createTestCluster({ nodes: 0 });
  await work(cluster.platform, (ms) => cluster.advance(ms));
  await cluster.close();
}

test('a part that dies starts again, and all end with the signal', () =>
  withPlatform(async (platform, advance) => {
    const ending = new AbortController();
    const part = mortal(2);
    const running = keepAlive(createSupervisor([part.create], platform), { what: 'operator', signal: ending.signal });
    await advance(60_000);
    expect(part.lives).toBe(3);
    ending.abort(new Error('enough'));
    await running;
  }));

test('a part that dies again and again ends them with its reason', () =>
  withPlatform(async (platform, advance) => {
    const part = mortal(Infinity);
    const ending = new AbortController();
    const ended = keepAlive(createSupervisor([part.create], platform), {
      what: 'operator',
      signal: ending.signal,
    }).catch((error: Error) => error.message);
    await advance(10 * 60_000);
    expect(await ended).toBe(
      'the operator ends because mortal died 5 times within ten minutes and is given up: no such thing',
    );
    ending.abort();
  }));
