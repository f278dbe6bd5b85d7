import { expect, test } from 'vitest';
import { defaultComponents } from '../components.ts';
import { prometheuses } from '../resources/prometheus.ts';
import { freshManifests } from '../testing/world.ts';
import { storedManifests, withEdits } from './edits.ts';
import { foretell } from './foretell.ts';
import { type PlannedChanges, planChanges } from './plan-changes.ts';

/* Jobs that somebody wrote into the Secret of additionalScrapeConfigs. */

const options = { components: defaultComponents(), nowMs: 0, imagines: true };

const base = (jobs: string): string => `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: monitoring }
spec: { probeSelector: {}, additionalScrapeConfigs: { name: extra, key: jobs.yaml } }
---
apiVersion: v1
kind: Pod
metadata: { name: web-0, namespace: shop, labels: { app: web } }
spec: { containers: [{ name: web, image: web, ports: [{ name: http, containerPort: 80 }] }] }
status: { phase: Running, podIP: 10.0.0.7, conditions: [{ type: Ready, status: 'True' }] }
---
${secret(jobs)}`;
const secret = (jobs: string): string => `
apiVersion: v1
kind: Secret
metadata: { name: extra, namespace: monitoring }
stringData: { jobs.yaml: ${JSON.stringify(jobs)} }
`;

const nodes = (targets: string, more = ''): string => `
- job_name: nodes
  basic_auth: { username: alice-the-admin, password: hunter2 }
  static_configs: [{ targets: [${targets}] }]
${more}`;

function planned(before: string, edits: string, shards?: number): PlannedChanges {
  const there = foretell(storedManifests(freshManifests(base(before)), 'monitoring').objects, options).objects;
  const scales = shards === undefined ? [] : [{ type: prometheuses, name: 'main', shards }];
  const manifests = edits === '' ? [] : freshManifests(edits);
  const { objects } = withEdits(there, { manifests, scales, namespace: 'monitoring' });
  return planChanges(there, objects, options);
}

const targetsOf = ({ targets }: PlannedChanges): readonly string[] =>
  targets.flatMap(({ changes, unknown }) => [
    ...changes.map(({ change, job, address, shardsAfter }) =>
      `${change} ${address} of ${job} ${shardsAfter.join()}`.trim(),
    ),
    ...unknown.map(({ job, why }) => `${job}: ${why}`),
  ]);

const diffOf = ({ configurations }: PlannedChanges): readonly string[] =>
  configurations.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines.filter((line) => line[0] !== ' ')));

test('an edited Secret gains and loses targets, and its diff shows no password', () => {
  const plan = planned(
    nodes('10.0.0.1:9100, 10.0.0.2:9100'),
    secret(nodes('10.0.0.1:9100, 10.0.0.3:9100').replace('hunter2', 'hunter3')),
  );
  expect(targetsOf(plan)).toEqual(['lost 10.0.0.2:9100 of nodes', 'gained 10.0.0.3:9100 of nodes 0']);
  expect(diffOf(plan)).toEqual([
    '-    password: <redacted>',
    '+    password: <redacted>',
    '-    - 10.0.0.2:9100',
    '+    - 10.0.0.3:9100',
  ]);
  expect(JSON.stringify(plan)).not.toMatch(/hunter|alice/);
});

test('pods are discovered for them as for monitors, and dropped by their rules', () => {
  const pods = (regex: string): string =>
    `[{ job_name: pods, kubernetes_sd_configs: [{ role: pod }], relabel_configs: [{ action: keep, source_labels: [__meta_kubernetes_pod_label_app], regex: ${regex} }] }]`;
  expect(targetsOf(planned(pods('web'), secret(pods('other'))))).toEqual(['lost 10.0.0.7:80 of pods']);
});

test('what cannot be foretold is said, never left out', () => {
  const consul = nodes(
    '10.0.0.1:9100',
    '- { job_name: far, consul_sd_configs: [{ server: "consul:8500", token: hunter2 }] }',
  );
  const plan = planned(nodes('10.0.0.1:9100'), secret(consul));
  expect(targetsOf(plan)).toEqual(['far: cannot be foretold: consul_sd_configs']);
  expect(JSON.stringify(plan)).not.toContain('hunter');
});

test('another shard moves their targets as well', () => {
  const many = Array.from({ length: 20 }, (_, index) => `10.0.1.${index}:9100`).join(', ');
  const [targets] = planned(nodes(many), '', 2).targets;
  expect(targets?.looked).toBe(20);
  expect(targets?.changes.length).toBeGreaterThan(3);
  expect(targets?.changes.every(({ change, shardsAfter }) => change === 'moved' && String(shardsAfter) === '1')).toBe(
    true,
  );
});
