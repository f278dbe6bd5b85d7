import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@signalbox/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseYaml, toYaml } from './config/yaml.ts';
import { createPrometheusComponent } from './prometheus.ts';
import { createPrometheusAgentComponent } from './prometheus-agent.ts';
import { renderManifests } from './render.ts';
import type { Prometheus } from './resources/prometheus.ts';
import { objectsOf } from './testing/world.ts';

/*
 * Prometheus' own opinion of the configurations. The oldest promtool that is around is asked about configurations for its
 * own version, which also shows that nothing younger is in them.
 */
const version = promtoolVersion();
const folder = new URL('testdata/', import.meta.url);
const features = readdirSync(folder).filter((name) => /^prometheus-.*\.yaml$/.test(name));
// A distribution's promtool may be older than what anybody should run.
const oldest = { prometheusVersionMin: '2.0.0' };
const components = [createPrometheusComponent(oldest), createPrometheusAgentComponent(oldest)];
let scratch = '';

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'promtool-'));
});
afterAll(() => rmSync(scratch, { recursive: true }));

test('promtool is there where it has to be', () => {
  if (process.env['CI'] !== undefined) expect(version, 'install promtool: apt-get install prometheus').toBeDefined();
  else if (version === undefined) process.stderr.write('promtool is not installed: configurations go unchecked\n');
});

test.skipIf(version === undefined).each(features)('Prometheus takes every configuration of %s', (feature) => {
  const objects = objectsOf(readFileSync(new URL(feature, folder), 'utf8')).map(withVersion);
  const { configs } = renderManifests(objects, { components, nowMs: 0 });
  const files = Object.entries(configs).filter(([name]) => name.endsWith('prometheus.yaml.gz'));
  for (const [name, text] of files) expect(complaint(name, text)).toBe('');
});

test.skipIf(version === undefined)('promtool would say so if it did not', () => {
  expect(complaint('monitoring/prometheus-main', 'global: { scrape_interval: often }')).toContain('FAILED');
});

function complaint(name: string, text: string): string {
  const file = join(scratch, 'prometheus.yaml');
  writeFileSync(file, knowsKubernetes() ? text : withoutKubernetes(text));
  const agent = name.includes('/prom-agent-') ? ['--agent'] : [];
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'config', '--syntax-only', ...agent, file], {
    encoding: 'utf8',
  });
  return status === 0 ? '' : `${name}: ${stdout}${stderr}\n${text}`;
}

/** Distributions leave Kubernetes' discovery out of their builds. */
function knowsKubernetes(): boolean {
  const file = join(scratch, 'kubernetes.yaml');
  writeFileSync(file, 'scrape_configs: [{ job_name: a, kubernetes_sd_configs: [{ role: pod }] }]');
  return spawnSync('promtool', ['check', 'config', '--syntax-only', file]).status === 0;
}

/** Puts another discovery, with the same connection, in its place, so that the rest can be judged. */
function withoutKubernetes(text: string): string {
  interface Job {
    readonly kubernetes_sd_configs?: readonly Record<string, unknown>[];
    readonly http_sd_configs?: readonly unknown[];
  }
  const document = parseYaml(text) as { readonly scrape_configs?: readonly Job[] };
  const jobs = (document.scrape_configs ?? []).map(({ kubernetes_sd_configs = [], http_sd_configs = [], ...job }) => ({
    ...job,
    http_sd_configs: [
      ...http_sd_configs,
      ...kubernetes_sd_configs.map(
        ({
          role: _role,
          namespaces: _namespaces,
          selectors: _selectors,
          attach_metadata: _attach,
          api_server,
          ...client
        }) => ({
          url: api_server ?? 'http://kubernetes',
          ...client,
        }),
      ),
    ],
  }));
  return toYaml({ ...document, scrape_configs: jobs });
}

/** Files for another version would be refused for their version alone. */
function withVersion(object: KubeObject): KubeObject {
  if (object.kind !== 'Prometheus' && object.kind !== 'PrometheusAgent') return object;
  const { spec, ...rest } = object as Prometheus;
  // One root is there to be refused for its version.
  if (spec.version === '1.8') return object;
  return { ...rest, spec: { ...spec, ...(version !== undefined && { version }) } } as KubeObject;
}

function promtoolVersion(): string | undefined {
  const { stdout } = spawnSync('promtool', ['--version'], { encoding: 'utf8' });
  return /version (\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1];
}
