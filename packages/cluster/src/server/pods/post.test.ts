import { describe, expect, test } from 'vitest';
import { deployments, pods } from '../../api/generated/kinds.ts';
import { resourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { defineResource, type ResourceDefinition, type Subresource } from '../../resources/resource.ts';
import { createTestServer, pod, refusalOf, type TestServer } from '../../testing/api-server.ts';
import { createWire } from '../../testing/wire.ts';

interface Kettle extends KubeObject {
  readonly spec: { readonly litres: number };
}
interface Pouring extends KubeObject {
  readonly litres?: number;
}

const kettles = resourceType<Kettle>({
  group: 'example.com',
  version: 'v1',
  resource: 'kettles',
  kind: 'Kettle',
  namespaced: true,
});
const pour: Subresource<Kettle> = {
  name: 'pour',
  verbs: ['create'],
  kind: { group: 'example.com', version: 'v1', kind: 'Pouring' },
  schema: { type: 'object', properties: { litres: { type: 'integer' } } },
  write: (kettle, body) => ({ ...kettle, spec: { litres: kettle.spec.litres - ((body as Pouring).litres ?? 0) } }),
};
const kettle = (door: Partial<Subresource<Kettle>> = {}): ResourceDefinition =>
  defineResource<Kettle>(kettles, {
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { litres: { type: 'integer' } } } },
    },
    traits: { counted: true },
    subresources: [{ ...pour, ...door }],
    *validate({ spec }, at) {
      if (spec.litres < 0) yield at('spec', 'litres').invalid(spec.litres, 'must be greater than or equal to 0');
    },
  }) as unknown as ResourceDefinition;

async function withKettle(door?: Partial<Subresource<Kettle>>): Promise<TestServer> {
  const server = await createTestServer({ definitions: [kettle(door)] });
  await server.create(kettles, { metadata: { name: 'k' }, spec: { litres: 2 } });
  return server;
}
const poured = ({ create }: TestServer, body: object, more: object = {}): ReturnType<TestServer['create']> =>
  create(kettles, body, { name: 'k', subresource: 'pour', ...more });

describe('what a POST makes of an object', () => {
  test('is a change like any other: it counts, and is found valid or refused', async () => {
    const server = await withKettle();
    expect(await poured(server, { litres: 1 })).toMatchObject({ code: 201, object: { status: 'Success' } });
    expect(await server.get(kettles, 'k')).toMatchObject({ metadata: { generation: 2 }, spec: { litres: 1 } });
    expect(await refusalOf(poured(server, { litres: 5 }))).toMatchObject({
      code: 422,
      message: 'Kettle.example.com "k" is invalid: spec.litres: Invalid value: -4: must be greater than or equal to 0',
    });
    expect(await server.get(kettles, 'k')).toMatchObject({ metadata: { generation: 2 }, spec: { litres: 1 } });
  });

  test('stays as it is made where the door says that it judges by itself', async () => {
    const server = await withKettle({ keepsAsWritten: true });
    await poured(server, { litres: 5 });
    expect(await server.get(kettles, 'k')).toMatchObject({ metadata: { generation: 1 }, spec: { litres: -3 } });
  });

  test('is not kept by a dry run', async () => {
    const server = await withKettle();
    const { revision } = server.store;
    expect(await poured(server, { litres: 1 }, { dryRun: true })).toMatchObject({ code: 201 });
    expect(server.store.revision).toBe(revision);
  });
});

describe('the body of a subresource is held to its schema', () => {
  test('of a kind of one\u2019s own', async () => {
    const server = await withKettle();
    const odd = { litres: 1, sugar: 3 };
    expect(await poured(server, odd)).toMatchObject({ warnings: ['unknown field "sugar"'] });
    expect(await poured(server, odd, { fieldValidation: 'Ignore' })).toMatchObject({ warnings: [] });
    expect(await refusalOf(poured(server, odd, { fieldValidation: 'Strict' }))).toMatchObject({
      code: 400,
      message: 'Pouring in version "v1" cannot be handled as a Pouring: strict decoding error: unknown field "sugar"',
    });
    expect(await refusalOf(poured(server, { litres: 'much' }))).toMatchObject({ code: 400 });
  });

  const at = '/api/v1/namespaces/default/pods/p';
  const scale = '/apis/apps/v1/namespaces/default/deployments/d/scale';
  const named = (name: string, more: object): object => ({ metadata: { name }, ...more });
  test.each<[string, string, string, object, string]>([
    ['a Binding', 'POST', `${at}/binding`, named('p', { target: { name: 'n', x: 1 } }), 'target.x'],
    ['an Eviction', 'POST', `${at}/eviction`, named('p', { deleteOptions: { x: 1 } }), 'deleteOptions.x'],
    ['a Scale', 'PUT', scale, named('d', { spec: { replicas: 1, x: 1 } }), 'spec.x'],
    ['a patched Scale', 'PATCH', scale, { spec: { x: 1 } }, 'spec.x'],
  ])('%s with an unknown field warns, or is refused where that is asked for', async (_, method, path, body, field) => {
    const ask = createWire((await populated()).server);
    const strict = await ask(method, `${path}?fieldValidation=Strict`, { body, ...typeOf(method) });
    expect([strict.code, strict.text]).toEqual([
      method === 'PATCH' ? 422 : 400,
      expect.stringContaining(`unknown field \\"${field}\\"`),
    ]);
    const warned = await ask(method, path, { body, ...typeOf(method) });
    expect(warned.code).toBeLessThan(300);
    expect(warned.warnings).toEqual([expect.stringContaining(`unknown field \\"${field}\\"`)]);
  });

  test.each<[string, string, string, object]>([
    ['a Binding', 'POST', `${at}/binding`, named('p', { target: 'n' })],
    ['an Eviction', 'POST', `${at}/eviction`, named('p', { deleteOptions: { gracePeriodSeconds: 'long' } })],
    ['a Scale', 'PUT', scale, named('d', { spec: { replicas: 'many' } })],
    ['a Scale', 'PUT', scale, named('d', { spec: { replicas: 1.5 } })],
  ])('%s with a value of the wrong type is refused', async (what, method, path, body) => {
    const { server, store } = await populated();
    const { revision } = store;
    const { code, text } = await createWire(server)(method, path, { body });
    const kind = what.split(' ').at(-1);
    expect([code, text]).toEqual([400, expect.stringContaining(`cannot be handled as a ${kind}: `)]);
    expect(store.revision).toBe(revision);
  });
});

test('a pod that is bound counts no generation, and what others may not change is set', async () => {
  const server = await populated();
  const body = { metadata: { name: 'p', labels: { zone: 'a' } }, target: { kind: 'Node', name: 'n' } };
  expect(await server.create(pods, body, { name: 'p', subresource: 'binding' })).toMatchObject({ warnings: [] });
  expect(await server.get(pods, 'p')).toMatchObject({
    metadata: { generation: 1, labels: { zone: 'a' } },
    spec: { nodeName: 'n' },
    status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
  });
});

test('nothing is posted to a status', async () => {
  const server = await populated();
  const posted = server.create(pods, pod('p'), { name: 'p', subresource: 'status' });
  expect(await refusalOf(posted)).toMatchObject({ code: 405, reason: 'MethodNotAllowed' });
});

test('a definition whose subresource lacks what its verbs need is refused where it is made', () => {
  const { schema: _none, ...open } = pour;
  expect(() => defineResource<Kettle>(kettles, { schema: {}, subresources: [open] })).toThrow('has a `schema`');
  expect(() => kettle({ verbs: ['get', 'create'] })).toThrow('has `read`');
});

function typeOf(method: string): { readonly contentType?: string } {
  return method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
}

async function populated(): Promise<TestServer> {
  const server = await createTestServer();
  await server.create(pods, pod('p'));
  const labels = { app: 'd' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'example.com/app:1' }] } };
  await server.create(deployments, { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } });
  return server;
}
