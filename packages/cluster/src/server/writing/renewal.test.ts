import { describe, expect, test } from 'vitest';
import type { Lease } from '../../api/generated/coordination-v1.ts';
import { leases } from '../../api/generated/kinds.ts';
import { StatusError } from '../../api/status.ts';
import { leaseDefinition } from '../../resources/coordination/lease.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { type AskOptions, createTestServer, type TestServer } from '../../testing/api-server.ts';
import type { Reviewer } from '../context/reviewer.ts';

const lease = (metadata: object = {}): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'node-1', ...metadata },
  spec: { holderIdentity: 'node-1', leaseDurationSeconds: 40, renewTime: '2025-01-01T00:00:00.000000Z' },
});

const renewed = (current: Lease, renewTime: string): Lease => ({ ...current, spec: { ...current.spec, renewTime } });

interface Counted extends TestServer {
  /** How often a lease was judged so far. */
  judged(): number;
}

async function counted(options: Parameters<typeof createTestServer>[0] = {}): Promise<Counted> {
  let count = 0;
  const definition: ResourceDefinition<Lease> = {
    ...leaseDefinition,
    *validate(object, at) {
      count += 1;
      yield* leaseDefinition.validate?.(object, at) ?? [];
    },
  };
  const server = await createTestServer({ definitions: [definition as unknown as ResourceDefinition], ...options });
  return { ...server, judged: () => count };
}

/** What comes of it: the object, or the refusal. */
async function told(work: Promise<{ readonly object: object }>): Promise<unknown> {
  try {
    return (await work).object;
  } catch (error) {
    return error instanceof StatusError ? error.status : error;
  }
}

interface Row {
  readonly does: string;
  readonly created?: AskOptions;
  readonly metadata?: object;
  readonly before?: (server: TestServer) => Promise<unknown>;
  readonly body?: (current: Lease) => object;
  readonly ask?: AskOptions;
  /** Whether it is known for a sign of life, so that nothing is judged again. */
  readonly isKnown: boolean;
}

const later = '2025-01-01T00:00:10.000000Z';
const agent: AskOptions = { manager: 'agent' };
const rows: readonly Row[] = [
  { does: 'a new time', isKnown: true },
  { does: 'a new time by who made it', created: agent, ask: agent, isKnown: true },
  { does: 'a new time for who belongs to something', metadata: { ownerReferences: [ownedBy()] }, isKnown: true },
  { does: 'a new time by somebody else', created: agent, ask: { manager: 'other' }, isKnown: false },
  {
    does: 'a new time of what several own',
    before: (server) => server.merge(leases, 'node-1', { manager: 'b', body: { metadata: { labels: { a: 'b' } } } }),
    isKnown: false,
  },
  {
    does: 'a new time where nobody owns anything',
    before: (server) => server.merge(leases, 'node-1', { body: { metadata: { managedFields: [{}] } } }),
    isKnown: true,
  },
  { does: 'the same time', body: (current) => renewed(current, '2025-01-01T00:00:00.000000Z'), isKnown: false },
  { does: 'no time', body: (current) => renewed(current, 'tomorrow'), isKnown: false },
  {
    does: 'a day that there is not',
    body: (current) => renewed(current, '2025-13-01T00:00:10.000000Z'),
    isKnown: false,
  },
  {
    does: 'a time of another form',
    body: (current) => renewed(current, '2025-01-01T01:00:10.000000+01:00'),
    isKnown: false,
  },
  { does: 'a time and another holder', body: (current) => withSpec(current, { holderIdentity: 'x' }), isKnown: false },
  { does: 'a time and one field more', body: (current) => withSpec(current, { leaseTransitions: 1 }), isKnown: false },
  {
    does: 'a time and a wrong length',
    body: (current) => withSpec(current, { leaseDurationSeconds: 0 }),
    isKnown: false,
  },
  { does: 'a time and an unknown field', body: (current) => ({ ...renewed(current, later), more: 1 }), isKnown: false },
  {
    does: 'a time for another place',
    body: (current) => renewed(current, later),
    ask: { namespace: 'kube-system' },
    isKnown: false,
  },
  { does: 'a dry run', ask: { dryRun: true }, isKnown: false },
  {
    does: 'a version that somebody else has replaced',
    before: (server) => server.merge(leases, 'node-1', { body: { spec: { holderIdentity: 'y' } } }),
    body: (current) => ({ ...renewed(current, later), metadata: { ...current.metadata, resourceVersion: '1' } }),
    isKnown: false,
  },
];

function ownedBy(): object {
  return { apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: '0b0e1f9c-0000-4000-8000-000000000001' };
}

function withSpec(current: Lease, spec: object): object {
  return { ...current, spec: { ...renewed(current, later).spec, ...spec } };
}

interface Played {
  readonly told: unknown;
  readonly kept: unknown;
  readonly times: number;
}

/** In this process, over the wire, or as one of many. */
type Way = 'own' | 'wire' | 'each';

async function play(row: Row, way: Way): Promise<Played> {
  const { created, metadata, before, body = (current) => renewed(current, later), ask } = row;
  const server = await counted();
  await server.create(leases, lease(metadata), created);
  await before?.(server);
  await server.clock.advance(10_000);
  const asked = body((await server.get(leases, 'node-1')) as Lease);
  const judged = server.judged();
  const answer = await told(
    way === 'each'
      ? updateAsOneOf(server, asked, ask)
      : server.update(leases, way === 'own' ? asked : structuredClone(asked), ask),
  );
  const times = server.judged() - judged;
  return { told: answer, kept: JSON.stringify(await server.get(leases, 'node-1')), times };
}

async function updateAsOneOf(
  server: TestServer,
  asked: object,
  ask: AskOptions = {},
): Promise<{ readonly object: object }> {
  const wrong = { ...lease({ name: 'nobody', namespace: 'default' }), kind: 'Pod' };
  const [refused, object] = await server.updateEach(leases, [wrong, asked], ask);
  expect(refused).toMatchObject({ status: { code: 400, reason: 'BadRequest' } });
  if (object === undefined || object instanceof Error) throw object ?? new Error('nothing was answered');
  return { object };
}

describe('a sign of life that shares all else with what is stored', () => {
  test.each(rows)('$does comes to what it comes to for who sends it over the wire', async (row) => {
    const own = await play(row, 'own');
    const wire = await play(row, 'wire');
    expect(own.told).toEqual(wire.told);
    expect(own.kept).toBe(wire.kept);
    if (row.isKnown) expect([own.times, wire.times]).toEqual([0, 1]);
    else expect(own.times).toBe(wire.times);
    // Where an object goes it says itself.
    if (row.ask?.namespace === undefined) expect(await play(row, 'each')).toEqual(own);
  });

  test('goes on and on', async () => {
    const { create, get, update, clock, judged } = await counted();
    await create(leases, lease());
    const before = judged();
    for (let second = 1; second < 5; second++) {
      await clock.advance(1_000);
      const current = (await get(leases, 'node-1')) as Lease;
      await update(leases, renewed(current, `2025-01-01T00:00:0${second}.000000Z`));
      const now = (await get(leases, 'node-1')) as Lease;
      expect(now.spec?.renewTime).toBe(`2025-01-01T00:00:0${second}.000000Z`);
      expect(Object.isFrozen(now.spec) && Object.isFrozen(now.metadata.managedFields?.[0])).toBe(true);
    }
    expect(judged()).toBe(before);
  });

  test('of two from one version one wins', async () => {
    const { create, get, update } = await counted();
    await create(leases, lease());
    const current = (await get(leases, 'node-1')) as Lease;
    const both = await Promise.allSettled([
      update(leases, renewed(current, later)),
      update(leases, renewed(current, '2025-01-01T00:00:11.000000Z')),
    ]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((both[1] as PromiseRejectedResult).reason).toMatchObject({ status: { code: 409, reason: 'Conflict' } });
  });

  test('of many from one version each comes to what it comes to alone', async () => {
    const server = await counted();
    const names = ['node-1', 'node-2', 'node-3'];
    for (const name of names) await server.create(leases, lease({ name }));
    const [first, second, third] = (await Promise.all(names.map((name) => server.get(leases, name)))) as Lease[];
    if (first === undefined || second === undefined || third === undefined) throw new Error('there are three');
    const before = server.judged();
    const told = await server.updateEach(leases, [
      renewed(first, later),
      renewed(first, '2025-01-01T00:00:11.000000Z'),
      renewed(second, later),
      withSpec(third, { holderIdentity: 'other' }),
    ]);
    expect(
      told.map((each) => (each instanceof StatusError ? each.status.reason : (each as Lease).spec?.renewTime)),
    ).toEqual([...[later, 'Conflict', later, later]]);
    expect(server.judged()).toBe(before + 1);
    expect(((await server.get(leases, 'node-3')) as Lease).spec?.holderIdentity).toBe('other');
  });

  test('is refused, one of many as one alone, to who may not', async () => {
    const { create, get, update, updateEach } = await counted();
    await create(leases, lease());
    const current = renewed((await get(leases, 'node-1')) as Lease, later);
    const user = { name: 'eve', groups: ['system:authenticated'] };
    const alone = await told(update(leases, current, { user }));
    expect(alone).toMatchObject({ code: 403 });
    const [one] = await updateEach(leases, [current], { user });
    expect((one as StatusError).status).toEqual(alone);
  });

  test('is shown to who is asked about leases', async () => {
    const seen: unknown[] = [];
    const reviewer: Reviewer = {
      name: 'curious',
      concerns: ({ served }) => served.definition.resource === 'leases',
      async judge({ object }) {
        seen.push((object as Lease).spec?.renewTime);
        return { allowed: true };
      },
    };
    const { create, get, update, updateEach } = await counted({ reviewers: [reviewer] });
    await create(leases, lease());
    await update(leases, renewed((await get(leases, 'node-1')) as Lease, later));
    const last = '2025-01-01T00:00:20.000000Z';
    await updateEach(leases, [renewed((await get(leases, 'node-1')) as Lease, last)]);
    expect(seen).toEqual(['2025-01-01T00:00:00.000000Z', later, last]);
  });

  test('is shown to rules about updates', async () => {
    const { create, get, update, judged } = await counted({
      furtherAdmission: ['OwnerReferencesPermissionEnforcement'],
    });
    await create(leases, lease());
    const before = judged();
    await update(leases, renewed((await get(leases, 'node-1')) as Lease, later));
    expect(judged()).toBe(before + 1);
  });
});
