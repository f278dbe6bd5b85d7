/** A client that others wrote, in a language of ours: what `@kubernetes/client-node` does to a cluster over HTTPS. */
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import {
  ApiException,
  AppsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  Exec,
  KubeConfig,
  KubernetesObjectApi,
  Log,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  V1MicroTime,
  Watch,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ServedCluster, startServedCluster, until } from './served-cluster.ts';

let served: ServedCluster;
let config: KubeConfig;
let core: CoreV1Api;
let namespace: string;
let count = 0;

beforeAll(async () => {
  served = await startServedCluster({ nodes: 1 });
  config = new KubeConfig();
  config.loadFromFile(join(served.folder, 'kubeconfig'));
  core = config.makeApiClient(CoreV1Api);
});
beforeEach(async () => {
  namespace = `node-${++count}`;
  await core.createNamespace({ body: { metadata: { name: namespace } } });
});
afterAll(async () => {
  await served?.close();
});

const make = (name: string, data: Record<string, string> = {}): Promise<V1ConfigMap> =>
  core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { of: 'ours' } }, data } });

/** A copy that is of the same class: the client sends no other. */
function changed<T extends object>(object: T, change: Partial<T>): T {
  return Object.assign(Object.create(Object.getPrototypeOf(object) as object) as T, object, change);
}

/** The code of a refusal, and its reason. */
async function refusal(asked: Promise<unknown>): Promise<unknown> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiException)) throw new Error('it was not refused', { cause: error });
  const { reason } = JSON.parse(String(error.body)) as { readonly reason: string };
  return `${error.code} ${reason}`;
}

test('what is made is read, replaced, listed and deleted; what is refused says why', async () => {
  const made = await make('a', { k: '1' });
  expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
  const replaced = await core.replaceNamespacedConfigMap({
    namespace,
    name: 'a',
    body: changed(made, { data: { k: '2' } }),
  });
  expect((await core.readNamespacedConfigMap({ namespace, name: 'a' })).data).toEqual({ k: '2' });
  expect(replaced.metadata?.uid).toBe(made.metadata?.uid);
  const stale = core.replaceNamespacedConfigMap({ namespace, name: 'a', body: changed(made, { data: { k: '3' } }) });
  expect(await refusal(stale)).toBe('409 Conflict');
  expect(await refusal(make('a'))).toBe('409 AlreadyExists');
  expect(await refusal(make('No_Name'))).toBe('422 Invalid');
  await make('b');
  const page = await core.listNamespacedConfigMap({ namespace, labelSelector: 'of=ours', limit: 1 });
  expect([page.items.length, page.metadata?._continue !== undefined]).toEqual([1, true]);
  await core.deleteNamespacedConfigMap({ namespace, name: 'a' });
  expect(await refusal(core.readNamespacedConfigMap({ namespace, name: 'a' }))).toBe('404 NotFound');
});

describe('patches', () => {
  test.each([
    [PatchStrategy.JsonPatch, [{ op: 'add', path: '/data/new', value: '1' }]],
    [PatchStrategy.MergePatch, { data: { new: '1' } }],
    [PatchStrategy.StrategicMergePatch, { data: { new: '1' } }],
  ])('%s', async (strategy, body) => {
    await make('a', { old: '1' });
    const options = setHeaderOptions('Content-Type', strategy);
    const patched = await core.patchNamespacedConfigMap({ namespace, name: 'a', body }, options);
    expect(patched.data).toEqual({ old: '1', new: '1' });
  });

  test('server-side apply makes, owns, and meets owners', async () => {
    const objects = KubernetesObjectApi.makeApiClient(config);
    const map = (k: string): V1ConfigMap => ({
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace } },
      data: { k },
    });
    const apply = (
      manager: string,
      { k, isForced }: { readonly k: string; readonly isForced: boolean },
    ): Promise<V1ConfigMap> =>
      objects.patch(map(k), undefined, undefined, manager, isForced, PatchStrategy.ServerSideApply);
    const applied = await apply('one', { k: '1', isForced: false });
    expect(applied.metadata?.managedFields).toMatchObject([{ manager: 'one', operation: 'Apply' }]);
    expect(await refusal(apply('two', { k: '2', isForced: false }))).toBe('409 Conflict');
    expect((await apply('two', { k: '2', isForced: true })).data).toEqual({ k: '2' });
  });
});

test('a watch tells what changes', async () => {
  const seen: string[] = [];
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const watch = await new Watch(config).watch(
    path,
    { labelSelector: 'of=ours', allowWatchBookmarks: true },
    (type: string, { metadata }: V1ConfigMap) => seen.push(`${type} ${metadata?.name ?? ''}`.trim()),
    () => undefined,
  );
  await make('a');
  await core.deleteNamespacedConfigMap({ namespace, name: 'a' });
  await until(
    async () => seen,
    ({ length }) => length === 3,
  );
  watch.abort();
  // The bookmark says that there was nothing before.
  expect(seen).toEqual(['BOOKMARK', 'ADDED a', 'DELETED a']);
});

test('an informer has what there is and what comes', async () => {
  await make('a');
  const list = () => core.listNamespacedConfigMap({ namespace });
  const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, list);
  const seen: string[] = [];
  informer.on('add', ({ metadata }) => seen.push(`add ${metadata?.name}`));
  informer.on('update', ({ metadata }) => seen.push(`update ${metadata?.name}`));
  informer.on('delete', ({ metadata }) => seen.push(`delete ${metadata?.name}`));
  await informer.start();
  const made = await make('b');
  await core.replaceNamespacedConfigMap({ namespace, name: 'b', body: changed(made, { data: { k: '1' } }) });
  await core.deleteNamespacedConfigMap({ namespace, name: 'b' });
  await until(
    async () => seen,
    (all) => all.includes('delete b'),
  );
  await informer.stop();
  expect(seen.filter((line) => line.endsWith(' b'))).toEqual(['add b', 'update b', 'delete b']);
  expect(seen).toContain('add a');
  expect(informer.list().map(({ metadata }) => metadata?.name)).not.toContain('b');
});

test('a lease is taken over', async () => {
  const leases = config.makeApiClient(CoordinationV1Api);
  const spec = { holderIdentity: 'one', leaseDurationSeconds: 15, renewTime: new V1MicroTime() };
  const lease = await leases.createNamespacedLease({ namespace, body: { metadata: { name: 'l' }, spec } });
  // Micro seconds, which its dates do not have.
  expect(String(lease.spec?.renewTime)).toMatch(/\.\d{6}Z$/);
  const taken = changed(lease, { spec: changed(lease.spec ?? {}, { holderIdentity: 'two' }) });
  const after = await leases.replaceNamespacedLease({ namespace, name: 'l', body: taken });
  expect(after.spec?.holderIdentity).toBe('two');
  expect(await refusal(leases.replaceNamespacedLease({ namespace, name: 'l', body: taken }))).toBe('409 Conflict');
});

test('a deployment comes up, scales, and its pods have logs', async () => {
  const apps = config.makeApiClient(AppsV1Api);
  const [labels, name] = [{ app: 'web' }, 'web'];
  const containers = [{ name: 'web', image: 'example/web:1' }];
  const spec = {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
  };
  await apps.createNamespacedDeployment({ namespace, body: { metadata: { name }, spec } });
  const ready = async (): Promise<number | undefined> =>
    (await apps.readNamespacedDeployment({ namespace, name })).status?.readyReplicas;
  await until(ready, (replicas) => replicas === 2);
  const scale = await apps.readNamespacedDeploymentScale({ namespace, name });
  await apps.replaceNamespacedDeploymentScale({ namespace, name, body: changed(scale, { spec: { replicas: 1 } }) });
  await until(ready, (replicas) => replicas === 1);
  const [pod] = (await core.listNamespacedPod({ namespace })).items.filter(
    ({ metadata }) => metadata?.deletionTimestamp === undefined,
  );
  const at = { namespace, name: pod?.metadata?.name ?? '' };
  expect(await core.readNamespacedPodLog(at)).toContain('node-1');
  const [out, told] = [new PassThrough(), { text: '' }];
  out.on('data', (chunk: Buffer) => {
    told.text += chunk.toString();
  });
  const following = await new Log(config).log(namespace, at.name, 'web', out, { follow: true });
  await until(
    async () => told.text,
    (text) => text.includes('node-1'),
  );
  following.abort();
  // Nothing runs in a simulated container.
  const entered = new Exec(config).exec(namespace, at.name, 'web', ['ls'], new PassThrough(), null, null, false);
  await expect(entered).rejects.toMatchObject({
    message: expect.stringMatching(/Unexpected server response: [45]\d\d/) as string,
  });
});

test('objects of a kind of one’s own', async () => {
  const crd = { group: 'example.com', version: 'v1', plural: 'widgets' };
  const objects = KubernetesObjectApi.makeApiClient(config);
  await objects.create({
    ...{
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
    },
    spec: {
      ...{ group: crd.group, scope: 'Namespaced', names: { plural: crd.plural, kind: 'Widget' } },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
            },
          },
        },
      ],
    },
  } as never);
  const custom = config.makeApiClient(CustomObjectsApi);
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 3 } };
  await until(
    () => custom.createNamespacedCustomObject({ ...crd, namespace, body: widget }).catch(() => undefined),
    (made) => made !== undefined,
  );
  expect(await custom.listNamespacedCustomObject({ ...crd, namespace })).toMatchObject({
    items: [{ spec: { size: 3 } }],
  });
});
