import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '@signalbox/cluster/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubernetesVersion } from '../assets/files.ts';
import { run } from '../run.ts';
import { type Api, type Asked, type Asking, type AssetsWorld, createAssetsWorld } from '../testing/assets-world.ts';
import { createTestIo } from '../testing/io.ts';

const call = promisify(execFile);

let world: AssetsWorld;
beforeAll(async () => {
  world = await createAssetsWorld();
});
afterAll(() => world.close());

const made = (apiVersion: string, kind: string, name: string, more: object = {}): object => ({
  ...{ apiVersion, kind, metadata: { name } },
  ...more,
});

test('the folder stands in the user’s cache, and the help is a shell’s', async () => {
  const { assets, folder } = world;
  expect(assets.startsWith(join(folder, 'cache', 'signalbox', 'test-assets'))).toBe(true);
  expect(await readdir(assets)).toEqual(expect.arrayContaining(['etcd', 'kube-apiserver']));
  const { stdout } = await call(join(assets, 'etcd'), ['--help']);
  expect(stdout).toMatch(/^\s*--unsafe-no-fsync\b/m);
  const { stdout: help } = await call(join(assets, 'kube-apiserver'), ['--help']);
  expect(help).not.toMatch(/^\s*--insecure-port\b/m);
  expect((await call(join(assets, 'kube-apiserver'), ['--version'])).stdout).toBe('Kubernetes v1.34.2\n');
});

test('for a shell it is a line', async () => {
  const created = await createTestIo({ env: { PATH: '' } });
  const again = { ...created, install: world.io.install };
  expect(await run(['test-assets', '--folder', 'here', '--print', 'env'], again)).toBe(0);
  expect(again.out()).toBe(`export KUBEBUILDER_ASSETS=${join(again.cwd, 'here', basename(again.out().trim()))}\n`);
  expect(again.err()).toContain('kubectl is not in the PATH');
  expect(await run(['test-assets'], again)).toBe(1);
  expect(again.err()).toContain('neither XDG_CACHE_HOME nor HOME is set; choose a place with --folder');
  await again.remove();
});

test('etcd says that it is well, and that it keeps nothing', async () => {
  const [port = 0] = await freePorts(1);
  const program = world.start('etcd', {
    argv: [`--listen-client-urls=http://127.0.0.1:${port}`, '--data-dir=/nowhere'],
  });
  const get = (path: string): Promise<number> =>
    new Promise((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port, path, agent: false }, (response) => resolve(response.statusCode ?? 0))
        .once('error', reject)
        .end();
    });
  while ((await get('/health').catch(() => 0)) !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await get('/v3/kv/range')).toBe(501);
  program.stop();
  expect(await program.exited).toBe(0);
});

describe('the API', () => {
  let api: Api;
  beforeAll(async () => {
    api = await world.startApi();
  });
  afterAll(async () => {
    api.stop();
    expect(await api.exited).toBe(0);
  });
  const as = (who: 'admin' | 'viewer', asking: Omit<Asking, 'port' | 'who'>): Promise<Asked> => {
    const { admin, further } = world.pki;
    return world.ask({ ...asking, port: api.port, who: who === 'admin' ? admin : (further['viewer'] ?? admin) });
  };

  test('knows people by the certificates of the test’s authority, and holds them to roles', async () => {
    expect((await as('admin', { path: '/api/v1/nodes' })).text).toContain('"items":[]');
    const refused = await as('viewer', { path: '/api/v1/nodes' });
    expect(refused.code).toBe(403);
    expect(refused.text).toContain('User \\"viewer\\" cannot list resource \\"nodes\\"');
    const binding = {
      ...made('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'team'),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'team' }],
    };
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    expect((await as('admin', { path, body: binding })).code).toBe(201);
    expect((await as('viewer', { path: '/api/v1/namespaces/default/pods' })).code).toBe(200);
    const impersonated = await as('admin', { path: '/api/v1/nodes', headers: { 'impersonate-user': 'viewer' } });
    expect(impersonated.code).toBe(403);
  });

  test('is the API alone: pods need no account, namespaces do not end, Deployments make nothing', async () => {
    const containers = [{ name: 'c', image: 'example.com/c:1' }];
    const at = '/api/v1/namespaces/default/pods';
    const { code, text } = await as('admin', { path: at, body: made('v1', 'Pod', 'p', { spec: { containers } }) });
    expect([code, text.includes('serviceAccountName')]).toEqual([201, false]);
    expect((await as('admin', { path: '/version' })).text).toContain(`"${kubernetesVersion}"`);
    const { text: service } = await as('admin', { path: '/api/v1/namespaces/default/services/kubernetes' });
    expect(JSON.parse(service)).toMatchObject({ spec: { clusterIP: '10.0.0.1' } });
    expect((await as('admin', { path: '/readyz?verbose' })).text).not.toContain('component/deployment');
  });

  test('signs tokens with the given key, under the given name', async () => {
    await as('admin', {
      path: '/api/v1/namespaces/default/serviceaccounts',
      body: made('v1', 'ServiceAccount', 'robot'),
    });
    const path = '/api/v1/namespaces/default/serviceaccounts/robot/token';
    const { text } = await as('admin', {
      path,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    const { token } = (JSON.parse(text) as { readonly status: { readonly token: string } }).status;
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ iss: `https://127.0.0.1:${api.port}/`, aud: [`https://127.0.0.1:${api.port}/`] });
    const headers = { authorization: `Bearer ${token}` };
    const { code, text: said } = await world.ask({ port: api.port, path: '/api/v1/pods', headers });
    expect([code, said.includes('system:serviceaccount:default:robot')]).toEqual([403, true]);
  });
});

test('many run side by side, and each has its own objects', async () => {
  const apis = await Promise.all(Array.from({ length: 4 }, () => world.startApi()));
  const path = '/api/v1/namespaces/default/configmaps';
  const codes = await Promise.all(
    apis.map(({ port }) => world.ask({ port, path, who: world.pki.admin, body: made('v1', 'ConfigMap', 'same') })),
  );
  expect(codes.map(({ code }) => code)).toEqual([201, 201, 201, 201]);
  for (const api of apis) api.stop();
  await Promise.all(apis.map(({ exited }) => exited));
});

test('with controllers, Deployments have pods that run', async () => {
  const api = await world.startApi({ env: { SIGNALBOX_TEST_CONTROLLERS: 'all', SIGNALBOX_TEST_NODES: '1' } });
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'example.com/web:1' }] },
  };
  const body = made('apps/v1', 'Deployment', 'web', { spec: { selector: { matchLabels: { app: 'web' } }, template } });
  const at = { port: api.port, who: world.pki.admin, path: '/apis/apps/v1/namespaces/default/deployments' };
  expect((await world.ask({ ...at, body })).code).toBe(201);
  for (;;) {
    const { text } = await world.ask({ ...at, path: `${at.path}/web` });
    if (text.includes('"availableReplicas":1')) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  api.stop();
  expect(await api.exited).toBe(0);
});

test.each([
  ['kube-apiserver', ['--nope'], 1, 'Error: unknown flag: --nope\n'],
  ['kube-apiserver', [], 1, 'Error: --etcd-servers must be specified\n'],
  ['etcd', ['--nope'], 2, 'etcd: flag provided but not defined: -nope\n'],
] as const)('%s refuses %j', async (name, argv, code, said) => {
  const program = world.start(name, { argv });
  expect([await program.exited, program.said()]).toEqual([code, said]);
});
