/** Webhooks behind HTTPS, called by the cluster, as kubectl sees what comes of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HookServer, startHookServer } from '../testing/hook-server.ts';
import { type Kubectl, type ServedCluster, startServedCluster, until, withoutKubectl } from './served-cluster.ts';

const without = withoutKubectl();
let served: ServedCluster;
let kubectl: Kubectl;
let hook: HookServer;

interface Request {
  readonly uid: string;
  readonly operation: string;
  readonly name?: string;
  readonly object?: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } };
  readonly desiredAPIVersion?: string;
  readonly objects?: readonly (Record<string, unknown> & { readonly spec: Record<string, unknown> })[];
}

function answerTo(path: string, request: Request): object {
  switch (path.replace(/\?.*$/, '')) {
    case '/mutate': {
      const labels = { ...request.object?.metadata.labels, 'example.com/seen': 'yes' };
      const patch = JSON.stringify([{ op: 'add', path: '/metadata/labels', value: labels }]);
      return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(patch).toString('base64') };
    }
    case '/validate':
      return request.object?.metadata.labels?.['example.com/evil'] === 'yes'
        ? { allowed: false, status: { code: 403, reason: 'Forbidden', message: 'no evil here' } }
        : { allowed: true, warnings: ['looked at by a webhook'] };
    case '/convert': {
      const { desiredAPIVersion = '', objects = [] } = request;
      const convertedObjects = objects.map(({ spec, ...object }) => ({
        ...object,
        apiVersion: desiredAPIVersion,
        spec: desiredAPIVersion.endsWith('/v2')
          ? { size: `${String(spec['count'])}x` }
          : { count: parseInt(String(spec['size']), 10) },
      }));
      return { result: { status: 'Success' }, convertedObjects };
    }
    default:
      throw new Error(`nobody is at ${path}`);
  }
}

beforeAll(async () => {
  if (without) return;
  hook = await startHookServer({
    names: ['localhost', '127.0.0.1', 'hooks.shop.svc'],
    reply({ path, body }) {
      const { request, ...review } = JSON.parse(body) as { readonly request: Request };
      return { text: JSON.stringify({ ...review, response: { uid: request.uid, ...answerTo(path, request) } }) };
    },
  });
  served = await startServedCluster({ nodes: 1 });
  ({ kubectl } = served);
  await kubectl('create namespace shop');
  await kubectl('label namespace shop hooks=on');
});

afterAll(async () => {
  await served?.close();
  await hook?.close();
});

interface Configured {
  readonly kind: 'Mutating' | 'Validating';
  readonly name: string;
  readonly clientConfig: string;
  readonly more?: string;
}

const configuration = ({ kind, name, clientConfig, more = '' }: Configured): string => `
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}WebhookConfiguration
metadata: { name: ${name} }
webhooks:
  - name: ${name}.example.com
    clientConfig: ${clientConfig}
    rules: [{ apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps], scope: '*' }]
    namespaceSelector: { matchLabels: { hooks: 'on' } }
    sideEffects: None
    admissionReviewVersions: [v1]
    ${more}
`;
const at = (path: string): string => `{ url: 'https://localhost:${hook.port}${path}', caBundle: ${hook.caBundle} }`;

describe.skipIf(without)('admission', () => {
  test('configurations are applied, shown and explained', async () => {
    const both = [
      configuration({ kind: 'Mutating', name: 'labels', clientConfig: at('/mutate') }),
      configuration({ kind: 'Validating', name: 'evil', clientConfig: at('/validate') }),
    ].join('---');
    expect(await kubectl('apply -f -', { stdin: both })).toBe(
      'mutatingwebhookconfiguration.admissionregistration.k8s.io/labels created\nvalidatingwebhookconfiguration.admissionregistration.k8s.io/evil created',
    );
    expect(await kubectl('apply -f -', { stdin: both })).toMatch(/labels unchanged\n.*evil unchanged/);
    const rows = (await kubectl('get mutatingwebhookconfigurations,validatingwebhookconfigurations')).split('\n');
    expect(rows[0]).toMatch(/^NAME +WEBHOOKS +AGE$/);
    expect(rows[1]).toMatch(/labels +1 +/);
    expect(await kubectl("get mutatingwebhookconfiguration labels -o jsonpath='{.webhooks[0].failurePolicy}'")).toBe(
      'Fail',
    );
    expect(await kubectl('explain validatingwebhookconfiguration.webhooks.clientConfig')).toContain('caBundle');
  });

  test('one adds a label, the other refuses, in the words that clients look for', async () => {
    const { err } = await kubectl.run('-n shop create configmap good');
    expect(err).toContain('Warning: looked at by a webhook');
    expect(await kubectl("-n shop get configmap good -o jsonpath='{.metadata.labels}'")).toBe(
      '{"example.com/seen":"yes"}',
    );
    expect(await kubectl.refused('-n shop label configmap good example.com/evil=yes')).toBe(
      'Error from server (Forbidden): admission webhook "evil.example.com" denied the request: no evil here',
    );
    await kubectl('create configmap elsewhere');
    expect(await kubectl("get configmap elsewhere -o jsonpath='{.metadata.labels}'")).toBe('');
  });

  test('a dry run is asked about, and changes nothing', async () => {
    const shown = await kubectl("-n shop create configmap dry --dry-run=server -o jsonpath='{.metadata.labels}'");
    expect(shown).toBe('{"example.com/seen":"yes"}');
    expect(await kubectl.refused('-n shop get configmap dry')).toContain('NotFound');
  });

  test('by way of a service that stands for a name outside', async () => {
    await kubectl('apply -f -', {
      stdin:
        'apiVersion: v1\nkind: Service\nmetadata: {name: hooks, namespace: shop}\nspec: {type: ExternalName, externalName: localhost}\n',
    });
    const clientConfig = `{ service: { namespace: shop, name: hooks, port: ${hook.port}, path: /mutate }, caBundle: ${hook.caBundle} }`;
    await kubectl('apply -f -', { stdin: configuration({ kind: 'Mutating', name: 'labels', clientConfig }) });
    await kubectl('-n shop create configmap served');
    expect(await kubectl("-n shop get configmap served -o jsonpath='{.metadata.labels}'")).toContain('seen');
  });
});

describe.skipIf(without)('a webhook that is gone', () => {
  const gone = "{ url: 'https://127.0.0.1:1/validate' }";

  test('refuses by default, at once; and with Ignore is left out, at once', async () => {
    await kubectl('delete mutatingwebhookconfigurations,validatingwebhookconfigurations --all');
    await kubectl('apply -f -', { stdin: configuration({ kind: 'Validating', name: 'gone', clientConfig: gone }) });
    const startedMs = performance.now();
    const refusal = await kubectl.refused('-n shop create configmap a');
    // What kubectl puts before it depends on its release.
    expect(refusal.replace(/^(error: failed to create configmap|Error from server \(InternalError\)): /, '')).toBe(
      'Internal error occurred: failed calling webhook "gone.example.com": failed to call webhook: Post "https://127.0.0.1:1/validate?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
    );
    const more = 'failurePolicy: Ignore';
    await kubectl('apply -f -', {
      stdin: configuration({ kind: 'Validating', name: 'gone', clientConfig: gone, more }),
    });
    await kubectl('-n shop create configmap a');
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    await kubectl('delete validatingwebhookconfiguration gone');
  });

  test('and one that is silent is not waited for longer than its time', async () => {
    const silent = await startHookServer({ names: ['localhost'], reply: () => new Promise(() => undefined) });
    const clientConfig = `{ url: 'https://localhost:${silent.port}/', caBundle: ${silent.caBundle} }`;
    const stdin = configuration({ kind: 'Validating', name: 'silent', clientConfig, more: 'timeoutSeconds: 1' });
    await kubectl('apply -f -', { stdin });
    const startedMs = performance.now();
    expect(await kubectl.refused('-n shop create configmap b')).toContain('context deadline exceeded');
    expect(performance.now() - startedMs).toBeLessThan(3_000);
    await kubectl('delete validatingwebhookconfiguration silent');
    await silent.close();
  });
});

/** As the chart of the Prometheus Operator brings it, and its job completes it. */
const operatorHooks = (kind: 'Mutating' | 'Validating', caBundle: string): string => `
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}WebhookConfiguration
metadata:
  name: kube-prometheus-admission
  annotations: {}
  labels: { app: kube-prometheus-stack-admission, heritage: Helm }
webhooks:
  - name: prometheusrules${kind === 'Mutating' ? 'mutate' : 'validate'}.monitoring.coreos.com
    failurePolicy: Ignore
    rules:
      - apiGroups: [monitoring.coreos.com]
        apiVersions: ['*']
        resources: [prometheusrules]
        operations: [CREATE, UPDATE]
    clientConfig:
      service: { namespace: shop, name: kube-prometheus-operator, path: /admission-prometheusrules/${kind === 'Mutating' ? 'mutate' : 'validate'} }
      ${caBundle}
    timeoutSeconds: 10
    admissionReviewVersions: [v1, v1beta1]
    sideEffects: None
`;

describe.skipIf(without)("an operator's own", () => {
  test('configurations are applied, completed by a patch, and applied again', async () => {
    const both = (caBundle = ''): string =>
      [operatorHooks('Mutating', caBundle), operatorHooks('Validating', caBundle)].join('---');
    await kubectl('apply -f -', { stdin: both() });
    const patch = JSON.stringify([{ op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: hook.caBundle }]);
    for (const kind of ['mutating', 'validating'])
      await kubectl(`patch ${kind}webhookconfiguration kube-prometheus-admission --type=json -p '${patch}'`);
    await kubectl('apply -f -', { stdin: both() });
    await kubectl('apply --server-side --force-conflicts -f -', { stdin: both(`caBundle: ${hook.caBundle}`) });
    const read = (path: string): Promise<string> =>
      kubectl(`get validatingwebhookconfiguration kube-prometheus-admission -o jsonpath='{.webhooks[0]${path}}'`);
    expect(await read('.clientConfig.service.port')).toBe('443');
    expect(await read('.clientConfig.caBundle')).toBe(hook.caBundle);
    await kubectl('delete mutatingwebhookconfigurations,validatingwebhookconfigurations --all');
  });

  test('label does not get in the way of who owns what', async () => {
    const clientConfig = at('/mutate');
    await kubectl('apply -f -', { stdin: configuration({ kind: 'Mutating', name: 'labels', clientConfig }) });
    const stdin =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: owned, namespace: shop, labels: {a: b}}\ndata: {x: "1"}\n';
    await kubectl('apply --server-side -f -', { stdin });
    await kubectl('apply --server-side -f -', { stdin: stdin.replace('"1"', '"2"') });
    expect(await kubectl("-n shop get configmap owned -o jsonpath='{.metadata.labels} {.data}'")).toBe(
      '{"a":"b","example.com/seen":"yes"} {"x":"2"}',
    );
    await kubectl('delete mutatingwebhookconfigurations --all');
  });

  test('pods that run on no real node cannot be asked, and that is known at once', async () => {
    await kubectl('apply -f -', {
      stdin: [
        'apiVersion: v1\nkind: Service\nmetadata: {name: sim, namespace: shop}\nspec: {selector: {app: sim}, ports: [{port: 443}]}\n',
        'apiVersion: v1\nkind: Pod\nmetadata: {name: sim, namespace: shop, labels: {app: sim}}\nspec: {containers: [{name: a, image: a}]}\n',
      ].join('---\n'),
    });
    await kubectl('-n shop wait --for=condition=Ready pod/sim --timeout=20s');
    await until(
      () => kubectl("-n shop get endpointslices -o jsonpath='{.items[*].endpoints[*].targetRef.name}'"),
      (names) => names.includes('sim'),
    );
    const clientConfig = '{ service: { namespace: shop, name: sim } }';
    await kubectl('apply -f -', { stdin: configuration({ kind: 'Validating', name: 'sim', clientConfig }) });
    const startedMs = performance.now();
    expect(await kubectl.refused('-n shop create configmap never')).toContain(
      'failed calling webhook "sim.example.com": failed to call webhook: Post "https://sim.shop.svc:443/?timeout=10s": ',
    );
    expect(performance.now() - startedMs).toBeLessThan(3_000);
    await kubectl('delete validatingwebhookconfigurations --all');
  });
});

test.skipIf(without)('a custom resource in two versions, which a webhook turns into each other', async () => {
  const schema = (field: string): string =>
    `schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { ${field} } } } } }`;
  const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shelves.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: shelves, singular: shelf, kind: Shelf }
  conversion:
    strategy: Webhook
    webhook:
      clientConfig: ${at('/convert')}
      conversionReviewVersions: [v1, v1beta1]
  versions:
    - { name: v1, served: true, storage: true, ${schema('count: { type: integer }')} }
    - { name: v2, served: true, storage: false, ${schema('size: { type: string }')} }
`;
  await kubectl('apply -f -', { stdin: crd });
  await kubectl('wait --for=condition=Established crd/shelves.example.com --timeout=5s');
  const shelf = (version: string, spec: string): string =>
    `apiVersion: example.com/${version}\nkind: Shelf\nmetadata: { name: ${version} }\nspec: ${spec}\n`;
  await kubectl('apply -f -', { stdin: shelf('v1', '{ count: 3 }') });
  await kubectl('apply -f -', { stdin: shelf('v2', '{ size: 4x }') });
  const read = (version: string): Promise<string> =>
    kubectl(`get shelves.${version}.example.com -o jsonpath='{.items[*].spec}'`);
  expect(await read('v1')).toBe('{"count":3} {"count":4}');
  expect(await read('v2')).toBe('{"size":"3x"} {"size":"4x"}');
  await kubectl(`patch shelves.v2.example.com v1 --type=merge -p '{"spec":{"size":"9x"}}'`);
  await until(
    () => read('v1'),
    (text) => text === '{"count":9} {"count":4}',
  );
});
