import { expect, test } from 'vitest';
import { configmaps, pods } from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import { seededRandom } from '../../base/random.ts';
import { createMemoryBackend } from '../../store/backends/memory.ts';
import { createStore } from '../../store/create.ts';
import { admin, configMap, testDefinitions } from '../../testing/api-server.ts';
import { createFakeWorld } from '../../testing/server/authorizer-world.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { rbac } from '../access/rbac/rbac.ts';
import { createTokenSigner } from '../auth/token-signer.ts';
import { defaultLimits, type ServerContext } from '../context/context.ts';
import { openGate } from '../context/memory-gate.ts';
import { noOtherApis } from '../context/other-apis.ts';
import { noQuotas } from '../context/quotas.ts';
import { createRegistry, type Served } from '../context/registry.ts';
import type { ObjectWrite } from '../context/write-request.ts';
import { post } from '../pods/post.ts';
import { create } from './create.ts';
import { deleteObject } from './delete.ts';
import { patch } from './patch.ts';
import { update } from './update.ts';

const waiting = { signal: new AbortController().signal };
const options = { fieldManager: 'ada' };
const body = (name: string): object => ({ ...configMap(name), metadata: { name, namespace: 'default' } });
const pod = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...more },
  spec: { containers: [{ name: 'main', image: 'main' }] },
});
const running = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };

interface World {
  readonly context: ServerContext;
  readonly seen: string[];
  served(type: ResourceType): Served;
}

/** The stages on a store, and who listens behind the last of them. */
async function createWorld({ encodes = false } = {}): Promise<World> {
  const clock = createVirtualClock();
  const compaction = { revisionsMax: 1_000, ageMsMax: Infinity, bytesMax: 2 ** 20 };
  const seen: string[] = [];
  const note = ({ request, before, after, ends }: ObjectWrite): void => {
    const { verb, subresource, manager = 'nobody known', served } = request;
    const what = `${served.definition.resource}${subresource === undefined ? '' : `/${subresource}`} ${after.metadata.name}`;
    const change = before === undefined ? 'new' : ends ? 'ends' : 'changes';
    seen.push(`${verb} ${what} by ${manager}: ${change}`);
  };
  const registry = createRegistry({ definitions: testDefinitions });
  const context: ServerContext = {
    ...createFakeWorld(),
    store: await createStore({
      backend: { ...createMemoryBackend(), encodes },
      clock,
      compaction,
      watcherBufferMax: 10,
    }),
    clock,
    outsideClock: clock,
    registry,
    views: new Map(),
    random: seededRandom('test'),
    limits: { ...defaultLimits, objectBytesMax: 2_000 },
    memory: openGate,
    authorizer: rbac,
    admission: [],
    loadExpressions: () => undefined,
    reviewers: [],
    listeners: [{ put: (_, write) => note(write), removed: (_, write) => note(write) }],
    creating: new Map(),
    quotas: noQuotas,
    others: noOtherApis,
    tokenSigner: createTokenSigner(),
    authenticateToken: () => ({ known: false }),
  };
  const served = (type: ResourceType): Served => registry.find(type) as Served;
  await create(
    context,
    {
      served: registry.find({ group: '', version: 'v1', resource: 'namespaces' }) as Served,
      operation: { ...by, verb: 'create', resource: configmaps, body: { metadata: { name: 'default' } }, options: {} },
    },
    waiting,
  );
  seen.length = 0;
  return { context, seen, served };
}

const by = { user: admin, agent: 'signalbox' } as const;
const target = { ...by, namespace: 'default', options } as const;

test('every write passes the last stage, which knows who, what and by which door', async () => {
  const { context, seen, served } = await createWorld();
  const maps = { ...target, resource: configmaps };
  const asked = { served: served(configmaps) };
  await create(context, { ...asked, operation: { ...maps, verb: 'create', body: body('a') } }, waiting);
  await update(
    context,
    {
      ...asked,
      operation: { ...maps, verb: 'update', name: 'a', body: { ...body('a'), data: { w: '1' } } },
    },
    waiting,
  );
  const merge = {
    ...maps,
    verb: 'patch',
    patchType: 'merge',
    name: 'a',
    body: { data: { x: '1' } },
    options: {},
  } as const;
  await patch(context, { ...asked, operation: merge }, waiting);
  await deleteObject(context, { ...asked, operation: { ...maps, verb: 'delete', name: 'a', options: {} } }, waiting);
  expect(seen).toEqual([
    'create configmaps a by ada: new',
    'update configmaps a by ada: changes',
    'patch configmaps a by signalbox: changes',
    'delete configmaps a by signalbox: ends',
  ]);
});

test('subresources pass it too, each write of an eviction for itself', async () => {
  const { context, seen, served } = await createWorld();
  const asked = { served: served(pods) };
  const of = { ...target, resource: pods, name: 'p' };
  await create(
    context,
    { ...asked, operation: { ...target, resource: pods, verb: 'create', body: pod('p') } },
    waiting,
  );
  const binding = { metadata: { name: 'p' }, target: { name: 'node-1' } };
  await post(
    context,
    { ...asked, operation: { ...of, verb: 'create', subresource: 'binding', body: binding } },
    waiting,
  );
  await update(
    context,
    {
      ...asked,
      operation: { ...of, verb: 'update', subresource: 'status', body: { ...pod('p'), ...running } },
    },
    waiting,
  );
  await post(
    context,
    { ...asked, operation: { ...of, verb: 'create', subresource: 'eviction', body: { metadata: { name: 'p' } } } },
    waiting,
  );
  expect(seen).toEqual([
    'create pods p by ada: new',
    'create pods/binding p by ada: changes',
    'update pods/status p by ada: changes',
    'create pods/eviction p by ada: changes',
    'delete pods/eviction p by ada: changes',
  ]);
});

test('a change that lets a marked object go is its end', async () => {
  const { context, seen, served } = await createWorld();
  const asked = { served: served(configmaps) };
  const of = { ...target, resource: configmaps };
  const held = { ...body('a'), metadata: { name: 'a', namespace: 'default', finalizers: ['example.com/hold'] } };
  await create(context, { ...asked, operation: { ...of, verb: 'create', body: held } }, waiting);
  await deleteObject(context, { ...asked, operation: { ...of, verb: 'delete', name: 'a', options: {} } }, waiting);
  const release = { metadata: { finalizers: null } };
  await patch(
    context,
    { ...asked, operation: { ...of, verb: 'patch', patchType: 'merge', name: 'a', body: release } },
    waiting,
  );
  expect(seen.slice(1)).toEqual(['delete configmaps a by signalbox: changes', 'patch configmaps a by ada: ends']);
});

test('a dry run goes as far as the store, and nobody is told', async () => {
  const { context, seen, served } = await createWorld();
  const asked = { served: served(configmaps) };
  const dry = { ...target, resource: configmaps, options: { dryRun: true } };
  const { object } = await create(
    context,
    { ...asked, operation: { ...dry, verb: 'create', body: body('a') } },
    waiting,
  );
  expect(object.metadata).not.toHaveProperty('resourceVersion');
  expect(Object.isFrozen(object)).toBe(true);
  expect(seen).toEqual([]);
  expect(context.store.get('/core/configmaps/default/a')).toBeUndefined();
});

test.each([false, true])('what is too large is refused there, whoever writes it (encoded: %s)', async (encodes) => {
  const { context, served } = await createWorld({ encodes });
  const asked = { served: served(configmaps) };
  const of = { ...target, resource: configmaps };
  await create(context, { ...asked, operation: { ...of, verb: 'create', body: body('a') } }, waiting);
  const large = { data: { x: 'x'.repeat(3_000) } };
  const merge = { ...of, verb: 'patch', patchType: 'merge', name: 'a', body: large } as const;
  await expect(patch(context, { ...asked, operation: merge }, waiting)).rejects.toMatchObject({
    status: { code: 413 },
  });
  const operation = { ...of, verb: 'create', body: { ...body('b'), ...large } } as const;
  await expect(create(context, { ...asked, operation }, waiting)).rejects.toMatchObject({ status: { code: 413 } });
});
