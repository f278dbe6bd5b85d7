import { describe, expect, test } from 'vitest';
import { customresourcedefinitions } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { createTestServer, refusalOf, type TestServer } from '../../testing/api-server.ts';
import { createFakeHooks, type FakeHooks } from '../../testing/server/fake-hooks.ts';

const v1 = { group: 'example.com', version: 'v1', resource: 'things' };
const v2 = { ...v1, version: 'v2' };
const place = { namespace: 'default' };

/** The first version counts in ones, the second in dozens. */
type Thing = KubeObject & { readonly spec: { readonly ones?: number; readonly dozens?: number } };

const schema = (field: string): object => ({
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { [field]: { type: 'integer' } } } },
  },
});

const url = 'https://hooks.example.com/convert';

const definition = (conversionReviewVersions: readonly string[], at = url): object => ({
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig: { url: at }, conversionReviewVersions },
    },
    versions: [
      { name: 'v1', served: true, storage: true, schema: schema('ones') },
      { name: 'v2', served: true, storage: false, schema: schema('dozens') },
    ],
  },
});

interface Asked {
  readonly desiredAPIVersion: string;
  readonly objects: readonly Thing[];
}

function convert({ desiredAPIVersion, objects }: Asked): object {
  const convertedObjects = objects.map((object) => {
    const { ones = 0, dozens = 0 } = object.spec;
    const spec = desiredAPIVersion.endsWith('v2') ? { dozens: ones / 12 } : { ones: dozens * 12 };
    return { ...object, apiVersion: desiredAPIVersion, spec };
  });
  return { result: { status: 'Success' }, convertedObjects };
}

interface World extends TestServer {
  readonly hooks: FakeHooks;
}

async function withThings(versions: readonly string[] = ['v1'], at = url): Promise<World> {
  const hooks = createFakeHooks();
  hooks.answers.set('/convert', (request) => convert(request as unknown as Asked));
  const server = await createTestServer({ callServer: hooks });
  await server.create(customresourcedefinitions, definition(versions, at));
  return { ...server, hooks };
}

const dozen = { metadata: { name: 'eggs', labels: { from: 'hens' } }, spec: { dozens: 1 } };

test('slashes too many in an address are none, as for Go', async () => {
  const { hooks, ...server } = await withThings(['v1'], 'https://hooks.example.com//convert/');
  await server.create(v2, dozen, place);
  expect(await server.get(v1, 'eggs', place)).toMatchObject({ spec: { ones: 12 } });
  expect(hooks.calls[0]?.at).toBe('hooks.example.com:443/convert?timeout=30s');
});

test('what comes in one version is kept in the other, and shown in both', async () => {
  const { hooks, ...server } = await withThings();
  await server.create(v2, dozen, place);
  expect(await server.get(v1, 'eggs', place)).toMatchObject({
    spec: { ones: 12 },
    metadata: { labels: { from: 'hens' } },
  });
  expect(await server.get(v2, 'eggs', place)).toMatchObject({ apiVersion: 'example.com/v2', spec: { dozens: 1 } });
  const [first] = hooks.calls;
  expect(first?.at).toBe('hooks.example.com:443/convert?timeout=30s');
  expect(first?.review).toMatchObject({
    kind: 'ConversionReview',
    apiVersion: 'apiextensions.k8s.io/v1',
    request: { desiredAPIVersion: 'example.com/v1', objects: [{ apiVersion: 'example.com/v2', spec: { dozens: 1 } }] },
  });
});

test('a list is converted at once, and what is known is not asked for again', async () => {
  const { hooks, ...server } = await withThings();
  for (const name of ['a', 'b', 'c']) await server.create(v1, { metadata: { name }, spec: { ones: 24 } }, place);
  expect(hooks.calls).toEqual([]);
  const { items } = await server.list(v2, {}, place);
  expect(items.map((item) => (item as Thing).spec)).toEqual([{ dozens: 2 }, { dozens: 2 }, { dozens: 2 }]);
  expect(hooks.calls.map(({ review }) => (review.request as unknown as Asked).objects.length)).toEqual([3]);
  await server.list(v2, {}, place);
  expect(hooks.calls.length).toBe(1);
});

test('many are asked for in parts', async () => {
  const { hooks, ...server } = await withThings();
  for (let index = 0; index < 501; index++)
    await server.create(v1, { metadata: { name: `a${index}` }, spec: { ones: 12 } }, place);
  await server.list(v2, {}, place);
  expect(hooks.calls.map(({ review }) => (review.request as unknown as Asked).objects.length)).toEqual([500, 1]);
});

test('of metadata labels and annotations alone may change', async () => {
  const { hooks, ...server } = await withThings();
  await server.create(v1, { metadata: { name: 'eggs', labels: { from: 'hens' } }, spec: { ones: 12 } }, place);
  const before = await server.get(v1, 'eggs', place);
  hooks.answers.set('/convert', ({ objects }) => {
    const [{ metadata }] = objects as unknown as readonly [Thing];
    const changed = {
      ...metadata,
      labels: { from: 'ducks' },
      annotations: { a: 'b' },
      generation: 77,
      finalizers: ['x/y'],
    };
    const converted = { apiVersion: 'example.com/v2', kind: 'Thing', metadata: changed, spec: { dozens: 1 } };
    return { result: { status: 'Success' }, convertedObjects: [converted] };
  });
  const { metadata } = await server.get(v2, 'eggs', place);
  expect(metadata).toEqual({ ...before.metadata, labels: { from: 'ducks' }, annotations: { a: 'b' } });
});

test('the first version of the review is spoken to those who want it, and asks for less', async () => {
  const { hooks, ...server } = await withThings(['v1beta1', 'v1']);
  const [call] = hooks.calls;
  expect(call).toBeUndefined();
  hooks.answers.set('/convert', (request) => ({ ...convert(request as unknown as Asked), uid: 'another' }));
  await server.create(v2, dozen, place);
  expect(hooks.calls[0]?.review.apiVersion).toBe('apiextensions.k8s.io/v1beta1');
});

/** Who answers with something else mostly leaves alone what it does not know. */
function withUid(answer: object | string, asked: unknown): object | string {
  const { convertedObjects: [first] = [] } = answer as { readonly convertedObjects?: readonly { metadata?: object }[] };
  const [original] = asked as readonly KubeObject[];
  if (first?.metadata === undefined) return answer;
  const metadata = { uid: original?.metadata.uid, ...first.metadata };
  return { ...(answer as object), convertedObjects: [{ ...first, metadata }] };
}

describe('a conversion that fails', () => {
  const why = 'conversion webhook for example.com/v2, Kind=Thing';
  const success = { status: 'Success' };
  const one = (more: object): object => ({
    result: success,
    convertedObjects: [
      {
        apiVersion: 'example.com/v1',
        kind: 'Thing',
        metadata: { name: 'eggs', namespace: 'default' },
        spec: {},
        ...more,
      },
    ],
  });
  test.each<[string, object | string, string]>([
    ['is gone', 'EOF', `${why} failed: Post "https://hooks.example.com/convert?timeout=30s": EOF`],
    ['refuses', { result: { status: 'Failure', message: 'no eggs' } }, `${why} failed: no eggs`],
    ['does not say that it went well', {}, `${why} failed: response.result.status was '', not 'Success'`],
    ['answers another question', { uid: 'x', result: success }, `${why} failed: expected response.uid="UID", got "x"`],
    ['forgets some', { result: success, convertedObjects: [] }, `${why} returned 0 objects, expected 1`],
    [
      'leaves the version',
      one({ apiVersion: 'example.com/v2' }),
      `${why} returned invalid object at index 0: invalid groupVersion (expected example.com/v1, received example.com/v2)`,
    ],
    [
      'changes the kind',
      one({ kind: 'Egg' }),
      `${why} returned invalid object at index 0: invalid kind (expected Thing, received Egg)`,
    ],
    [
      'changes the name',
      one({ metadata: { name: 'ham', namespace: 'default' } }),
      `${why} returned invalid object: must have the same name: eggs != ham`,
    ],
    [
      'has no metadata',
      one({ metadata: undefined }),
      `${why} returned invalid object: must have the same name: eggs != `,
    ],
    [
      'has labels that are none',
      one({ metadata: { name: 'eggs', namespace: 'default', labels: ['a'] } }),
      `${why} returned invalid metadata: invalid metadata.labels of type []interface {} in converted object`,
    ],
    [
      'has an annotation that is no text',
      one({ metadata: { name: 'eggs', namespace: 'default', annotations: { a: 1.5 } } }),
      `${why} returned invalid metadata: metadata.annotations[a] must be a string, but is float64 in converted object`,
    ],
  ])('%s', async (_, answer, message) => {
    const { hooks, ...server } = await withThings();
    hooks.answers.set('/convert', ({ objects }) => withUid(answer, objects));
    const refusal = await refusalOf(server.create(v2, dozen, place));
    const uid = hooks.calls[0]?.review.request.uid ?? '';
    expect(refusal).toMatchObject({ code: 500, message: message.replace('UID', uid) });
    expect(refusal).not.toHaveProperty('details');
    expect((await server.list(v1, {}, place)).items).toEqual([]);
  });
});
