/** Another server answers for a group of the API, as kubectl and a client in the process see it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type APIService, apiservices } from '../api/apiservices.ts';
import { conditionOf } from '../api/conditions.ts';
import { resourceType } from '../api/gvk.ts';
import { failure, StatusError } from '../api/status.ts';
import type { LocalApi } from '../server/context/local-api.ts';
import { createFakeAdapter, type FakeAdapter } from '../testing/fake-adapter.ts';
import { type ServedCluster, startServedCluster, until, withoutKubectl } from './served-cluster.ts';

const { signal } = new AbortController();
const group = 'rates.example.com';
const name = `v1.${group}`;
const rates = resourceType({ group, version: 'v1', resource: 'rates', kind: 'Rate', namespaced: true });
const api: LocalApi = {
  ...{ group, version: 'v1' },
  resources: () => [
    { name: 'rates', singularName: 'rate', namespaced: true, kind: 'Rate', verbs: ['get', 'list', 'watch'] },
  ],
  answer({ name: asked = '', namespace, verb }) {
    if (asked === 'none') throw new StatusError(failure(404, 'NotFound', 'nobody measures none'));
    const rate = { apiVersion: `${group}/v1`, kind: 'Rate', metadata: { name: asked || 'a', namespace } };
    return verb === 'get' ? rate : { apiVersion: `${group}/v1`, kind: 'RateList', metadata: {}, items: [rate] };
  },
};

let served: ServedCluster;
let adapter: FakeAdapter;

beforeAll(async () => {
  [served, adapter] = await Promise.all([
    startServedCluster({ nodes: 1 }),
    createFakeAdapter({ apis: [api], names: ['adapter.default.svc'] }),
  ]);
});

afterAll(async () => {
  await adapter?.close();
  await served?.close();
});

async function condition(): Promise<string> {
  const object = await served.cluster.client.get<APIService>(apiservices, { name, signal });
  const { status = '', reason = '', message = '' } = conditionOf(object.status?.conditions, 'Available') ?? {};
  return `${status} ${reason}: ${message}`;
}

const told = (words: string): Promise<string> => until(condition, (text) => text.includes(words));

const service = `
apiVersion: v1
kind: Service
metadata: { name: adapter, namespace: default }
spec: { type: ExternalName, externalName: localhost }
`;

const registration = (more: string): string => `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: ${name} }
spec:
  group: ${group}
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  service: { namespace: default, name: adapter, port: ${adapter.port} }
  ${more}
`;

const trusted = (): string => registration(`caBundle: ${Buffer.from(adapter.ca).toString('base64')}`);

async function apply(text: string): Promise<void> {
  const answer = served.write('manifest.yaml', text);
  await served.kubectl(`apply -f ${answer}`);
}

describe.skipIf(withoutKubectl())('aggregation', () => {
  test('what is served here is Local, custom resources included', async () => {
    const listed = await until(
      () => served.kubectl('get apiservices'),
      (text) => text.includes('v1.apps'),
    );
    expect(listed).toMatch(/^NAME +SERVICE +AVAILABLE +AGE$/m);
    for (const each of ['v1.', 'v1.apps', 'v2.autoscaling', 'v1beta1.metrics.k8s.io', 'v1.rbac.authorization.k8s.io'])
      expect(listed).toMatch(new RegExp(`^${each.replaceAll('.', '\\.')} +Local +True +`, 'm'));
    expect(await served.kubectl('get apiservice v1.apps -o jsonpath="{.spec.groupPriorityMinimum}"')).toBe('17800');
  });

  test('until its service is there, a group is unavailable, and says so in the words of upstream', async () => {
    await apply(trusted());
    expect(await told('ServiceNotFound')).toBe('False ServiceNotFound: service/adapter in "default" is not present');
    expect(await served.kubectl('get apiservices')).toMatch(
      new RegExp(`^${name.replaceAll('.', '\\.')} +default/adapter +False \\(ServiceNotFound\\)`, 'm'),
    );
    const refusal = await served.kubectl.refused(`get --raw /apis/${group}/v1/namespaces/default/rates/a`);
    expect(refusal).toContain('(ServiceUnavailable): the server is currently unable to handle the request');
  });

  test('once it answers, requests are passed on with who asks', async () => {
    await apply(service);
    expect(await told('Passed')).toBe('True Passed: all checks passed');
    expect(adapter.asked).toContain(`GET /apis/${group}/v1 system:kube-aggregator [system:masters] front-proxy-client`);
    expect(await served.kubectl('get rates a -o name')).toBe('rate.rates.example.com/a');
    expect(adapter.asked.at(-1)).toBe(
      `GET /apis/${group}/v1/namespaces/default/rates/a admin [system:masters system:authenticated] front-proxy-client`,
    );
    const answer = await served.ask(`/apis/${group}/v1/namespaces/default/rates/a`, {
      headers: { 'x-remote-user': 'somebody', 'x-remote-group': 'system:nobody' },
    });
    expect(answer.headers['x-answered-by']).toBe('adapter');
    expect(adapter.asked.at(-1)).toContain(' admin [system:masters system:authenticated] ');
  });

  test('a client in the process gets the same', async () => {
    const { items } = await served.cluster.client.list(rates, { namespace: 'default', signal });
    expect(items).toMatchObject([{ kind: 'Rate', metadata: { name: 'a' } }]);
    const gone = served.cluster.client.get(rates, { namespace: 'default', name: 'none', signal });
    await expect(gone).rejects.toThrow('nobody measures none');
    const ending = new AbortController();
    for await (const event of served.cluster.client.watch(rates, { namespace: 'default', signal: ending.signal })) {
      expect(event).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
      break;
    }
    ending.abort();
  });

  test('who may not is refused here', async () => {
    const before = adapter.asked.length;
    const refusal = await served.kubectl.refused('get rates a --as jane');
    expect(refusal).toContain(
      'rates.rates.example.com "a" is forbidden: User "jane" cannot get resource "rates" in API group "rates.example.com" in the namespace "default"',
    );
    const rateRequests = adapter.asked.slice(before).filter((line) => line.includes('/rates'));
    expect(rateRequests).toEqual([]);
  });

  test('discovery has it', async () => {
    expect(await served.kubectl(`api-resources --api-group=${group} --no-headers`)).toMatch(
      /^rates +rates\.example\.com\/v1 +true +Rate$/,
    );
    expect(await served.kubectl('api-versions')).toContain(`${group}/v1`);
  });

  test('somebody else at the same place is not believed, unless that is wanted', async () => {
    const stranger = await createFakeAdapter({ apis: [api], names: ['other.default.svc'] });
    const to = (text: string): string => text.replace(`port: ${adapter.port}`, `port: ${stranger.port}`);
    try {
      await apply(to(trusted()));
      expect(await told('FailedDiscoveryCheck')).toMatch(
        /^False FailedDiscoveryCheck: failing or missing response from https:\/\/localhost:\d+\/apis\/rates\.example\.com\/v1: Get ".*": .*(certificate|altnames)/,
      );
      await served.kubectl(`delete apiservice ${name}`);
      await apply(to(registration('insecureSkipTLSVerify: true')));
      expect(await told('Passed')).toContain('True');
    } finally {
      await stranger.close();
    }
    await served.kubectl(`delete apiservice ${name}`);
    expect((await served.ask(`/apis/${group}/v1`)).code).toBe(404);
  });

  test('a metrics server of one’s own takes the place of ours, and gives it back', async () => {
    const at = { group: 'metrics.k8s.io', version: 'v1beta1', name: 'v1beta1.metrics.k8s.io' };
    const take = { service: { namespace: 'default', name: 'absent' }, insecureSkipTLSVerify: true };
    await served.kubectl(`patch apiservice ${at.name} --type merge -p '${JSON.stringify({ spec: take })}'`);
    expect(await served.kubectl.refused('top nodes')).toMatch(/Metrics API not available|unable to handle the request/);
    await served.kubectl(`delete apiservice ${at.name}`);
    await until(
      () => served.kubectl.run(`get apiservice ${at.name}`),
      ({ out }) => out.includes('Local'),
    );
    expect((await served.ask('/apis/metrics.k8s.io/v1beta1/nodes')).code).toBe(200);
  });

  test('custom resources bring an APIService, and take it with them', async () => {
    await apply(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.example.org }
spec:
  group: example.org
  scope: Cluster
  names: { plural: things, kind: Thing }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`);
    const shown = (): Promise<string> => served.kubectl('get apiservices');
    expect(await until(shown, (text) => text.includes('v1.example.org'))).toMatch(/^v1\.example\.org +Local +True/m);
    await served.kubectl('delete crd things.example.org');
    await until(shown, (text) => !text.includes('v1.example.org'));
  });

  test('other servers find by what they know this one', async () => {
    const { body } = await served.ask('/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
    const { data } = body as { readonly data: Readonly<Record<string, string>> };
    expect(data['requestheader-allowed-names']).toBe('["front-proxy-client"]');
    expect(data['requestheader-client-ca-file']).toContain('BEGIN CERTIFICATE');
    // Whoever followed the custom resource may have been cut short.
    expect(served.problems.filter((problem) => !problem.includes('cannot follow things'))).toEqual([]);
  });
});
