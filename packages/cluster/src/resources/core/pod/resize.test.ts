import { beforeEach, expect, test } from 'vitest';
import type { Pod } from '../../../api/generated/core-v1.ts';
import { limitranges, pods, resourcequotas } from '../../../api/generated/kinds.ts';
import { createTestServer, refusalOf, type TestServer } from '../../../testing/api-server.ts';
import { builtinDefinitions } from '../../builtin.ts';

const at = { subresource: 'resize' };
const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m' } };
let server: TestServer;

beforeEach(async () => {
  server = await createTestServer({ definitions: builtinDefinitions });
  const [main, first] = ['main', 'first'].map((name) => ({ name, image: 'i', resources }));
  await server.create(pods, { metadata: { name: 'p' }, spec: { containers: [main], initContainers: [first] } });
});

type Amounts = Readonly<Record<string, string>>;

const sized = (requests: Amounts, limits: Amounts): object => ({
  spec: { containers: [{ name: 'main', image: 'other', resources: { requests, limits } }] },
});
const main = ({ requests = {}, limits = {} }: { readonly requests?: Amounts; readonly limits?: Amounts }): object =>
  sized({ ...resources.requests, ...requests }, { ...resources.limits, ...limits });
const put = (body: object): ReturnType<TestServer['merge']> => server.merge(pods, 'p', { ...at, body });
const refused = async (body: object): Promise<readonly string[]> => {
  const { details } = await refusalOf(put(body));
  return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
};

test('sizes change, and are noted under the door that they came by', async () => {
  await put(main({ requests: { cpu: '150m' } }));
  const { metadata, spec } = (await server.get(pods, 'p')) as Pod;
  expect(metadata.generation).toBe(2);
  expect(spec.containers[0]?.resources?.requests).toEqual({ cpu: '150m', memory: '64Mi' });
  expect(metadata.managedFields?.map(({ subresource }) => subresource)).toContain('resize');
});

test('nothing else of the body counts', async () => {
  const before = (await server.get(pods, 'p')) as Pod;
  const body = main({ limits: { cpu: '300m' } });
  await put({ ...body, metadata: { labels: { a: 'b' } }, status: { phase: 'Failed' } });
  const after = (await server.get(pods, 'p')) as Pod;
  expect(after.spec.containers[0]?.image).toBe('i');
  expect(after.metadata.labels).toEqual(before.metadata.labels);
  expect(after.status.phase).toBe('Pending');
});

test.each<[object, readonly string[]]>([
  [
    sized({ cpu: '100m' }, resources.limits),
    ['spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed'],
  ],
  [
    sized(resources.requests, {}),
    ['spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed'],
  ],
  [main({ requests: { 'ephemeral-storage': '1Gi' } }), ['spec: Forbidden: only cpu and memory resources are mutable']],
  [
    main({ requests: { cpu: '300m' } }),
    ['spec.containers[0].resources.requests: Invalid value: "300m": must be less than or equal to cpu limit of 200m'],
  ],
  [
    {
      spec: {
        containers: [
          {
            name: 'main',
            image: 'i',
            resources,
            resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
          },
        ],
      },
    },
    ['spec: Forbidden: only cpu and memory resources are mutable'],
  ],
  [
    { spec: { containers: [{ name: 'other', image: 'i', resources }] } },
    ['spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize'],
  ],
  [
    { spec: { initContainers: [] } },
    ['spec.initContainers: Forbidden: initContainers may not be added or removed on resize'],
  ],
  [
    { spec: { initContainers: [{ name: 'first', image: 'i', resources: { ...resources, limits: { cpu: '300m' } } }] } },
    ['spec: Forbidden: resources for non-sidecar init containers are immutable'],
  ],
])('%j is refused', async (body, expected) => expect(await refused(body)).toEqual(expected));

test('a pod stays in its class of service', async () => {
  await server.create(pods, { metadata: { name: 'q' }, spec: { containers: [{ name: 'main', image: 'i' }] } });
  const refusal = await refusalOf(server.merge(pods, 'q', { ...at, body: sized({ cpu: '1' }, {}) }));
  const issue = 'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing';
  expect(refusal.message).toBe(`Pod "q" is invalid: ${issue.replace('Burstable', 'BestEffort')}`);
});

test('a pod that has a size of its own keeps it', async () => {
  await server.create(pods, {
    metadata: { name: 'q', annotations: {} },
    spec: { containers: [{ name: 'main', image: 'i' }], resources: { requests: { cpu: '1' } } },
  });
  const body = main({ requests: { cpu: '150m' } });
  const refusal = await refusalOf(server.merge(pods, 'q', { ...at, body }));
  expect(refusal.message).toContain('pods with pod-level resources cannot be resized');
});

test('limits and quotas hold', async () => {
  const limits = [{ type: 'Container', max: { cpu: '250m' } }];
  await server.create(limitranges, { metadata: { name: 'l' }, spec: { limits } });
  expect((await refusalOf(put(main({ limits: { cpu: '1' } })))).message).toContain(
    'maximum cpu usage per Container is 250m',
  );
  await server.create(resourcequotas, { metadata: { name: 'q' }, spec: { hard: { 'requests.cpu': '120m' } } });
  const status = { hard: { 'requests.cpu': '120m' }, used: { 'requests.cpu': '100m' } };
  await server.merge(resourcequotas, 'q', { subresource: 'status', body: { status } });
  const refusal = await refusalOf(put(main({ requests: { cpu: '150m' } })));
  expect(refusal.message).toContain(
    'exceeded quota: q, requested: requests.cpu=50m, used: requests.cpu=100m, limited: requests.cpu=120m',
  );
});
