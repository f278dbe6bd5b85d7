import { expect, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { pods } from '../../api/generated/kinds.ts';
import { systemClock } from '../../base/clock.ts';
import { saidOf } from '../../resources/core/pod/facts.ts';
import { admin, createTestServer } from '../../testing/api-server.ts';
import { createIsSameClass } from '../../testing/hidden-classes.ts';
import type { Answer } from './codec/answer.ts';
import { createHandler } from './handler.ts';
import { listenLimits } from './listen.ts';

// In a process of its own: what other tests teach V8 of such forms would stay.
const isSameClass = createIsSameClass();

/** What a client sends that knows nothing of defaults. */
function body(name: string): Buffer {
  const resources = { requests: { cpu: '10m' } };
  const containers = [{ name: 'main', image: 'main:1', resources, ports: [{ containerPort: 80 }] }];
  return Buffer.from(JSON.stringify({ metadata: { name, labels: { app: 'web' } }, spec: { containers } }));
}

async function created(): Promise<{ readonly answers: readonly Answer[]; readonly stored: readonly object[] }> {
  const server = await createTestServer();
  const handle = createHandler({
    ...{ routes: [], api: server.server, clock: systemClock, limits: listenLimits },
    report: ({ error }) => {
      throw error;
    },
  });
  const answers: Answer[] = [];
  const stored: object[] = [];
  for (let index = 0; index < 20; index++) {
    const name = `pod-${index}`;
    const controller = new AbortController();
    const answer = await handle({
      head: { method: 'POST', target: '/api/v1/namespaces/default/pods', headers: {} },
      fault: undefined,
      authenticate: () => ({ is: 'user', user: admin }),
      body: async () => body(name),
      upgrades: false,
      connection: handle,
      signal: controller.signal,
      controller,
    });
    expect(answer.code).toBe(201);
    answers.push(answer);
    stored.push(await server.get(pods, name));
  }
  return { answers, stored };
}

/** Where two objects of one form are of two hidden classes. */
function* apart(a: unknown, b: unknown, at = ''): Iterable<string> {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Buffer.isBuffer(a)) return;
  if (!isSameClass(a, b)) yield at;
  for (const [key, value] of Object.entries(a))
    yield* apart(value, (b as Record<string, unknown>)[key], `${at}/${key}`);
}

/** Of the last ones neighbour by neighbour: V8 may learn something new of a form at any time, but not each time. */
function apartOfLast(objects: readonly object[]): readonly (readonly string[])[] {
  return [-1, -2, -3, -4].map((last) => [...apart(objects.at(last - 1), objects.at(last))]);
}

test('what many creates leave and are answered shares its hidden classes', async () => {
  // The first ones teach V8 what such objects look like.
  const rounds = [await created(), await created(), await created()];
  expect(rounds.flatMap(({ stored }) => apartOfLast(stored))).toContainEqual([]);
  expect(rounds.flatMap(({ answers }) => apartOfLast(answers))).toContainEqual([]);
});

test('what is said of many pods shares its hidden classes', async () => {
  const { stored } = await created();
  const said = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message: 'it has to go' };
  const conditions = stored.map((pod) => saidOf(pod as Pod, { said, now: '2026-01-01T00:00:00Z' }));
  expect(conditions[0]?.observedGeneration).toBe(1);
  expect(apartOfLast(conditions)).toEqual([[], [], [], []]);
});
