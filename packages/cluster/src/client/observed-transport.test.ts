import { expect, test } from 'vitest';
import { configmaps, pods, statefulsets } from '../api/generated/kinds.ts';
import type { Outcome, WatchEvent } from '../api/operation.ts';
import { failure, StatusError } from '../api/status.ts';
import { sleep } from '../base/clock.ts';
import { createVirtualClock, type VirtualClock } from '../testing/virtual-clock.ts';
import { createClient } from './create-client.ts';
import { fencedTransport } from './fenced-transport.ts';
import { type AnsweredRequest, type EndedWatch, observedTransport } from './observed-transport.ts';
import type { Transport } from './transport.ts';

const { signal } = new AbortController();

interface Fake {
  readonly perform?: (clock: VirtualClock) => Promise<Outcome>;
  readonly watch?: () => AsyncIterable<WatchEvent>;
}

function setUp({ perform, watch }: Fake): {
  readonly clock: VirtualClock;
  readonly client: ReturnType<typeof createClient>;
  readonly told: (AnsweredRequest | EndedWatch)[];
  /** How many were on their way. */
  asked(): number;
} {
  const clock = createVirtualClock({ startMs: 0 });
  const told: (AnsweredRequest | EndedWatch)[] = [];
  const note = (each: AnsweredRequest | EndedWatch): void => void told.push(each);
  let asked = 0;
  const fake: Transport = {
    perform: () => perform?.(clock) ?? Promise.reject(new Error('not asked for')),
    watch: () => watch?.() ?? (async function* () {})(),
  };
  const transport = observedTransport(fake, {
    clock,
    observer: { asked: () => void asked++, answered: note, watchEnded: note },
  });
  return { clock, told, asked: () => asked, client: createClient(transport, { name: '', groups: [] }) };
}

test('an answer is told with its code and how long it took', async () => {
  const { clock, client, told } = setUp({
    perform: async (at) => {
      await sleep(at, 250, { signal });
      return { code: 201, object: { metadata: { name: 'a' } } as never, warnings: [] };
    },
  });
  const asked = client.create(configmaps, { metadata: { namespace: 'a', name: 'a' } } as never, { signal });
  await clock.advance(1_000);
  await asked;
  expect(told).toEqual([
    { verb: 'create', resource: 'configmaps', subresource: undefined, code: 201, durationMs: 250 },
  ]);
});

test('a refusal is told and handed on, of a subresource with its name', async () => {
  const refused = new StatusError(failure(409, 'Conflict', 'it has changed', {}));
  const { client, told } = setUp({ perform: () => Promise.reject(refused) });
  const asked = client.update(statefulsets, { metadata: { namespace: 'a', name: 'a' } } as never, {
    signal,
    subresource: 'status',
  });
  await expect(asked).rejects.toBe(refused);
  expect(told).toMatchObject([{ verb: 'update', resource: 'statefulsets.apps', subresource: 'status', code: 409 }]);
});

test('what its caller gave up is told as asked, and as nothing else', async () => {
  const ending = new AbortController();
  const { client, told, asked } = setUp({
    perform: () => {
      ending.abort(new Error('enough'));
      return Promise.reject(new Error('enough'));
    },
  });
  await expect(client.get(pods, { namespace: 'a', name: 'a', signal: ending.signal })).rejects.toThrow('enough');
  expect(told).toEqual([]);
  expect(asked()).toBe(1);
});

test.each([
  { what: 'is held back', holds: [true], codes: [] },
  { what: 'has left once', holds: [false, true], codes: [503] },
])('a write that $what is told of with its codes', async ({ holds, codes }) => {
  const told: number[] = [];
  let tries = 0;
  const sending: Transport = {
    perform: async (_, { leaves }) => {
      for (const _each of holds) leaves?.();
      throw new Error('nobody comes here');
    },
    watch: () => (async function* () {})(),
  };
  const observed = observedTransport(sending, {
    clock: createVirtualClock({ startMs: 0 }),
    observer: { asked: () => undefined, answered: ({ code }) => void told.push(code), watchEnded: () => undefined },
  });
  // The first look is the fence's own, before anything is asked.
  const fenced = fencedTransport(observed, () => tries++ === 0 || holds[tries - 2] === false);
  const user = { name: '', groups: [] };
  const operation = { verb: 'delete', resource: pods, namespace: 'a', name: 'a', user, options: {} } as const;
  await expect(fenced.perform(operation, { signal })).rejects.toThrow('the lease was not renewed in time');
  expect(told).toEqual(codes);
});

test.each<[string, () => AsyncIterable<WatchEvent>, number]>([
  ['that ended', async function* () {}, 200],
  [
    'that has been forgotten',
    async function* (): AsyncGenerator<WatchEvent> {
      yield { type: 'ERROR', object: failure(410, 'Expired', 'too old', {}) } as WatchEvent;
    },
    410,
  ],
  [
    'that was refused',
    () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new StatusError(failure(403, 'Forbidden', 'no', {}))),
      }),
    }),
    403,
  ],
])('a watch %s is told with its code', async (_, watch, code) => {
  const { client, told } = setUp({ watch });
  await (async () => {
    for await (const _event of client.watch(pods, { signal }));
  })().catch(() => undefined);
  expect(told).toEqual([{ resource: 'pods', code }]);
});
