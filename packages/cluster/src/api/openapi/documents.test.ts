import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../record.ts';
import { openApiV2, openApiV3, openApiV3Index, type ServedResource } from './documents.ts';

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const daemonSets: ServedResource = {
  group: 'apps',
  version: 'v1',
  resource: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
  verbs,
  subresources: [
    { name: 'status', verbs: ['get', 'update', 'patch'], kind: { group: 'apps', version: 'v1', kind: 'DaemonSet' } },
  ],
  schema: 'io.k8s.api.apps.v1.DaemonSet',
};
const deployments: ServedResource = {
  ...daemonSets,
  resource: 'deployments',
  kind: 'Deployment',
  subresources: [
    { name: 'scale', verbs: ['get', 'update', 'patch'], kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
  ],
  schema: 'io.k8s.api.apps.v1.Deployment',
};
const nodes: ServedResource = {
  ...daemonSets,
  group: '',
  resource: 'nodes',
  kind: 'Node',
  namespaced: false,
  subresources: [],
  schema: 'io.k8s.api.core.v1.Node',
};
const agents: ServedResource = {
  ...daemonSets,
  group: 'monitoring.example.com',
  version: 'v1alpha1',
  resource: 'agents',
  kind: 'Agent',
  subresources: [],
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        description: 'What to run.',
        properties: {
          port: { 'x-kubernetes-int-or-string': true },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          maybe: { type: 'string', nullable: true, default: 'x' },
        },
      },
    },
  },
};
const all = [daemonSets, deployments, nodes, agents];

function at(document: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), document);
}

function refsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === '$ref' && typeof part === 'string' ? [part] : refsIn(part),
  );
}

describe('the index', () => {
  test('names a document per group and version', () => {
    const paths = openApiV3Index(all, 'v1.34.2')['paths'] as JsonObject;
    expect(Object.keys(paths).sort()).toEqual(['api/v1', 'apis/apps/v1', 'apis/monitoring.example.com/v1alpha1']);
    expect(at(paths, 'apis/apps/v1', 'serverRelativeURL')).toMatch(
      /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{32}$/,
    );
  });

  test('changes its hash with the document, and only then', () => {
    const hash = (resources: readonly ServedResource[], path: string): unknown =>
      at(openApiV3Index(resources, 'v1.34.2'), 'paths', path, 'serverRelativeURL');
    const changed = { ...agents, schema: { type: 'object' } };
    expect(hash([...all].reverse(), 'apis/apps/v1')).toBe(hash(all, 'apis/apps/v1'));
    expect(hash([daemonSets, changed], 'apis/monitoring.example.com/v1alpha1')).not.toBe(
      hash(all, 'apis/monitoring.example.com/v1alpha1'),
    );
    expect(hash([daemonSets], 'apis/apps/v1')).not.toBe(hash(all, 'apis/apps/v1'));
  });
});

describe('a document of version 3', () => {
  const apps = openApiV3(all, { path: 'apis/apps/v1', serverVersion: 'v1.34.2' });
  const schemas = at(apps, 'components', 'schemas') as JsonObject;

  test('holds every schema that it refers to', () => {
    const names = new Set(refsIn(apps).map((ref) => ref.replace('#/components/schemas/', '')));
    expect(names.size).toBeGreaterThan(50);
    for (const name of names) expect(schemas).toHaveProperty([name]);
  });

  test('says which kinds a schema is of', () => {
    expect(at(schemas, 'io.k8s.api.apps.v1.DaemonSet', 'x-kubernetes-group-version-kind')).toEqual([
      { group: 'apps', version: 'v1', kind: 'DaemonSet' },
    ]);
  });

  test('carries what clients need to make strategic merge patches', () => {
    expect(at(schemas, 'io.k8s.api.core.v1.PodSpec', 'properties', 'containers')).toMatchObject({
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-list-map-keys': ['name'],
    });
    expect(at(schemas, 'io.k8s.api.apps.v1.DeploymentSpec', 'properties', 'strategy')).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy' }],
      'x-kubernetes-patch-strategy': 'retainKeys',
    });
  });

  test('lets quantities and ports be numbers', () => {
    expect(at(schemas, 'io.k8s.apimachinery.pkg.api.resource.Quantity')).toEqual({
      oneOf: [{ type: 'string' }, { type: 'number' }],
    });
    expect(at(schemas, 'io.k8s.apimachinery.pkg.util.intstr.IntOrString')).toEqual({
      format: 'int-or-string',
      oneOf: [{ type: 'integer' }, { type: 'string' }],
    });
  });

  test('explains the fields that people look up', () => {
    expect(at(schemas, 'io.k8s.api.apps.v1.DaemonSetSpec', 'properties', 'template', 'description')).toContain(
      'What new pods look like.',
    );
    expect(at(schemas, 'io.k8s.api.apps.v1.DaemonSet', 'properties', 'spec', 'description')).toBe('What is wanted.');
  });

  test('has the paths with their kinds and options', () => {
    const paths = at(apps, 'paths');
    const object = '/apis/apps/v1/namespaces/{namespace}/daemonsets/{name}';
    expect(at(paths, object, 'patch', 'x-kubernetes-group-version-kind')).toEqual({
      group: 'apps',
      version: 'v1',
      kind: 'DaemonSet',
    });
    const options = (at(paths, object, 'patch', 'parameters') as { name: string; in: string }[]).map(
      (each) => `${each.in} ${each.name}`,
    );
    expect(options).toEqual(['query dryRun', 'query fieldManager', 'query fieldValidation', 'query force']);
    expect(at(paths, '/apis/apps/v1/daemonsets', 'get', 'x-kubernetes-action')).toBe('list');
    expect(at(paths, `${object}/status`, 'put')).toBeDefined();
    expect(
      at(
        paths,
        '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale',
        'get',
        'x-kubernetes-group-version-kind',
      ),
    ).toEqual({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
    const core = at(openApiV3(all, { path: 'api/v1', serverVersion: 'v1.34.2' }), 'paths') as JsonObject;
    expect(Object.keys(core)).toEqual(['/api/v1/nodes', '/api/v1/nodes/{name}']);
  });

  test('leaves out operations that are not served', () => {
    const readOnly = openApiV3([{ ...nodes, verbs: ['get', 'list'] }], { path: 'api/v1', serverVersion: 'v1.34.2' });
    expect(Object.keys(at(readOnly, 'paths', '/api/v1/nodes/{name}') as JsonObject)).toEqual(['get', 'parameters']);
    expect(JSON.stringify(readOnly)).not.toContain('"parameters":[]');
  });

  test('gives operations names that are unique', () => {
    const ids = JSON.stringify(apps).match(/"operationId":"[^"]+"/g) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('of a custom resource names its schema by the reversed group', () => {
    const custom = openApiV3(all, { path: 'apis/monitoring.example.com/v1alpha1', serverVersion: 'v1.34.2' });
    const schema = at(custom, 'components', 'schemas', 'com.example.monitoring.v1alpha1.Agent');
    expect(at(schema, 'properties', 'spec', 'description')).toBe('What to run.');
    expect(at(schema, 'properties', 'metadata')).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
    });
    expect(at(schema, 'x-kubernetes-group-version-kind')).toEqual([
      { group: 'monitoring.example.com', version: 'v1alpha1', kind: 'Agent' },
    ]);
    expect(at(custom, 'components', 'schemas', 'com.example.monitoring.v1alpha1.AgentList')).toBeDefined();
  });

  test('offers strategic merges for what is built in only: clients would send them', () => {
    const custom = openApiV3(all, { path: 'apis/monitoring.example.com/v1alpha1', serverVersion: 'v1.34.2' });
    const strategic = 'application/strategic-merge-patch+json';
    expect(JSON.stringify(custom)).toContain('application/merge-patch+json');
    expect(JSON.stringify(custom)).not.toContain(strategic);
    expect(JSON.stringify(apps)).toContain(strategic);
  });

  test('of a group that is not served does not exist', () => {
    expect(openApiV3(all, { path: 'apis/batch/v1', serverVersion: 'v1.34.2' })).toBeUndefined();
  });
});

describe('the document of version 2', () => {
  const document = openApiV2(all, 'v1.34.2');

  test('refers to its own definitions only', () => {
    for (const ref of new Set(refsIn(document))) {
      expect(ref).toMatch(/^#\/definitions\//);
      expect(document['definitions']).toHaveProperty([ref.slice('#/definitions/'.length)]);
    }
  });

  test('knows no alternatives', () => {
    expect(JSON.stringify(document)).not.toMatch(/"(?:oneOf|anyOf|allOf|nullable)"/);
    expect(at(document, 'definitions', 'io.k8s.apimachinery.pkg.util.intstr.IntOrString')).toEqual({
      type: 'string',
      format: 'int-or-string',
    });
    expect(at(document, 'definitions', 'io.k8s.apimachinery.pkg.api.resource.Quantity')).toEqual({ type: 'string' });
  });

  test('does not call anything wrong where anything is allowed', () => {
    const spec = at(
      document,
      'definitions',
      'com.example.monitoring.v1alpha1.Agent',
      'properties',
      'spec',
      'properties',
    );
    expect(at(spec, 'free')).toEqual({ 'x-kubernetes-preserve-unknown-fields': true });
    expect(at(spec, 'port')).toEqual({ 'x-kubernetes-int-or-string': true });
    expect(at(spec, 'maybe')).toEqual({ type: 'string' });
  });

  test('leaves out lists of parameters in which there is nothing', () => {
    expect(JSON.stringify(document)).not.toContain('"parameters":[]');
  });

  test('has bodies as parameters', () => {
    const create = at(document, 'paths', '/api/v1/nodes', 'post', 'parameters') as { name: string; in: string }[];
    expect(create[0]).toMatchObject({
      name: 'body',
      in: 'body',
      schema: { $ref: '#/definitions/io.k8s.api.core.v1.Node' },
    });
  });
});

test('name what a field selector may name of custom resources, and of nothing else', () => {
  const [selected, name] = [{ ...agents, selectableFields: ['spec.color'] }, 'com.example.monitoring.v1alpha1.Agent'];
  const documents = [
    at(openApiV3([selected], { path: 'apis/monitoring.example.com/v1alpha1', serverVersion: 'v1.34.2' }), 'components'),
    openApiV2([selected], 'v1.34.2'),
  ];
  const fields = documents.flatMap((document, index) => {
    const schemas = at(document, index === 0 ? 'schemas' : 'definitions');
    return ['', 'List'].map((end) => at(schemas, `${name}${end}`, 'x-kubernetes-selectable-fields'));
  });
  expect(fields).toEqual(Array.from({ length: 4 }, () => [{ fieldPath: 'spec.color' }]));
  const open = openApiV2(
    [{ ...selected, schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }],
    'v',
  );
  expect(at(open, 'definitions', name, 'x-kubernetes-selectable-fields')).toEqual([{ fieldPath: 'spec.color' }]);
  expect(JSON.stringify(openApiV2(all, 'v1.34.2'))).not.toContain('selectable');
});

test('two documents of one API are the same bytes', () => {
  const render = (): string =>
    JSON.stringify([
      openApiV3Index(all, 'v1.34.2'),
      openApiV3(all, { path: 'apis/apps/v1', serverVersion: 'v1.34.2' }),
      openApiV2(all, 'v1.34.2'),
    ]);
  expect(render()).toBe(render());
});
