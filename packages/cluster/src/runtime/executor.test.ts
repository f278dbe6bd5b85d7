import { expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { configmaps, pods } from '../api/generated/kinds.ts';
import type { KubeObject, New } from '../api/meta.ts';
import type { Operation, Outcome } from '../api/operation.ts';
import { failure, notFound, StatusError } from '../api/status.ts';
import { createClient } from '../client/create-client.ts';
import type { Transport } from '../client/transport.ts';
import { makePod } from '../testing/makers.ts';
import type { EventRecorder, Happening } from './events.ts';
import { createExecutor, type Executor } from './executor.ts';
import type { Action, Create, Delete } from './plan.ts';

const { signal } = new AbortController();

interface SetUp {
  readonly executor: Executor;
  /** `create a`, and `|` where the executor waited for what went before. */
  readonly log: string[];
  readonly happenings: Happening[];
}

/** An API that answers each batch only after it has seen the whole of it. */
function setUp(refuse: (operation: Operation) => StatusError | undefined = () => undefined): SetUp {
  const log: string[] = [];
  let inFlight = 0;
  const transport: Transport = {
    async perform(operation): Promise<Outcome> {
      if (inFlight === 0 && log.length > 0) log.push('|');
      inFlight++;
      const name = 'name' in operation ? operation.name : (operation as { body: New<KubeObject> }).body.metadata.name;
      log.push(`${operation.verb}${'subresource' in operation ? `/${operation.subresource}` : ''} ${name}`);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight--;
      const error = refuse(operation);
      if (error !== undefined) throw error;
      return { code: 200, object: makePod(name ?? '', { metadata: { resourceVersion: '7' } }), warnings: [] };
    },
    watch: () => {
      throw new Error('nobody watches here');
    },
  };
  const happenings: Happening[] = [];
  const events: EventRecorder = {
    emit: (happening) => happenings.push(happening),
    run: async () => undefined,
    dropped: 0,
  };
  const client = createClient(transport, { name: 'test', groups: [] });
  return { executor: createExecutor({ client, events }), log, happenings };
}

const owner = makePod('owner');
const create = (name: string, extra: Partial<Create> = {}): Create => ({
  do: 'create',
  type: pods,
  object: makePod(name) as unknown as New<Pod>,
  ...extra,
});
const remove = (name: string, extra: Partial<Delete> = {}): Delete => ({
  do: 'delete',
  type: pods,
  target: makePod(name),
  ...extra,
});
const quota = new StatusError(failure(403, 'Forbidden', 'exceeded quota'));

test('creates start slowly: 1, 2, 4 at once', async () => {
  const { executor, log } = setUp();
  const { written, failures } = await executor.run(
    'abcdefg'.split('').map((name) => create(name)),
    { signal },
  );
  expect(log.join(' ')).toBe('create a | create b create c | create d create e create f create g');
  expect(failures).toEqual([]);
  expect(written).toHaveLength(7);
});

test('whoever goes on with creates goes on as fast', async () => {
  const { executor, log } = setUp();
  const some = (names: string): readonly Action[] => names.split('').map((name) => create(name));
  const first = await executor.run(some('abcdef'), { signal });
  expect(first.createsAtOnce).toBe(4);
  log.length = 0;
  const { createsAtOnce } = await executor.run(some('ghijkl'), { signal, createsAtOnce: first.createsAtOnce });
  expect(log.join(' ')).toBe('create g create h create i create j | create k create l');
  expect(createsAtOnce).toBe(8);
});

test('whom a create is refused, or who creates nothing, begins slowly again', async () => {
  const refused = setUp((operation) => (operation.verb === 'create' ? quota : undefined));
  expect(await refused.executor.run([create('a')], { signal, createsAtOnce: 8 })).not.toMatchObject({
    createsAtOnce: 8,
  });
  const { executor } = setUp();
  const { createsAtOnce } = await executor.run([{ do: 'setStatus', type: pods, object: owner }], {
    signal,
    createsAtOnce: 8,
  });
  expect(createsAtOnce).toBeUndefined();
});

test('a refused create keeps the rest of them back, but nothing else', async () => {
  const { executor, log, happenings } = setUp((operation) => (operation.verb === 'create' ? quota : undefined));
  const announce = { regarding: owner, failed: { reason: 'FailedCreate', note: 'Error creating: {error}' } };
  const actions: readonly Action[] = [
    create('a', { announce }),
    create('b'),
    { do: 'setStatus', type: pods, object: owner },
  ];
  const { failures } = await executor.run(actions, { signal });
  expect(log.join(' ')).toBe('create a | update/status owner');
  expect(failures.map(({ message }) => message)).toEqual(['create pods a: exceeded quota']);
  expect(happenings.map(({ type, reason, note }) => `${type} ${reason} ${note}`)).toEqual([
    'Warning FailedCreate Error creating: exceeded quota',
  ]);
});

test('deletes run at once, each guarded by the uid; what is gone already counts as done', async () => {
  const { executor, log } = setUp((operation) =>
    'name' in operation && operation.name === 'b' ? new StatusError(notFound(pods, 'b')) : undefined,
  );
  const { written, failures } = await executor.run([remove('a'), remove('b')], { signal });
  expect(log.join(' ')).toBe('delete a delete b');
  expect(failures).toEqual([]);
  expect(written).toEqual([
    { kind: 'gone', type: pods, key: 'default/a', uid: 'uid-default-a' },
    { kind: 'gone', type: pods, key: 'default/b', uid: 'uid-default-b' },
  ]);
});

test('inOrder stops at the first failure', async () => {
  const { executor, log } = setUp((operation) => ('name' in operation && operation.name === 'a' ? quota : undefined));
  const { failures } = await executor.run([{ do: 'inOrder', actions: [remove('a'), create('b')] }, remove('c')], {
    signal,
  });
  expect(log.join(' ')).toBe('delete a | delete c');
  expect(failures).toHaveLength(1);
});

test('a create that may lose the race counts as done when it does', async () => {
  const taken = new StatusError(failure(409, 'AlreadyExists', 'taken'));
  const { executor, happenings } = setUp(() => taken);
  const announce = { regarding: owner, failed: { reason: 'FailedCreate', note: '{error}' } };
  const { failures } = await executor.run([create('a', { unless: ['AlreadyExists'], announce })], { signal });
  expect([failures, happenings]).toEqual([[], []]);
});

test('success is announced with the final name', async () => {
  const { executor, happenings } = setUp();
  const announce = { regarding: owner, done: { reason: 'SuccessfulCreate', note: 'Created pod: {name}' } };
  await executor.run([create('a', { announce })], { signal });
  expect(happenings).toEqual([
    { regarding: owner, type: 'Normal', reason: 'SuccessfulCreate', note: 'Created pod: a' },
  ]);
});

test('a namespace that goes away is no news', async () => {
  const leaving = new StatusError(
    failure(403, 'Forbidden', 'being terminated', { causes: [{ reason: 'NamespaceTerminating' }] }),
  );
  const { executor, happenings } = setUp(() => leaving);
  await executor.run(
    [create('a', { announce: { regarding: owner, failed: { reason: 'FailedCreate', note: '{error}' } } })],
    { signal },
  );
  expect(happenings).toEqual([]);
});

test('a patch carries the uid of what was observed', async () => {
  const bodies: unknown[] = [];
  const { executor } = setUp((operation) => {
    if (operation.verb === 'patch') bodies.push(operation.body);
    return undefined;
  });
  await executor.run(
    [{ do: 'patch', type: configmaps, target: owner, patchType: 'merge', body: { metadata: { labels: { a: '1' } } } }],
    { signal },
  );
  expect(bodies).toEqual([{ metadata: { labels: { a: '1' }, uid: 'uid-default-owner' } }]);
});

test('nothing is done on behalf of somebody who is gone, nor beside it', async () => {
  const patch = (object: KubeObject): Action => ({
    do: 'patch',
    type: configmaps,
    target: makePod('taken'),
    patchType: 'merge',
    body: {},
    onBehalfOf: { type: pods, object },
  });
  const gone = new StatusError(notFound(pods, 'owner'));
  const earlier = { ...owner, metadata: { ...owner.metadata, uid: 'an earlier one' } };
  const cases: readonly [string, StatusError | undefined, KubeObject][] = [
    ['get owner', gone, owner],
    ['get owner', undefined, earlier],
    ['get owner | patch taken | create a', undefined, owner],
  ];
  for (const [expected, refusal, object] of cases) {
    const { executor, log } = setUp(({ verb }) => (verb === 'get' ? refusal : undefined));
    const { failures } = await executor.run([patch(object), create('a')], { signal });
    expect(log.join(' ')).toBe(expected);
    const reasons = failures.map(({ cause }) => (cause instanceof StatusError ? cause.reason : undefined));
    expect(reasons).toEqual(expected === 'get owner' ? ['Conflict'] : []);
  }
});

test('an aborted signal ends the run with its reason', async () => {
  const { executor, log } = setUp();
  const ending = new AbortController();
  ending.abort(new Error('shutting down'));
  await expect(executor.run([create('a')], { signal: ending.signal })).rejects.toThrow('shutting down');
  expect(log).toEqual([]);
});

test('a refusal is told in each of its words, as they are, or not at all', async () => {
  const refused = new StatusError(failure(403, 'Forbidden', "no room for $& and {name}: it costs $'5"));
  const taken = new StatusError(failure(409, 'AlreadyExists', 'there is one'));
  const { executor, happenings } = setUp((operation) => (nameIn(operation) === 'b' ? taken : refused));
  const failed = [
    { reason: 'FailedCreate', note: 'claim {name}: {error}' },
    { reason: 'FailedCreate', note: 'pod: {error}' },
  ];
  const announce = { regarding: owner, failed, unsaid: ['AlreadyExists'] };
  const { failures } = await executor.run([create('a', { announce })], { signal });
  const later = await executor.run([create('b', { announce })], { signal });
  expect(happenings.map(({ note }) => note)).toEqual([
    "claim a: no room for $& and {name}: it costs $'5",
    "pod: no room for $& and {name}: it costs $'5",
  ]);
  // It is tried again all the same.
  expect([failures, later.failures].map(({ length }) => length)).toEqual([1, 1]);
});

test('a patch is told of as well', async () => {
  const { executor, happenings } = setUp();
  const announce = { regarding: owner, done: { reason: 'SuccessfulUpdate', note: 'update {name}' } };
  const patch: Action = { do: 'patch', type: pods, target: makePod('a'), patchType: 'merge', body: {}, announce };
  await executor.run([patch], { signal });
  expect(happenings.map(({ reason, note }) => `${reason} ${note}`)).toEqual(['SuccessfulUpdate update a']);
});

function nameIn(operation: Operation): string | undefined {
  return 'name' in operation ? operation.name : (operation as { body: New<KubeObject> }).body.metadata.name;
}
