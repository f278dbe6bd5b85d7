import { readFileSync } from 'node:fs';
import type { KubeObject } from '@signalbox/cluster';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultComponents } from '../../../components.ts';
import { renderManifests } from '../../../operator/render.ts';
import { executeRelabelling, type LabelSet } from '../../../relabel/execute.ts';
import type { RelabelRule } from '../../../relabel/rule.ts';
import { parseYaml } from '../../../scrape/yaml.ts';
import { objectsOf } from '../../../testing/world.ts';

/*
 * Whole configurations, executed: however many shards there are, and however many removed ones still read the file, what
 * one Prometheus would scrape is scraped exactly once, with the same labels.
 */
interface Job {
  readonly job_name: string;
  readonly relabel_configs?: readonly RelabelRule[];
}

const folder = new URL('../../../testdata/', import.meta.url);

function jobsOf(feature: string, root: string, spec: Readonly<Record<string, unknown>>): readonly Job[] {
  const objects = objectsOf(readFileSync(new URL(`${feature}.yaml`, folder), 'utf8')).map((object) =>
    object.metadata.name === root && object.kind.startsWith('Prometheus')
      ? ({ ...object, spec: { ...(object as { spec?: object }).spec, ...spec } } as KubeObject)
      : object,
  );
  const { configs } = renderManifests(objects, { components: defaultComponents(), nowMs: 0 });
  const [, text] = Object.entries(configs).find(([name]) => name.includes(`-${root}/`) && name.endsWith('.gz')) ?? [];
  return (parseYaml(text ?? '') as { readonly scrape_configs: readonly Job[] }).scrape_configs;
}

function scraped(target: LabelSet, { relabel_configs = [] }: Job, shard: number): LabelSet | undefined {
  const rules = JSON.parse(JSON.stringify(relabel_configs).replaceAll('$(SHARD)', String(shard))) as RelabelRule[];
  const labels = executeRelabelling(target, rules);
  return labels && Object.fromEntries(Object.entries(labels).filter(([name]) => !name.startsWith('__tmp_')));
}

const some = (...values: string[]): fc.Arbitrary<string> => fc.constantFrom('', ...values);
const ports = some('http', 'metrics', 'files');
const targets: fc.Arbitrary<LabelSet> = fc.record({
  __address__: fc.oneof(
    fc.tuple(fc.ipV4(), fc.nat(65_535)).map(([ip, port]) => `${ip}:${port}`),
    fc.domain().map((host) => `https://${host}/metrics`),
  ),
  __meta_kubernetes_namespace: some('shop', 'warehouse'),
  __meta_kubernetes_service_name: some('web'),
  __meta_kubernetes_service_label_tier: some('front', 'front', 'back'),
  __meta_kubernetes_service_labelpresent_tier: some('true', 'true'),
  __meta_kubernetes_service_label_version: some('v1.2', 'v1.2', 'v1x2'),
  __meta_kubernetes_service_labelpresent_version: some('true', 'true'),
  __meta_kubernetes_service_label_track: some('stable', 'canary', 'test'),
  __meta_kubernetes_service_labelpresent_track: some('true', 'true'),
  __meta_kubernetes_service_labelpresent_scrape: some('true', 'true'),
  __meta_kubernetes_service_labelpresent_hidden: some(),
  __meta_kubernetes_endpoint_port_name: ports,
  __meta_kubernetes_endpointslice_port_name: ports,
  __meta_kubernetes_pod_name: fc.string({ maxLength: 4 }),
  __meta_kubernetes_pod_phase: some('Running', 'Running', 'Failed'),
  __meta_kubernetes_pod_label_app: some('worker', 'worker', 'shop'),
  __meta_kubernetes_pod_labelpresent_app: some('true', 'true'),
  __meta_kubernetes_pod_container_port_name: ports,
  __meta_kubernetes_pod_container_port_number: some('8080', '8081', '9090'),
  __meta_kubernetes_ingress_scheme: some('https'),
  __meta_kubernetes_ingress_path: some('/'),
  __meta_kubernetes_ingress_label_probed: some('true'),
  __meta_kubernetes_ingress_labelpresent_probed: some('true'),
  __tmp_hash: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, fc.string()),
});

test.each([
  ['prometheus-monitors', 'main', { shardRetentionPolicy: { whenScaled: 'Retain' } }],
  ['prometheus-own-jobs', 'retaining', {}],
])('what one Prometheus would scrape of %s, exactly one active shard does', (feature, root, spec) => {
  const alone = jobsOf(feature, root, { ...spec, shards: 1 });
  let found = 0;
  for (const shards of [1, 2, 3, 5]) {
    // A job whose own rules share its targets decides about them by itself.
    const jobs = jobsOf(feature, root, { ...spec, shards }).filter(({ job_name }) => job_name !== 'shared');
    expect(jobs.length).toBeGreaterThan(1);
    fc.assert(
      fc.property(targets, fc.nat(2), (target, kept) => {
        for (const job of jobs) {
          const single = alone.find(({ job_name }) => job_name === job.job_name);
          const wanted = single && scraped(target, single, 0);
          const all = Array.from({ length: shards + kept }, (_, shard) => scraped(target, job, shard));
          const labels = all.filter((each) => each !== undefined);
          expect(labels).toEqual(wanted === undefined ? [] : [wanted]);
          expect(all.slice(shards).every((each) => each === undefined)).toBe(true);
          found += labels.length;
        }
      }),
      { numRuns: 60 },
    );
  }
  expect(found, 'targets that no job takes prove nothing').toBeGreaterThan(100);
});

test('a shard that is kept scrapes nothing, not even jobs that share by themselves', () => {
  const jobs = jobsOf('prometheus-own-jobs', 'retaining', { shards: 1 });
  expect(jobs.map(({ job_name }) => job_name)).toContain('shared');
  for (const job of jobs) {
    expect(scraped({ __address__: 'a:1' }, job, 0)).toBeDefined();
    expect(scraped({ __address__: 'a:1' }, job, 1)).toBeUndefined();
  }
});
