import type { KubeObject } from '@signalbox/cluster';
import { defaultComponents } from '../components.ts';
import { type RenderedManifests, renderManifests, renderWorld } from '../operator/render.ts';
import { parseYaml } from '../scrape/yaml.ts';
import { describeFinding } from '../world/findings.ts';
import { worldOf } from '../world/world.ts';
import { objectsOf } from './world.ts';

type Section = Readonly<Record<string, unknown>>;

/** A Prometheus' configuration, read back, and what was found on the way. */
export interface ReadConfig {
  readonly document: Section & { readonly scrape_configs: readonly Section[] };
  readonly findings: readonly string[];
}

/** Renders the one Prometheus or PrometheusAgent among the objects, all in namespace `monitoring`. */
export function readConfig(manifests: readonly object[]): ReadConfig {
  return asRead(renderManifests(objectsIn(manifests), options));
}

/** The same of objects that a server let in whose definitions are older than ours, or none at all. */
export function readUncheckedConfig(manifests: readonly object[]): ReadConfig {
  return asRead(renderWorld(worldOf(objectsIn(manifests)), options));
}

/** The configuration as it is written. */
export function readText(manifests: readonly object[]): string {
  return textOf(renderManifests(objectsIn(manifests), options));
}

const options = { components: defaultComponents(), nowMs: 0 };

function objectsIn(manifests: readonly object[]): readonly KubeObject[] {
  return objectsOf(manifests.map((each) => JSON.stringify(each)).join('\n---\n'));
}

function textOf({ configs }: RenderedManifests): string {
  const [, text = ''] = Object.entries(configs).find(([name]) => name.endsWith('prometheus.yaml.gz')) ?? [];
  return text;
}

function asRead(rendered: RenderedManifests): ReadConfig {
  const text = textOf(rendered);
  const document = (text === '' ? {} : parseYaml(text)) as ReadConfig['document'];
  return { document, findings: rendered.findings.map(describeFinding) };
}

export function prometheus(spec: object): object {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'Prometheus',
    metadata: { name: 'main', namespace: 'monitoring' },
    spec: { serviceMonitorSelector: {}, podMonitorSelector: {}, probeSelector: {}, ...spec },
  };
}

export function serviceMonitor(spec: object, endpoint: object = { port: 'http' }): object {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name: 'web', namespace: 'monitoring' },
    spec: { selector: {}, endpoints: [endpoint], ...spec },
  };
}

export function secret(name: string, stringData: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'monitoring' }, stringData };
}
