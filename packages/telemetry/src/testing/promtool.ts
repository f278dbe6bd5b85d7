import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@signalbox/cluster';
import { load } from 'js-yaml';
import type { RootComponent } from '../operator/component.ts';
import type { Prometheus } from '../resources/prometheus.ts';
import { createPrometheusComponent } from '../roots/prometheus/prometheus.ts';
import { createPrometheusAgentComponent } from '../roots/prometheus/prometheus-agent.ts';
import { toYaml } from '../scrape/yaml.ts';

/** Prometheus' own opinion of configurations, by whichever promtool is installed. */
export interface Promtool {
  readonly version: string;
  /** What it says of each of them; empty: it takes the file. */
  complaints(texts: readonly string[], mode: 'agent' | 'server'): readonly string[];
  close(): void;
}

/** Undefined: none is installed. */
export function openPromtool(): Promtool | undefined {
  const version = promtoolVersion();
  if (version === undefined) return undefined;
  const scratch = mkdtempSync(join(tmpdir(), 'promtool-'));
  const check = (texts: readonly string[], ...more: readonly string[]): readonly string[] => {
    const files = texts.map((_, index) => join(scratch, `${index}.yaml`));
    for (const [index, text] of texts.entries()) writeFileSync(join(scratch, `${index}.yaml`), text);
    const args = ['check', 'config', '--syntax-only', ...more, ...files];
    const { status, stderr } = spawnSync('promtool', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
    if (status === 0) return texts.map(() => '');
    const lines = stderr.split('\n');
    return files.map((file) => lines.filter((line) => line.includes(`${file}:`)).join('\n'));
  };
  const probe = 'scrape_configs: [{ job_name: a, kubernetes_sd_configs: [{ role: pod }] }]';
  // Distributions leave Kubernetes' discovery out of their builds.
  const knowsKubernetes = check([probe])[0] === '';
  return {
    version,
    complaints: (texts, mode) =>
      check(knowsKubernetes ? texts : texts.map(withoutKubernetes), ...(mode === 'agent' ? ['--agent'] : [])),
    close: () => rmSync(scratch, { recursive: true }),
  };
}

/** Both kinds of roots, for any version: a distribution's promtool may be older than what anybody should run. */
export function componentsForPromtool(): readonly RootComponent[] {
  const oldest = { prometheusVersionMin: '2.0.0' };
  return [createPrometheusComponent(oldest), createPrometheusAgentComponent(oldest)];
}

/** Files for another version would be refused for their version alone. */
export function forPromtool(object: KubeObject, { version }: Pick<Promtool, 'version'>): KubeObject {
  if (object.kind !== 'Prometheus' && object.kind !== 'PrometheusAgent') return object;
  const { spec, ...rest } = object as Prometheus;
  return { ...rest, spec: { ...spec, version } } as KubeObject;
}

function promtoolVersion(): string | undefined {
  const { stdout } = spawnSync('promtool', ['--version'], { encoding: 'utf8' });
  return /version (\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1];
}

/** Puts another discovery, with the same connection, in its place, so that the rest can be judged. */
function withoutKubernetes(text: string): string {
  interface Job {
    readonly kubernetes_sd_configs?: readonly Record<string, unknown>[];
    readonly http_sd_configs?: readonly unknown[];
  }
  const document = (load(text) ?? {}) as { readonly scrape_configs?: readonly Job[] };
  const jobs = (document.scrape_configs ?? []).map(({ kubernetes_sd_configs = [], http_sd_configs = [], ...job }) => ({
    ...job,
    http_sd_configs: [
      ...http_sd_configs,
      ...kubernetes_sd_configs.map(
        ({
          role: _role,
          namespaces: _names,
          selectors: _selectors,
          attach_metadata: _attach,
          api_server,
          ...client
        }) => ({
          // Only that one has to be a web page.
          url: /^https?:/.test(String(api_server)) ? api_server : 'http://kubernetes',
          ...client,
        }),
      ),
    ],
  }));
  return toYaml({ ...document, scrape_configs: jobs });
}
