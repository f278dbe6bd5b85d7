/**
 * An update in process of a custom resource whose definition is full of rules: 68 runs of eleven of them, over twenty ports. What it
 * takes beside the same object without rules. Prints one line of JSON.
 */
import { createCluster, customresourcedefinitions, type KubeObject, resourceType } from '@signalbox/cluster';

const { signal } = new AbortController();
const rounds = 1_000;
const warmUp = 300;

const rules = (...texts: readonly string[]): object => ({
  'x-kubernetes-validations': texts.map((rule) => ({ rule })),
});
const whole = { type: 'integer' };
const text = { type: 'string', maxLength: 63 };

const port = {
  type: 'object',
  required: ['name', 'port'],
  properties: { name: text, port: whole, protocol: text },
  ...rules(
    'self.port > 0 && self.port < 65536',
    "self.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
    "!has(self.protocol) || self.protocol in ['TCP', 'UDP']",
  ),
};
const ports = { type: 'array', maxItems: 100, items: port };
const labels = { type: 'object', maxProperties: 20, additionalProperties: text };
const spec = {
  type: 'object',
  properties: {
    ports: { ...ports, ...rules('self.all(x, self.exists_one(y, y.name == x.name))') },
    labels: { ...labels, ...rules('self.all(k, k.size() < 64 && self[k].size() < 64)') },
    min: whole,
    max: whole,
    memory: text,
    range: text,
  },
  ...rules(
    'self.min <= self.max',
    "quantity(self.memory).isGreaterThan(quantity('1Mi'))",
    "cidr(self.range).containsIP('10.1.2.3')",
    'oldSelf.min <= self.min',
    'self.ports.map(p, p.port).sum() > 0 && self.ports.size() <= 100',
  ),
};

const withoutRules = JSON.parse(
  JSON.stringify(spec, (name, value: unknown) => (name === 'x-kubernetes-validations' ? undefined : value)),
) as object;

const cluster = await createCluster({ nodes: 0 });

async function measure(plural: string, schema: object): Promise<number> {
  const kind = `${plural.slice(0, 1).toUpperCase()}${plural.slice(1)}`;
  await cluster.client.create(
    customresourcedefinitions,
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural, kind },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
          },
        ],
      },
    },
    { signal },
  );
  const type = resourceType<KubeObject>({
    group: 'example.com',
    version: 'v1',
    resource: plural,
    kind,
    namespaced: true,
  });
  const body = (round: number): object => ({
    spec: {
      ports: Array.from({ length: 20 }, (_, index) => ({
        name: `p${index}`,
        port: 1_000 + index + round,
        protocol: 'TCP',
      })),
      labels: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`k${index}`, `v${index}`])),
      ...{ min: 1, max: 5, memory: '1Gi', range: '10.0.0.0/8' },
    },
  });
  const place = { namespace: 'default', name: 'a', signal };
  const made = { apiVersion: 'example.com/v1', kind, metadata: { namespace: 'default', name: 'a' }, ...body(0) };
  await cluster.client.create(type, made, { signal });
  const change = (round: number): Promise<unknown> =>
    cluster.client.patch(type, { ...place, patchType: 'merge', body: body(round) });
  for (let round = 1; round <= warmUp; round++) await change(round);
  const startMs = performance.now();
  for (let round = 1; round <= rounds; round++) await change(warmUp + round);
  return (performance.now() - startMs) / rounds;
}

try {
  const plainMs = await measure('plain', withoutRules);
  const ms = await measure('ruled', spec);
  process.stdout.write(`${JSON.stringify({ ms, plainMs })}\n`);
} finally {
  await cluster.close();
}
