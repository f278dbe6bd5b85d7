import { afterEach, expect, test } from 'vitest';
import { pods } from '../api/generated/kinds.ts';
import { failure, StatusError } from '../api/status.ts';
import { seededRandom } from '../base/random.ts';
import { createClient } from '../client/create-client.ts';
import type { Transport } from '../client/transport.ts';
import { createEventRecorder } from '../runtime/events.ts';
import { createTestPlane, type TestPlane } from '../testing/plane.ts';
import { createOutcomes } from './outcome.ts';
import { podView } from './pod-view.ts';
import type { MakesRoom } from './preempt.ts';

let plane: TestPlane;
afterEach(() => plane.close());

/** Evicts a pod; what was asked for, and what a watch shows of it. */
async function evict(
  between: (inner: Transport) => Transport,
  { isGoing = false, isGone = false }: { readonly isGoing?: boolean; readonly isGone?: boolean } = {},
): Promise<readonly string[]> {
  plane = await createTestPlane();
  const { client, server, clock, signal } = plane;
  const seen: string[] = [];
  const recorded: Transport = {
    perform(operation, waiting) {
      seen.push(operation.verb);
      return server.perform(operation, waiting);
    },
    dismissEach(operation, waiting) {
      seen.push('dismiss');
      return server.dismissEach?.(operation, waiting) ?? Promise.reject(new Error('it can'));
    },
    watch: (operation, waiting) => server.watch(operation, waiting),
  };
  const asking = createClient(between(recorded), client.user);
  const events = createEventRecorder({ client, clock, random: seededRandom('events'), source: 'default-scheduler' });
  const outcomes = createOutcomes({ client: asking, events, clock, signal, schedulerName: 'default-scheduler' });
  const spec = { containers: [{ name: 'main', image: 'main' }], ...(isGoing && { nodeName: 'node' }) };
  const at = { namespace: 'default', name: 'victim', signal };
  const metadata = { namespace: 'default', name: 'victim' };
  let made = await client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec }, { signal });
  if (isGoing) {
    await client.delete(pods, at);
    made = await client.get(pods, at);
  }
  if (isGone) await client.delete(pods, { ...at, gracePeriodSeconds: 0 });
  const ending = new AbortController();
  const following = (async () => {
    const { resourceVersion } = made.metadata;
    for await (const event of client.watch(pods, { signal: ending.signal, resourceVersion }))
      if (event.type === 'MODIFIED' || event.type === 'DELETED')
        seen.push(
          `${event.type} ${event.object.status.conditions?.map(({ type, observedGeneration }) => `${type} ${observedGeneration}`).join()}`,
        );
  })().catch(() => undefined);
  const view = podView(made);
  const loss = { highest: 0, sum: 0, earliestStartMs: 0 };
  const room: MakesRoom = { outcome: 'makesRoom', node: 'node', victims: [view], violating: [], loss };
  const result = await outcomes.evict({ ...view, uid: 'preemptor' }, room).then(
    () => 'done',
    (error: unknown) => String(error),
  );
  await clock.settle();
  ending.abort();
  await following;
  return [...seen, result];
}

/** The condition, and which version of the pod the scheduler had seen. */
const gone = 'DELETED DisruptionTarget 1';

test('a victim is told why it has to go, and goes, with one write', async () => {
  expect(await evict((inner) => inner)).toEqual(['dismiss', gone, 'done']);
});

const oneByOne = ({ perform, watch }: Transport): Transport => ({ perform, watch });

test('where that takes two writes it is told why first', async () => {
  expect(await evict(oneByOne)).toEqual(['patch', 'MODIFIED DisruptionTarget 1', 'delete', gone, 'done']);
});

test('a victim that is going already is told why, so that the preemptor waits for it', async () => {
  const seen = await evict((inner) => inner, { isGoing: true });
  expect(seen).toEqual(['dismiss', 'MODIFIED DisruptionTarget 2', 'done']);
});

test('a victim that is gone has made room as well', async () => {
  expect((await evict((inner) => inner, { isGone: true })).at(-1)).toBe('done');
});

test('nobody is asked to go who could not be told why', async () => {
  const refusing = (inner: Transport): Transport => ({
    ...oneByOne(inner),
    perform: (operation, waiting) =>
      operation.verb === 'patch'
        ? Promise.reject(new StatusError(failure(403, 'Forbidden', 'not today')))
        : inner.perform(operation, waiting),
  });
  expect(await evict(refusing)).toEqual(['StatusError: not today']);
});

test.each([
  { is: 'there', isThere: true, left: undefined },
  { is: 'another one of its name', uid: 'other', isThere: true, left: 'node' },
  { is: 'gone', isThere: false, left: undefined },
])('a promise is taken from the pod that is meant: it is $is', async ({ uid, isThere, left }) => {
  plane = await createTestPlane();
  const { client, clock, signal } = plane;
  const events = createEventRecorder({ client, clock, random: seededRandom('events'), source: 'default-scheduler' });
  const outcomes = createOutcomes({ client, events, clock, signal, schedulerName: 'default-scheduler' });
  const at = { namespace: 'default', name: 'outdone', signal };
  const spec = { containers: [{ name: 'main', image: 'main' }] };
  const metadata = { namespace: 'default', name: 'outdone' };
  await client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec }, { signal });
  const body = { status: { nominatedNodeName: 'node' } };
  const pod = await client.patch(pods, { ...at, subresource: 'status', patchType: 'merge', body });
  if (!isThere) await client.delete(pods, { ...at, gracePeriodSeconds: 0 });
  const meant = { ...pod, metadata: { ...pod.metadata, uid: uid ?? pod.metadata.uid } };
  await outcomes.denominate(podView(meant));
  const now = await plane.find(pods, 'outdone', 'default');
  expect([now !== undefined, now?.status.nominatedNodeName]).toEqual([isThere, left]);
});
