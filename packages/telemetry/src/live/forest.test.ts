import { expect, test } from 'vitest';
import { defaultComponents } from '../components.ts';
import { worldOfYaml } from '../testing/world.ts';
import { liveForest } from './forest.ts';
import type { LiveNode } from './tree.ts';

const agent = `
apiVersion: monitoring.coreos.com/v1alpha1
kind: PrometheusAgent
metadata: { name: edge, namespace: monitoring }
spec: {}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: prom-agent-edge, namespace: monitoring }
spec: { replicas: 1 }
status: { observedGeneration: 1, availableReplicas: 1, updatedReplicas: 1 }
`;
const alone = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec: { replicas: 2 }
status: { observedGeneration: 1, availableReplicas: 2, updatedReplicas: 2 }
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: logs, namespace: shop }
spec: {}
status: { observedGeneration: 1 }
`;
const autoscaler = (target: string, status = ''): string => `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: scaler, namespace: ${target.includes('web') ? 'shop' : 'monitoring'} }
spec: { scaleTargetRef: ${target}, minReplicas: 2, maxReplicas: 6 }
${status}
`;
const edge = '{ apiVersion: monitoring.coreos.com/v1alpha1, kind: PrometheusAgent, name: edge }';
const web = '{ apiVersion: apps/v1, kind: Deployment, name: web }';

const forest = (...documents: readonly string[]): readonly LiveNode[] =>
  liveForest(worldOfYaml(documents.join('---')), { components: defaultComponents(), nowMs: 0 });

/** One line per node, indented, with state, notes and problems. */
const lines = (nodes: readonly LiveNode[], depth = 0): readonly string[] =>
  nodes.flatMap(({ kind, namespace, name, state, notes, problems, children }) => [
    `${' '.repeat(depth)}${state} ${kind} ${namespace}/${name} (${notes.join(', ')}) ${problems.join('; ')}`.trimEnd(),
    ...lines(children, depth + 1),
  ]);

test('workloads that belong to no root come after the roots', () => {
  expect(lines(forest(agent, alone))).toEqual([
    'unknown PrometheusAgent monitoring/edge ()',
    ' ready StatefulSet monitoring/prom-agent-edge (1 of 1 ready)',
    'ready DaemonSet shop/logs (0 of 0 ready)',
    'ready Deployment shop/web (2 of 2 ready)',
  ]);
});

test('an autoscaler stands under the root or the workload that it scales', () => {
  expect(lines(forest(agent, autoscaler(edge))).slice(0, 2)).toEqual([
    'unknown PrometheusAgent monitoring/edge ()',
    ' unknown HorizontalPodAutoscaler monitoring/scaler (between 2 and 6)',
  ]);
  const status =
    'status: { currentReplicas: 2, desiredReplicas: 3, conditions: [{ type: ScalingActive, status: "True" }, { type: ScalingLimited, status: "False" }] }';
  expect(lines(forest(alone, autoscaler(web, status))).slice(1)).toEqual([
    'ready Deployment shop/web (2 of 2 ready)',
    ' ready HorizontalPodAutoscaler shop/scaler (2 → 3, between 2 and 6)',
  ]);
});

test('one that does not scale says why, and does not make its target look bad', () => {
  const status = `status:
  currentReplicas: 2
  desiredReplicas: 2
  conditions: [{ type: ScalingActive, status: "False", reason: FailedGetResourceMetric, message: no metrics }]`;
  expect(lines(forest(alone, autoscaler(web, status))).slice(1)).toEqual([
    'ready Deployment shop/web (2 of 2 ready)',
    ' waiting HorizontalPodAutoscaler shop/scaler (at 2, between 2 and 6) ScalingActive: FailedGetResourceMetric: no metrics',
  ]);
});

test.each([
  '{ apiVersion: apps/v1, kind: Deployment, name: gone }',
  '{ apiVersion: example.com/v1, kind: Deployment, name: web }',
])('one whose target is not shown stands alone: %s', (target) => {
  const found = lines(forest(alone, autoscaler(target).replace('namespace: monitoring', 'namespace: shop')));
  expect(found.at(-1)).toMatch(
    /^unknown HorizontalPodAutoscaler shop\/scaler \(scales Deployment \w+, between 2 and 6\)$/,
  );
  expect(found).toHaveLength(3);
});

test('Jobs come with their pods, those of a CronJob below it', () => {
  const job = (name: string, more: string): string => `
apiVersion: batch/v1
kind: Job
metadata: { name: ${name}, namespace: shop, uid: ${name}${more.includes('CronJob') ? ', ownerReferences: [{ apiVersion: batch/v1, kind: CronJob, name: nightly, uid: nightly, controller: true }]' : ''} }
spec: { completions: 2${more.includes('suspend') ? ', suspend: true' : ''} }
status: { succeeded: 1${more.includes('Failed') ? ', conditions: [{ type: Failed, status: "True", reason: BackoffLimitExceeded, message: too often }]' : ''} }
`;
  const nightly = `
apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly, namespace: shop, uid: nightly }
spec: { schedule: 0 3 * * *, timeZone: Europe/Zurich, jobTemplate: {} }
`;
  const pod = `
apiVersion: v1
kind: Pod
metadata: { name: hook-1, namespace: shop, ownerReferences: [{ apiVersion: batch/v1, kind: Job, name: hook, uid: hook, controller: true }] }
spec: { nodeName: n1, containers: [] }
status: { phase: Succeeded, conditions: [{ type: Ready, status: "False" }] }
`;
  const all = forest(
    nightly,
    job('nightly-1', 'CronJob'),
    job('hook', ''),
    pod,
    job('bad', 'Failed'),
    job('later', 'suspend'),
  );
  expect(lines(all)).toEqual([
    'ready CronJob shop/nightly (0 3 * * *, Europe/Zurich)',
    ' waiting Job shop/nightly-1 (1 of 2 succeeded)',
    'failed Job shop/bad (1 of 2 succeeded) BackoffLimitExceeded: too often',
    'waiting Job shop/hook (1 of 2 succeeded)',
    ' ready Pod shop/hook-1 (n1, Succeeded)',
    'unknown Job shop/later (1 of 2 succeeded, suspended)',
  ]);
});
