/** What further random requests to upstream's API server and to ours have shown at the doors. */
import { describe, expect, test } from 'vitest';
import {
  configmaps,
  csinodes,
  customresourcedefinitions,
  daemonsets,
  deployments,
  endpointslices,
  limitranges,
  namespaces,
  persistentvolumeclaims,
  pods,
  serviceaccounts,
} from '../../api/generated/kinds.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { admin, createTestServer, refusalOf } from '../../testing/api-server.ts';
import { agents, crdBody, version } from '../../testing/resources/crd-bodies.ts';

const thing = { apiVersion: 'example.com/v1', kind: 'Agent', metadata: { name: 'a' } };
const versions = [version('v1', { subresources: { status: {} } })];

test('what cannot be read is told before the namespace that does not fit', async () => {
  const { create } = await createTestServer();
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'other' }, data: 5 };
  expect(await refusalOf(create(configmaps, body))).toMatchObject({
    code: 400,
    message: expect.stringContaining('cannot unmarshal number into Go struct field ConfigMap.data'),
  });
  expect(await refusalOf(create(configmaps, { ...body, data: {} }))).toMatchObject({
    message: expect.stringContaining('does not match the namespace sent on the request'),
  });
});

describe('a status of a custom resource', () => {
  test('is of the object that its uid names, where all of it is sent', async () => {
    const { create, update } = await createTestServer();
    await create(customresourcedefinitions, crdBody({ versions }));
    await create(agents, thing);
    const body = { ...thing, metadata: { name: 'a', uid: 'other' } };
    expect(await refusalOf(update(agents, body, { subresource: 'status' }))).toMatchObject({
      code: 409,
      message: expect.stringContaining('Precondition failed: UID in precondition: other'),
    });
  });
});

describe('a definition', () => {
  test('keeps its stored version when its status is taken away', async () => {
    const { create, merge } = await createTestServer();
    const { object } = await create(customresourcedefinitions, crdBody({ versions }));
    const body = { status: null };
    const { name } = (object as { readonly metadata: { readonly name: string } }).metadata;
    const merged = await merge(customresourcedefinitions, name, { subresource: 'status', body });
    expect(merged.object).toHaveProperty('status.storedVersions', ['v1']);
  });

  test('with a version twice is told of each', async () => {
    const { create } = await createTestServer();
    const asked = create(customresourcedefinitions, crdBody({ versions: [version('v1', {}), version('v1', {})] }));
    expect((await refusalOf(asked)).message).toContain(
      'status.storedVersions: Invalid value: ["v1"]: must have the storage version v1',
    );
  });

  test('with a text in the place of a schema or a list has neither', async () => {
    const { create } = await createTestServer();
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', items: 'main' } } } };
    const { object } = await create(customresourcedefinitions, crdBody({ versions: [version('v1', { schema })] }));
    expect(object).toHaveProperty('spec.versions[0].schema.openAPIV3Schema.properties.spec', { type: 'object' });
  });

  test('that is another one stays, and says so in its own words', async () => {
    const { create, delete: remove } = await createTestServer();
    const { object } = await create(customresourcedefinitions, crdBody({ versions }));
    const { name } = (object as { readonly metadata: { readonly name: string } }).metadata;
    const asked = remove(customresourcedefinitions, name, { delete: { preconditions: { resourceVersion: '1' } } });
    expect(await refusalOf(asked)).toMatchObject({
      code: 409,
      message: expect.stringMatching(/customresourcedefinitions.*: ResourceVersion in precondition: 1, /),
    });
  });
});

describe('a namespace', () => {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };

  test.each([{}, { phase: '' }])('is active where its status is %j', async (status) => {
    const { create, update } = await createTestServer();
    await create(namespaces, namespace);
    const { object } = await update(namespaces, { ...namespace, status }, { subresource: 'status' });
    expect(object).toHaveProperty('status.phase', 'Active');
  });

  test('is held by names that say whose they are', async () => {
    const { create, update } = await createTestServer();
    await create(namespaces, namespace);
    const held = { ...namespace, spec: { finalizers: ['mine'] } };
    expect(await refusalOf(update(namespaces, held, { subresource: 'finalize' }))).toMatchObject({
      code: 422,
      message:
        'Namespace "n" is invalid: spec.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    });
  });
});

test('a token is for the account that its uid names', async () => {
  const { create } = await createTestServer({ definitions: builtinDefinitions });
  await create(serviceaccounts, { metadata: { name: 'robot' } });
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: { uid: 'other' }, spec: {} };
  const asked = create(serviceaccounts, body, { name: 'robot', subresource: 'token' });
  expect(await refusalOf(asked)).toMatchObject({
    code: 409,
    message: expect.stringMatching(
      /^Operation cannot be fulfilled on TokenRequest\.authentication\.k8s\.io "robot": the UID in the token request \(other\)/,
    ),
  });
});

test('a claim for a part of a byte is warned of, also where limits refuse it', async () => {
  const { create } = await createTestServer({ definitions: builtinDefinitions });
  const limits = [{ type: 'PersistentVolumeClaim', min: { storage: '1Mi' } }];
  await create(limitranges, { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l' }, spec: { limits } });
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1.5' } } };
  const body = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' }, spec };
  const refusal = await create(persistentvolumeclaims, body).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    status: { code: 403 },
    warnings: ['spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer'],
  });
});

test.each([{}, { name: 'q' }])('a binding with %j is about no pod of that path', async (metadata) => {
  const { create } = await createTestServer();
  const body = { apiVersion: 'v1', kind: 'Binding', metadata, target: { name: 'n' } };
  expect(await refusalOf(create(pods, body, { name: 'p', subresource: 'binding' }))).toMatchObject({
    code: 400,
    message: 'name in URL does not match name in Binding object',
  });
});

test('what others own is told before what stands twice', async () => {
  const { apply } = await createTestServer();
  const config = (a: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a } });
  await apply(configmaps, config('1'), { manager: 'me' });
  for (const fieldValidation of ['Warn', 'Strict'] as const) {
    const asked = apply(configmaps, config('2'), { manager: 'you', flaws: ['twice'], fieldValidation });
    const refusal = await asked.catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: { code: 409 } });
    expect((refusal as { readonly warnings?: readonly string[] }).warnings ?? []).toEqual([]);
  }
  const { warnings } = await apply(configmaps, config('1'), { manager: 'you', flaws: ['twice'] });
  expect(warnings).toEqual(['twice']);
});

test('a collection of definitions is told in the words of all collections', async () => {
  const server = await createTestServer();
  await server.create(customresourcedefinitions, crdBody({ versions }));
  const asked = server.server.perform(
    {
      ...{ verb: 'deletecollection', resource: customresourcedefinitions, user: admin, list: {} },
      options: { preconditions: { uid: 'other' } },
    },
    { signal: AbortSignal.timeout(10_000) },
  );
  expect(await refusalOf(asked)).toMatchObject({
    code: 409,
    message: expect.stringContaining('the UID in the precondition (other) does not match the UID in record'),
  });
});

test('a webhook that names nothing is none, and no change', async () => {
  const { create, merge } = await createTestServer();
  const { object } = await create(customresourcedefinitions, crdBody({ versions }));
  const { name } = (object as { readonly metadata: { readonly name: string } }).metadata;
  const body = { spec: { conversion: { webhook: { conversionReviewVersions: [] } } } };
  const after = await merge(customresourcedefinitions, name, { body });
  expect(after.object).toMatchObject({ metadata: { generation: 1 }, spec: { conversion: { strategy: 'None' } } });
  expect(after.object).not.toHaveProperty('spec.conversion.webhook');
});

test('who scales to nothing owns nothing, and neither does anybody else', async () => {
  const { create, update, get } = await createTestServer();
  const template = { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 2, selector: { matchLabels: { app: 'd' } }, template };
  await create(deployments, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });
  const scaleTo = async (replicas: number): Promise<string> => {
    const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd' }, spec: { replicas } };
    await update(deployments, body, { subresource: 'scale', manager: 'hpa' });
    return JSON.stringify((await get(deployments, 'd')).metadata.managedFields);
  };
  expect(await scaleTo(1)).toContain('"subresource":"scale"');
  expect(await scaleTo(0)).not.toContain('f:replicas');
  expect(await scaleTo(3)).toContain('"subresource":"scale"');
});

test('a count of templates that is no number is not read, by whatever door', async () => {
  const { create, merge, update } = await createTestServer({ definitions: builtinDefinitions });
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  const annotations = { 'deprecated.daemonset.template.generation': 'x' };
  const refusal = {
    code: 400,
    message:
      'DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing "x": invalid syntax',
  };
  const bad = { metadata: { name: 'd', annotations }, spec };
  expect(await refusalOf(create(daemonsets, bad))).toMatchObject(refusal);
  await create(daemonsets, { metadata: { name: 'd' }, spec });
  expect(await refusalOf(update(daemonsets, bad))).toMatchObject(refusal);
  expect(await refusalOf(merge(daemonsets, 'd', { body: { metadata: { annotations } } }))).toMatchObject(refusal);
});

test('a slice that says that it has nothing has not changed', async () => {
  const { create, get, update } = await createTestServer({ definitions: builtinDefinitions });
  const slice = { metadata: { name: 's' }, addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }] };
  await create(endpointslices, { ...slice, ports: [] });
  await update(endpointslices, slice);
  expect((await get(endpointslices, 's')).metadata.generation).toBe(1);
  await update(endpointslices, { ...slice, ports: [{ port: 80 }] });
  expect((await get(endpointslices, 's')).metadata.generation).toBe(2);
});

test('a list with nothing in it is taken by a strategic merge patch as one that was not there', async () => {
  const { create, server } = await createTestServer({ definitions: builtinDefinitions });
  await create(csinodes, { metadata: { name: 'n' }, spec: { drivers: [] } });
  const operation = { verb: 'patch', resource: csinodes, name: 'n', user: admin } as const;
  const patch = { patchType: 'strategic', body: { spec: { drivers: [{}] } }, options: {} } as const;
  const asked = server.perform({ ...operation, ...patch }, { signal: new AbortController().signal });
  expect((await refusalOf(asked)).message).toContain('spec.drivers[0].name: Required value');
});

test('a template is warned of when it comes, and not again while it stays', async () => {
  const { create, merge } = await createTestServer({ definitions: builtinDefinitions });
  const ports = [{ containerPort: 80 }, { containerPort: 80 }];
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i', ports }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  const warning =
    'spec.template.spec.containers[0].ports[1]: duplicate port definition with spec.template.spec.containers[0].ports[0]';
  for (const resource of [deployments, daemonsets]) {
    expect((await create(resource, { metadata: { name: 'w' }, spec })).warnings).toEqual([warning]);
    const labelled = await merge(resource, 'w', { body: { metadata: { labels: { a: 'b' } } } });
    expect(labelled.warnings ?? []).toEqual([]);
    const patient = await merge(resource, 'w', { body: { spec: { minReadySeconds: 1 } } });
    // A DaemonSet counts its templates by themselves.
    expect(patient.warnings ?? []).toEqual(resource === deployments ? [warning] : []);
  }
});
