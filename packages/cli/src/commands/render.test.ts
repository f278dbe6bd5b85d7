import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseYamlDocuments } from '@signalbox/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../run.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';

const hierarchy = `
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: monitoring }
spec: { metrics: { instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: primary, namespace: monitoring }
spec: { serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {} }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: web }
spec: { selector: {}, endpoints: [{ port: http }] }
`;
const config = 'monitoring/agent-config/agent.yml';
let io: TestIo;
beforeEach(async () => {
  io = await createTestIo({ stdin: hierarchy });
  await io.file('all.yaml', hierarchy);
});
afterEach(() => io.remove());

describe('objects', () => {
  test('are printed as YAML documents, without references to roots that have no uid yet', async () => {
    expect(await run(['render', '-f', 'all.yaml'], io)).toBe(0);
    const objects = parseYamlDocuments(io.out(), { source: 'out' }).map(
      ({ value }) => value as Record<string, unknown>,
    );
    expect(objects.map(({ kind }) => kind)).toEqual(['Secret', 'Secret', 'Service', 'StatefulSet']);
    expect(io.out()).not.toContain('ownerReferences');
    expect(io.err()).toBe('');
  });
  test('are one List in the json form', async () => {
    expect(await run(['render', '-f', '-', '-o', 'json'], io)).toBe(0);
    expect(JSON.parse(io.out())).toMatchObject({ kind: 'List', items: [{ kind: 'Secret' }, {}, {}, {}] });
  });
  test('go to one file each in a folder that only its owner can read', async () => {
    expect(await run(['render', '-f', 'all.yaml', '-o', 'out'], io)).toBe(0);
    expect((await readdir(join(io.cwd, 'out', 'monitoring'))).sort()).toEqual([
      'secret-agent-config.yaml',
      'secret-agent-secrets.yaml',
      'service-agent-operated.yaml',
      'statefulset-agent.yaml',
    ]);
    expect((await stat(join(io.cwd, 'out/monitoring/secret-agent-config.yaml'))).mode & 0o777).toBe(0o600);
    expect(io.out()).toBe('');
  });
  test('are the same bytes each time', async () => {
    const again = await createTestIo({ stdin: hierarchy });
    await run(['render', '-f', '-'], io);
    await run(['render', '-f', '-'], again);
    expect(again.out()).toBe(io.out());
    await again.remove();
  });
});

describe('configurations', () => {
  test('are headed by where they go in the yaml form', async () => {
    expect(await run(['render', '-f', 'all.yaml', '--configs'], io)).toBe(0);
    expect(io.out().split('\n')[0]).toBe(`# ${config}`);
    expect(io.out()).toContain('job_name: serviceMonitor/default/web/0');
  });
  test('are keyed by where they go in the json form', async () => {
    expect(await run(['render', '-f', 'all.yaml', '--configs', '-o', 'json'], io)).toBe(0);
    const configs = JSON.parse(io.out()) as Record<string, string>;
    expect(Object.keys(configs)).toEqual([config]);
    expect(configs[config]).toContain('job_name: serviceMonitor/default/web/0');
  });
  test('go to files of their own in a folder', async () => {
    expect(await run(['render', '-f', 'all.yaml', '--configs', '-o', 'out'], io)).toBe(0);
    expect(await readFile(join(io.cwd, 'out', config), 'utf8')).toContain('scrape_configs');
  });
});

describe('what a server would refuse ends with 1, names the place, and renders nothing', () => {
  test.each<[string, string, string, string]>([
    ['a field that nobody knows', 'port: http', 'prot: http', 'all.yaml:12 ServiceMonitor web: spec.endpoints[0].prot'],
    ['a value of the wrong type', 'selector: {}, e', 'selector: 1, e', 'all.yaml:12 ServiceMonitor web: spec.selector'],
    [
      'a value outside its pattern',
      'port: http',
      'interval: soon',
      'all.yaml:12 ServiceMonitor web: spec.endpoints[0].interval',
    ],
    ['a missing field', 'selector: {}, e', 'e', 'all.yaml:12 ServiceMonitor web: spec.selector: Required value'],
  ])('%s', async (_, from, to, message) => {
    expect(hierarchy).toContain(from);
    await io.file('all.yaml', hierarchy.replace(from, to));
    expect(await run(['render', '-f', 'all.yaml'], io)).toBe(1);
    expect(io.err()).toContain(`error: ${message}`);
    expect(io.out()).toBe('');
  });
  test('broken YAML', async () => {
    await io.file('all.yaml', 'a: 1\n b: 2\n');
    expect(await run(['render', '-f', 'all.yaml'], io)).toBe(1);
    expect(io.err()).toBe('error: all.yaml:2:3: bad indentation of a mapping entry\n');
  });
});

describe('what the operator would leave out', () => {
  const broken = hierarchy.replace('port: http', 'port: http, bearerTokenSecret: { name: none, key: token }');
  const warning =
    'all.yaml:12 ServiceMonitor default/web: spec.endpoints[0].bearerTokenSecret: Secret default/none does not exist';
  beforeEach(() => io.file('all.yaml', broken));

  test('is told of, and the rest is rendered', async () => {
    expect(await run(['render', '-f', 'all.yaml', '--configs'], io)).toBe(0);
    expect(io.err()).toBe(`error: ${warning}\n`);
    expect(io.out()).toContain(`# ${config}`);
  });
  test('is a failure with --strict', async () => {
    expect(await run(['render', '-f', 'all.yaml', '--configs', '--strict'], io)).toBe(1);
    expect(io.out()).toContain(`# ${config}`);
  });
});

test('manifests without a root are worth a word', async () => {
  await io.file('all.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n');
  expect(await run(['render', '-f', 'all.yaml'], io)).toBe(0);
  expect(io.err()).toBe('warning: there is nothing to render: no root is among the manifests\n');
});

describe('a root that is there, and of which nothing comes, is told apart from none', () => {
  const prometheus = (spec: string): string =>
    `apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: { name: main }\nspec: { ${spec} }\n`;
  test.each<[string, string, readonly string[], string]>([
    ['a version that nobody knows', prometheus('version: v9.9.9'), [], 'the root was refused, for the reasons above'],
    [
      'a header that no request can have',
      prometheus('serviceMonitorSelector: {}, remoteWrite: [{ url: http://x/, headers: { a: "b\\nc" } }]'),
      ['--configs'],
      'the root was refused, for the reasons above',
    ],
    [
      'another operator’s',
      prometheus('').replace('main }', 'main, annotations: { operator.prometheus.io/controller-id: other } }'),
      [],
      'another operator looks after every root among the manifests',
    ],
    [
      'nothing to collect',
      hierarchy.split('---')[0] ?? '',
      ['--configs'],
      'nothing among the manifests gives the roots anything to do',
    ],
  ])('%s', async (_, manifests, options, reason) => {
    await io.file('all.yaml', manifests);
    expect(await run(['render', '-f', 'all.yaml', ...options], io)).toBe(0);
    expect(io.err().trimEnd().split('\n').at(-1)).toBe(`warning: there is nothing to render: ${reason}`);
  });
});

test('a folder that cannot be written is named', async () => {
  await io.file('taken', '');
  expect(await run(['render', '-f', 'all.yaml', '-o', 'taken'], io)).toBe(1);
  expect(io.err()).toContain('error: cannot write to taken: a file stands where a folder is needed');
});
