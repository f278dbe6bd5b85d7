import { describe, expect, test } from 'vitest';
import { customresourcedefinitions } from '../../api/generated/kinds.ts';
import { createTestServer } from '../../testing/api-server.ts';
import { byMaturity } from './discovery.ts';

type Json = Readonly<Record<string, unknown>>;

const thingCrd = {
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'things', kind: 'Thing', shortNames: ['th'], categories: ['all'] },
    versions: [
      { name: 'v1beta1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'string', description: 'what' } } } },
      },
    ],
  },
};

const resourceNamed = (list: object | undefined, name: string): Json | undefined =>
  (list as { readonly resources: readonly Json[] }).resources.find((resource) => resource['name'] === name);

describe('legacy discovery', () => {
  test('lists versions and groups, the preferred version first', async () => {
    const { server, create } = await createTestServer();
    expect(server.document({ what: 'coreVersions' })).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    await create(customresourcedefinitions, thingCrd);
    const { groups } = server.document({ what: 'groups' }) as { readonly groups: readonly Json[] };
    expect(groups.map(({ name }) => name)).toEqual([
      'events.k8s.io',
      'apps',
      'coordination.k8s.io',
      'policy',
      'scheduling.k8s.io',
      'apiextensions.k8s.io',
      'authentication.k8s.io',
      'authorization.k8s.io',
      'example.com',
    ]);
    expect(server.document({ what: 'group', group: 'example.com' })).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'example.com',
      versions: [
        { groupVersion: 'example.com/v1', version: 'v1' },
        { groupVersion: 'example.com/v1beta1', version: 'v1beta1' },
      ],
      preferredVersion: { groupVersion: 'example.com/v1', version: 'v1' },
    });
  });

  test('says what can be done with a resource and its subresources', async () => {
    const { server } = await createTestServer();
    const core = server.document({ what: 'resources', group: '', version: 'v1' });
    expect(core).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
    expect(resourceNamed(core, 'pods')).toEqual({
      name: 'pods',
      singularName: 'pod',
      namespaced: true,
      kind: 'Pod',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['po'],
      categories: ['all'],
      storageVersionHash: 'xPOwRZ+Yhw8=',
    });
    expect(resourceNamed(core, 'pods/log')).toMatchObject({ kind: 'Pod', verbs: ['get'] });
    expect(resourceNamed(core, 'pods/binding')).toMatchObject({ kind: 'Binding', verbs: ['create'] });
    expect(resourceNamed(core, 'pods/eviction')).toMatchObject({ group: 'policy', version: 'v1', kind: 'Eviction' });
    expect(resourceNamed(core, 'pods/status')).toMatchObject({ kind: 'Pod', verbs: ['get', 'patch', 'update'] });
    expect(resourceNamed(core, 'namespaces')?.['verbs']).not.toContain('deletecollection');
    expect(resourceNamed(core, 'namespaces/finalize')).toBeDefined();
    expect(resourceNamed(core, 'bindings')).toMatchObject({ verbs: ['create'] });
    const apps = server.document({ what: 'resources', group: 'apps', version: 'v1' });
    expect(resourceNamed(apps, 'deployments/scale')).toMatchObject({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    });
    const reviews = server.document({ what: 'resources', group: 'authorization.k8s.io', version: 'v1' });
    expect(resourceNamed(reviews, 'selfsubjectaccessreviews')).toMatchObject({ namespaced: false, verbs: ['create'] });
  });

  test('says by a hash in which version objects are kept', async () => {
    const { server, create } = await createTestServer();
    await create(customresourcedefinitions, thingCrd);
    const hashOf = (at: { readonly group: string; readonly version: string }, name: string): unknown =>
      resourceNamed(server.document({ what: 'resources', ...at }), name)?.['storageVersionHash'];
    // As upstream's server answers.
    expect(hashOf({ group: 'apps', version: 'v1' }, 'deployments')).toBe('8aSe+NMegvE=');
    expect(hashOf({ group: 'apps', version: 'v1' }, 'deployments/scale')).toBeUndefined();
    // Kept with those of the core group.
    expect(hashOf({ group: 'events.k8s.io', version: 'v1' }, 'events')).toBe('r2yiGXH7wu8=');
    const kept = hashOf({ group: 'example.com', version: 'v1' }, 'things');
    expect(kept).toMatch(/^\S{11}=$/);
    expect(hashOf({ group: 'example.com', version: 'v1beta1' }, 'things')).toBe(kept);
    expect(hashOf({ group: '', version: 'v1' }, 'bindings')).toBeUndefined();
    expect(hashOf({ group: 'authorization.k8s.io', version: 'v1' }, 'subjectaccessreviews')).toBeUndefined();
  });

  test('knows nothing of what is not served', async () => {
    const { server } = await createTestServer();
    expect(server.document({ what: 'group', group: 'nope' })).toBeUndefined();
    expect(server.document({ what: 'resources', group: 'apps', version: 'v9' })).toBeUndefined();
  });
});

describe('aggregated discovery', () => {
  test.each(['v2', 'v2beta1'] as const)('%s holds everything', async (version) => {
    const { server, create } = await createTestServer();
    await create(customresourcedefinitions, thingCrd);
    const core = server.document({ what: 'aggregated', root: 'api', version });
    expect(core).toMatchObject({
      kind: 'APIGroupDiscoveryList',
      apiVersion: `apidiscovery.k8s.io/${version}`,
      items: [{ versions: [{ version: 'v1', freshness: 'Current' }] }],
    });
    const named = server.document({ what: 'aggregated', root: 'apis', version }) as { readonly items: readonly Json[] };
    expect(named.items.at(-1)).toMatchObject({
      metadata: { name: 'example.com' },
      versions: [
        {
          version: 'v1',
          resources: [
            {
              resource: 'things',
              responseKind: { group: 'example.com', version: 'v1', kind: 'Thing' },
              scope: 'Cluster',
              singularResource: 'thing',
              shortNames: ['th'],
              categories: ['all'],
            },
          ],
        },
        { version: 'v1beta1' },
      ],
    });
  });
});

describe('OpenAPI', () => {
  test('v3 has a document for every group and version, with whole references', async () => {
    const { server, create } = await createTestServer();
    await create(customresourcedefinitions, thingCrd);
    const { paths } = server.document({ what: 'openapi3Index' }) as { readonly paths: Json };
    expect(Object.keys(paths)).toContain('apis/apps/v1');
    for (const path of Object.keys(paths)) {
      const text = JSON.stringify(server.document({ what: 'openapi3', path }));
      const { schemas } = (JSON.parse(text) as { components: { schemas: Json } }).components;
      for (const [, name = ''] of text.matchAll(/"\$ref":"([^"]*)"/g))
        expect(Object.hasOwn(schemas, name.replace('#/components/schemas/', '')), `${path}: ${name}`).toBe(true);
    }
    expect(server.document({ what: 'openapi3', path: 'apis/nope/v1' })).toBeUndefined();
  });

  test('v2 refers to what it holds only, also in fields that are called like a keyword', async () => {
    const { server } = await createTestServer();
    const document = server.document({ what: 'openapi2' }) as { readonly definitions: Json };
    for (const [, name = ''] of JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)) {
      expect(name).toMatch(/^#\/definitions\//);
      expect(Object.hasOwn(document.definitions, name.replace('#/definitions/', '')), name).toBe(true);
    }
    const fields = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
    expect(document.definitions[fields]).toMatchObject({
      properties: { $ref: { type: 'string' }, default: expect.anything(), additionalProperties: expect.anything() },
    });
  });

  test('patch operations say that they know fieldValidation and dryRun', async () => {
    const { server } = await createTestServer();
    const document = server.document({ what: 'openapi3', path: 'apis/apps/v1' });
    expect(document).toMatchObject({
      openapi: '3.0.0',
      paths: {
        '/apis/apps/v1/namespaces/{namespace}/deployments/{name}': {
          patch: {
            'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
            parameters: [{ name: 'dryRun', in: 'query' }, { name: 'fieldManager' }, { name: 'fieldValidation' }, {}],
          },
        },
      },
      components: {
        schemas: {
          'io.k8s.api.apps.v1.Deployment': {
            description: expect.stringContaining('Deployment'),
            properties: { spec: { allOf: [{ $ref: expect.stringContaining('#/components/schemas/') }] } },
          },
        },
      },
    });
  });

  test('custom resources are described in both', async () => {
    const { server, create } = await createTestServer();
    await create(customresourcedefinitions, thingCrd);
    const schema = {
      properties: { spec: { type: 'string', description: 'what' }, metadata: { description: expect.any(String) } },
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Thing' }],
    };
    expect(server.document({ what: 'openapi2' })).toMatchObject({
      swagger: '2.0',
      definitions: { 'com.example.v1.Thing': schema },
    });
    expect(server.document({ what: 'openapi3', path: 'apis/example.com/v1' })).toMatchObject({
      components: { schemas: { 'com.example.v1.Thing': schema } },
    });
  });
});

test('the same document comes back until what is served changes', async () => {
  const { server, create } = await createTestServer();
  const requests = [{ what: 'openapi2' }, { what: 'groups' }, { what: 'openapi3Index' }, { what: 'version' }] as const;
  const before = requests.map((request) => server.document(request));
  expect(requests.map((request) => server.document(request)).every((each, index) => each === before[index])).toBe(true);
  await create(customresourcedefinitions, thingCrd);
  expect(server.document({ what: 'groups' })).not.toBe(before[1]);
  expect(server.document({ what: 'openapi3Index' })).not.toEqual(before[2]);
});

test('the version is that of the API that is spoken', async () => {
  const { server } = await createTestServer();
  expect(server.document({ what: 'version' })).toMatchObject({
    major: '1',
    minor: '34',
    emulationMinor: '34',
    minCompatibilityMinor: '33',
    gitVersion: expect.stringMatching(/^v1\.34\.\d+$/),
  });
});

test('versions are ordered by how mature they are', () => {
  const versions = ['v1alpha1', 'foo', 'v2', 'v1beta1', 'v10', 'v1', 'v1beta2', 'bar', 'v2alpha1'];
  expect(versions.sort(byMaturity)).toEqual([
    'v10',
    'v2',
    'v1',
    'v1beta2',
    'v1beta1',
    'v2alpha1',
    'v1alpha1',
    'bar',
    'foo',
  ]);
});
