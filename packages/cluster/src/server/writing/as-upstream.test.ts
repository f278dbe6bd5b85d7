/** What a comparison with a real API server has found at its doors. */
import { describe, expect, test } from 'vitest';
import { apiservices } from '../../api/apiservices.ts';
import {
  configmaps,
  customresourcedefinitions,
  deployments,
  ipaddresses,
  leases,
  limitranges,
  namespaces,
  nodes,
  persistentvolumeclaims,
  pods,
  resourcequotas,
  serviceaccounts,
  services,
  statefulsets,
} from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { statefulsetDefinition } from '../../resources/apps/statefulset.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { limitrangeDefinition } from '../../resources/core/limitrange.ts';
import { persistentvolumeclaimDefinition } from '../../resources/core/persistentvolumeclaim.ts';
import { resourcequotaDefinition } from '../../resources/core/resourcequota.ts';
import { ipaddressDefinition } from '../../resources/networking/ipaddress.ts';
import { admin, createTestServer, pod, refusalOf, type TestServer } from '../../testing/api-server.ts';
import { agents, crdBody, version } from '../../testing/resources/crd-bodies.ts';

const lease = (metadata: object): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'a', ...metadata },
});

const config = (metadata: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
});

const deployment = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } },
  spec: {
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};

describe('an update of what is not there', () => {
  test('is about another object where it names a uid', async () => {
    const { update } = await createTestServer();
    expect(await refusalOf(update(leases, lease({ uid: 'x' })))).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on leases.coordination.k8s.io "a": Precondition failed: UID in precondition: x, UID in object meta: ',
    });
  });

  test('makes one, whatever version it was made from', async () => {
    const { update } = await createTestServer();
    expect((await update(leases, lease({ resourceVersion: '5' }))).code).toBe(201);
  });
});

test('who says that an object is gone is not heard', async () => {
  const { create, merge, delete: remove } = await createTestServer();
  await create(configmaps, config({ finalizers: ['a.b/c'] }));
  await remove(configmaps, 'a');
  const other = { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z', labels: { a: 'b' } } };
  const { code, object } = await merge(configmaps, 'a', { body: other });
  expect(code).toBe(200);
  expect((object as KubeObject).metadata.deletionTimestamp).not.toBe('2020-01-01T00:00:00Z');
});

test('a generation below nothing is refused where none is counted', async () => {
  const { create } = await createTestServer();
  const refused = create(configmaps, config({ generation: -1 }));
  expect(await refusalOf(refused)).toMatchObject({ code: 422 });
  expect((await create(configmaps, config({ generation: 1 }))).object).not.toHaveProperty('metadata.generation');
});

test('limits without a name get one', async () => {
  const { create } = await createTestServer({ definitions: [limitrangeDefinition] });
  const body = { apiVersion: 'v1', kind: 'LimitRange', metadata: {}, spec: { limits: [] } };
  const { code, object } = await create(limitranges, body);
  expect([code, (object as KubeObject).metadata.name]).toEqual([201, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
});

test('a new name is warned about, an old one not', async () => {
  const { create, merge } = await createTestServer();
  expect((await create(pods, pod('a.b'))).warnings).toEqual([expect.stringContaining('must not contain dots')]);
  expect((await merge(pods, 'a.b', { body: { metadata: { labels: { a: 'b' } } } })).warnings ?? []).toEqual([]);
});

test('what has no namespace is not selected by it where it has fields of its own', async () => {
  const { list } = await createTestServer();
  expect(await refusalOf(list(nodes, { fieldSelector: 'metadata.namespace=a' }))).toMatchObject({
    code: 400,
    message: 'field label not supported: metadata.namespace',
  });
});

describe('a custom resource', () => {
  const made = async (): ReturnType<typeof createTestServer> => {
    const server = await createTestServer();
    const versions = [version('v1', { subresources: { status: {} } })];
    await server.create(customresourcedefinitions, crdBody({ versions }));
    return server;
  };
  const agent = (more: object): object => ({
    apiVersion: 'example.com/v1',
    kind: 'Agent',
    metadata: { name: 'a' },
    ...more,
  });

  test.each<[object, number, string | RegExp]>([
    [{ kind: undefined }, 400, /Object 'Kind' is missing$/],
    [{ apiVersion: undefined }, 400, /^the API version in the data \(\) does not match/],
    [{ kind: 'Other' }, 422, 'Other.example.com "a" is invalid: kind: Invalid value: "Other": must be Agent'],
    [{ kind: '' }, 400, /Object 'Kind' is missing$/],
    [{ apiVersion: 'v1', kind: 'Pod' }, 400, /^the API version in the data \(v1\) does not match/],
    [{ metadata: 'a' }, 400, /cannot unmarshal string into Go value of type v1\.ObjectMeta$/],
    [{ metadata: { name: 'a', resourceVersion: 5 } }, 400, /resourceVersion of type string$/],
    [{ metadata: { name: 'a', namespace: 5 } }, 400, /namespace of type string$/],
  ])('is refused as %j', async (more, code, message) => {
    const { server } = await made();
    const body = JSON.parse(JSON.stringify(agent(more))) as unknown;
    const signal = AbortSignal.timeout(10_000);
    const asked = { verb: 'create', resource: agents, user: admin, namespace: 'default', wasText: true } as const;
    const refusal = await refusalOf(server.perform({ ...asked, body, options: {} }, { signal }));
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(message) as unknown });
  });

  test('has a status of nobody’s uid, and of any kind', async () => {
    const { create, merge } = await made();
    await create(agents, agent({}));
    for (const body of [{ metadata: { uid: 'other' } }, { kind: 'Other' }, { apiVersion: 'v9' }])
      expect((await merge(agents, 'a', { subresource: 'status', body })).code).toBe(200);
    expect(await refusalOf(merge(agents, 'a', { body: { kind: null } }))).toMatchObject({ code: 400 });
  });
});

describe('a patch', () => {
  const strategic = async (body: object): Promise<unknown> => {
    const { create, server } = await createTestServer();
    await create(configmaps, config({}));
    const asked = {
      verb: 'patch',
      patchType: 'strategic',
      resource: configmaps,
      name: 'a',
      namespace: 'default',
    } as const;
    return server.perform({ ...asked, user: admin, body, options: {} }, { signal: AbortSignal.timeout(10_000) });
  };

  test('that merges by a schema makes nothing of another kind', async () => {
    const body = { kind: 'Other', apiVersion: 'v9', data: { a: 'b' } };
    const object = { kind: 'ConfigMap', apiVersion: 'v1', data: { a: 'b' } };
    expect(await strategic(body)).toMatchObject({ code: 200, object });
    expect(await refusalOf(strategic({ kind: 5 }))).toMatchObject({ code: 400 });
  });

  test('may leave the kind empty', async () => {
    const { create, merge } = await createTestServer();
    await create(configmaps, config({}));
    expect((await merge(configmaps, 'a', { body: { kind: '' } })).code).toBe(200);
    expect(await refusalOf(merge(configmaps, 'a', { body: { kind: 'Other' } }))).toMatchObject({ code: 400 });
  });

  test('of another version is told so before it is told of another uid', async () => {
    const { create, merge } = await createTestServer();
    await create(configmaps, config({}));
    const body = { metadata: { uid: 'x', resourceVersion: 'x' } };
    expect(await refusalOf(merge(configmaps, 'a', { body }))).toMatchObject({
      message: expect.stringContaining('the object has been modified') as unknown,
    });
  });

  test('of a scale names the scale where it is about another uid', async () => {
    const { create, merge } = await createTestServer();
    await create(deployments, deployment);
    const body = { metadata: { uid: 'x' }, spec: { replicas: 2 } };
    expect(await refusalOf(merge(deployments, 'd', { subresource: 'scale', body }))).toMatchObject({
      message: expect.stringContaining('on deployments/scale.apps "d": Precondition failed: UID') as unknown,
    });
  });
});

describe('an apply', () => {
  const node = (conditions: readonly object[]): object => ({
    ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } },
    status: { conditions },
  });

  test('is looked at whole, by whatever door it comes', async () => {
    const { apply } = await createTestServer();
    const twice = node([{ type: 'A' }, { type: 'A' }]);
    const message = expect.stringMatching(/\.status\.conditions: duplicate entries for key/) as unknown;
    expect(await refusalOf(apply(nodes, twice, { manager: 'm' }))).toMatchObject({ code: 500, message });
    await apply(nodes, node([{ type: 'A' }]), { manager: 'm' });
    expect(await refusalOf(apply(nodes, twice, { manager: 'm' }))).toMatchObject({ code: 500, message });
  });

  test('that changes nothing but owners notes no time', async () => {
    const { apply } = await createTestServer();
    const labelled = config({ labels: { a: 'b' } });
    await apply(configmaps, labelled, { manager: 'first' });
    const { object } = await apply(configmaps, labelled, { manager: 'second' });
    const { managedFields = [] } = (object as KubeObject).metadata;
    expect(managedFields.map(({ manager, time }) => [manager, time !== undefined])).toEqual([
      ['second', false],
      ['first', true],
    ]);
  });
});

test('an address has the name that begins it', async () => {
  const { create } = await createTestServer({ definitions: [ipaddressDefinition] });
  const body = {
    ...{ apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress', metadata: { generateName: '192.0.2.1' } },
    spec: { parentRef: { resource: 'services', name: 'a' } },
  };
  expect((await create(ipaddresses, body)).object).toMatchObject({ metadata: { name: '192.0.2.1' } });
});

test('a definition that is deleted is marked, and nothing else is asked of it', async () => {
  const { create, delete: remove } = await createTestServer();
  await create(customresourcedefinitions, crdBody({ versions: [version('v1')] }));
  const { object } = await remove(customresourcedefinitions, 'agents.example.com', {
    delete: { propagationPolicy: 'Orphan' },
  });
  const finalizers = ['customresourcecleanup.apiextensions.k8s.io'];
  const { metadata } = object as KubeObject;
  expect(metadata).toMatchObject({ generation: 1, finalizers, deletionTimestamp: expect.any(String) as unknown });
  expect(metadata).not.toHaveProperty('deletionGracePeriodSeconds');
});

test('a quota shows what somebody has counted', () => {
  const body = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { pods: '5' } } };
  const cells = (status: object): readonly string[] =>
    (resourcequotaDefinition.columns ?? []).map((column) => column.of({ ...body, status } as never, 0) as string);
  expect(cells({})).toEqual(['', '']);
  const counted = { hard: { pods: '5', 'limits.ephemeral-storage': '1Gi' }, used: { pods: '1' } };
  expect(cells(counted)).toEqual(['pods: 1/5', 'limits.ephemeral-storage: 0/1Gi']);
});

describe('a claim says where its data comes from', () => {
  const claim = (source: object): object => ({
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a' } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...source },
  });
  const same = { kind: 'PersistentVolumeClaim', name: 'b' };
  const populated = { apiGroup: 'example.com', kind: 'Populator', name: 'b' };
  test.each([
    [{ dataSource: same }, [same, same]],
    [{ dataSourceRef: populated }, [populated, populated]],
    [{ dataSource: populated }, [undefined, undefined]],
    [{}, [undefined, undefined]],
  ])('%j', async (source, [dataSource, dataSourceRef]) => {
    const { create, update } = await createTestServer({ definitions: [persistentvolumeclaimDefinition] });
    const { object } = await create(persistentvolumeclaims, claim(source));
    const { spec } = object as unknown as { readonly spec: object };
    expect(spec).toEqual(expect.objectContaining({ accessModes: ['ReadWriteOnce'] }));
    expect([(spec as { dataSource?: object }).dataSource, (spec as { dataSourceRef?: object }).dataSourceRef]).toEqual([
      dataSource,
      dataSourceRef,
    ]);
    // Whoever sends again what they sent first changes nothing.
    expect((await update(persistentvolumeclaims, claim(source))).code).toBe(200);
  });
});

describe('a namespace', () => {
  const namespace = (labels: object): object => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'n', labels },
  });

  test('keeps the label with its name whatever a status says', async () => {
    const { create, update } = await createTestServer();
    await create(namespaces, namespace({}));
    const body = { ...namespace({ a: 'b' }), status: { phase: 'Active' } };
    const { object } = await update(namespaces, body, { subresource: 'status' });
    expect(object.metadata).toHaveProperty('labels', { a: 'b', 'kubernetes.io/metadata.name': 'n' });
  });

  test('that is another one stays, and says so in its own words', async () => {
    const { create, delete: remove } = await createTestServer();
    await create(namespaces, namespace({}));
    expect(await refusalOf(remove(namespaces, 'n', { delete: { preconditions: { uid: 'other' } } }))).toMatchObject({
      code: 409,
      message: expect.stringMatching(
        /^Operation cannot be fulfilled on namespaces "n": Precondition failed: UID in precondition: other, UID in object meta: .+/,
      ),
    });
  });
});

test('a StatefulSet does not mind what kind its claim templates call themselves', async () => {
  const { create, merge } = await createTestServer({ definitions: [statefulsetDefinition] });
  const claims = (more: object): object => ({
    volumeClaimTemplates: [
      {
        ...more,
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  });
  const { spec } = deployment;
  await create(statefulsets, {
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 's' } },
    spec: { ...spec, serviceName: 's', ...claims({}) },
  });
  expect((await merge(statefulsets, 's', { body: { spec: claims({ kind: 'Other' }) } })).code).toBe(200);
});

/** Nobody may make any more pods. */
async function spent(): Promise<TestServer> {
  const server = await createTestServer({ definitions: builtinDefinitions });
  const hard = { pods: '0' };
  await server.create(resourcequotas, { metadata: { name: 'q' }, spec: { hard } });
  await server.merge(resourcequotas, 'q', { subresource: 'status', body: { status: { hard, used: hard } } });
  return server;
}

describe('who is refused', () => {
  test('is told what was unwise besides, whoever refuses', async () => {
    const { create } = await spent();
    const asked = create(pods, { ...pod('p', { unheardOf: 1 }) }, { fieldValidation: 'Warn' });
    const refusal = await asked.catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: { code: 403 }, warnings: ['unknown field "spec.unheardOf"'] });
  });

  test('as a node learns nothing of quotas', async () => {
    const { create } = await spent();
    const user = { name: 'system:node:a', groups: ['system:nodes', 'system:authenticated'] };
    expect(await refusalOf(create(pods, pod('p', { nodeName: 'a' }), { user }))).toMatchObject({
      code: 403,
      message: expect.stringContaining('can only create mirror pods'),
    });
  });
});

test('a service account that may mount some secrets alone is warned about once', async () => {
  const { create, merge } = await createTestServer({ definitions: builtinDefinitions });
  const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
  const warned = [expect.stringContaining('deprecated in v1.32+')];
  expect((await create(serviceaccounts, { metadata: { name: 'a', annotations } })).warnings).toEqual(warned);
  const again = await merge(serviceaccounts, 'a', { body: { metadata: { labels: { a: 'b' } } } });
  expect(again.warnings).toEqual([]);
});

test('an eviction that would delete what nobody can read is refused before its pod is looked for', async () => {
  const { create } = await createTestServer({ definitions: builtinDefinitions });
  const deleteOptions = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' }, deleteOptions };
  expect(await refusalOf(create(pods, eviction, { name: 'p', subresource: 'eviction' }))).toMatchObject({
    code: 422,
    message: expect.stringContaining('can not be set for pod eviction, try after removing the option'),
  });
});

describe('of several values that do not fit', () => {
  test('that is named which its type reads for itself', async () => {
    const { create } = await createTestServer({ definitions: builtinDefinitions });
    const spec = { accessModes: 'a', resources: { requests: { storage: {} } } };
    expect(await refusalOf(create(persistentvolumeclaims, { metadata: { name: 'c' }, spec }))).toMatchObject({
      code: 400,
      message: expect.stringContaining('quantities must match the regular expression'),
    });
  });

  test('a schema is one, or a boolean', async () => {
    const { create } = await createTestServer({ definitions: builtinDefinitions });
    const body = crdBody({
      versions: [version('v1', { schema: { openAPIV3Schema: { type: 'object', additionalProperties: 'a' } } })],
    });
    expect(await refusalOf(create(customresourcedefinitions, body))).toMatchObject({
      code: 400,
      message: expect.stringContaining('boolean or JSON schema expected'),
    });
  });

  test('times of an APIService are read as all others', async () => {
    const { create } = await createTestServer({ definitions: builtinDefinitions });
    const conditions = [{ type: 'Available', status: 'True', lastTransitionTime: 'soon' }];
    const spec = { group: 'a.b', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 };
    const asked = create(apiservices, { metadata: { name: 'v1.a.b' }, spec, status: { conditions } });
    expect(await refusalOf(asked)).toMatchObject({
      code: 400,
      message: expect.stringContaining('parsing time "soon"'),
    });
  });
});

test('an eviction says in a known way how its pod is to go', async () => {
  const { create } = await createTestServer({ definitions: builtinDefinitions });
  await create(pods, pod('p'));
  const evict = (deleteOptions: object): Promise<unknown> =>
    create(
      pods,
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' }, deleteOptions },
      { name: 'p', subresource: 'eviction' },
    );
  const front = 'DeleteOptions.meta.k8s.io "" is invalid: ';
  expect((await refusalOf(evict({ dryRun: ['a'] }))).message).toBe(
    `${front}dryRun: Unsupported value: ["a"]: supported values: "All"`,
  );
  expect((await refusalOf(evict({ propagationPolicy: 'a' }))).message).toBe(
    `${front}propagationPolicy: Unsupported value: "a": supported values: "Foreground", "Background", "Orphan", "nil"`,
  );
});

describe('of a pod', () => {
  test('what is off may be said to be off', async () => {
    const { create, merge } = await createTestServer({ definitions: builtinDefinitions });
    await create(pods, pod('p'));
    expect((await merge(pods, 'p', { body: { spec: { hostNetwork: false, hostPID: false } } })).code).toBe(200);
  });

  test('its status keeps its class of service, and says nothing of its end', async () => {
    const { create, get, merge } = await createTestServer({ definitions: builtinDefinitions });
    await create(pods, pod('p'));
    const at = { subresource: 'status' };
    await merge(pods, 'p', { ...at, body: { status: { observedGeneration: 3 } } });
    const body = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, status: { phase: 'Running' } };
    await merge(pods, 'p', {
      ...at,
      body: { ...body, status: { ...body.status, qosClass: null, observedGeneration: null } },
    });
    expect(await get(pods, 'p')).toMatchObject({
      status: { phase: 'Running', qosClass: 'BestEffort', observedGeneration: 3 },
    });
    expect((await get(pods, 'p')).metadata.deletionTimestamp).toBeUndefined();
    const nominated = merge(pods, 'p', { ...at, body: { status: { nominatedNodeName: 'A' } } });
    expect((await refusalOf(nominated)).message).toContain('status.nominatedNodeName: Invalid value: "A"');
  });

  test('an address of a host without a port is warned of', async () => {
    const { create } = await createTestServer({ definitions: builtinDefinitions });
    const container = { name: 'c', image: 'i', ports: [{ containerPort: 80, hostIP: '10.0.0.1' }] };
    expect((await create(pods, pod('p', { containers: [container] }))).warnings).toEqual([
      'spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}',
    ]);
  });
});

test('a list that was not there is taken by a strategic merge patch as it comes', async () => {
  const { create, server, get } = await createTestServer({ definitions: builtinDefinitions });
  await create(serviceaccounts, { metadata: { name: 'a' } });
  const patch = (body: object): Promise<unknown> =>
    server.perform(
      {
        ...{ verb: 'patch', resource: serviceaccounts, namespace: 'default', name: 'a', user: admin },
        ...{ patchType: 'strategic', body, options: {} },
      },
      { signal: new AbortController().signal },
    );
  await patch({ secrets: [{}] });
  expect(await get(serviceaccounts, 'a')).toMatchObject({ secrets: [{}] });
  expect((await refusalOf(patch({ secrets: [{}] }))).message).toContain('does not contain declared merge key: name');
});

test('ranges of a load balancer are for one alone', async () => {
  const { create } = await createTestServer({ definitions: builtinDefinitions });
  const spec = { ports: [{ port: 80 }], loadBalancerSourceRanges: ['10.0.0.0/8'] };
  expect((await refusalOf(create(services, { metadata: { name: 's' }, spec }))).message).toContain(
    "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
  );
  expect((await create(services, { metadata: { name: 's' }, spec: { ...spec, type: 'LoadBalancer' } })).code).toBe(201);
});
