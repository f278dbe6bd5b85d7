import { claim, labels, pod, richPod, selector, template } from './parts.ts';
import { type Door, type Played, played, scaleDoor } from './played.ts';

const job = { template: { spec: { ...pod, restartPolicy: 'Never' } } };

const podDoors: readonly Door[] = [
  {
    path: 'eviction',
    definition: 'io.k8s.api.policy.v1.Eviction',
    methods: ['POST'],
    examples: [
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: '{name}', namespace: 'played' } },
      {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: '{name}' },
        deleteOptions: { gracePeriodSeconds: 0 },
      },
      { metadata: { name: '{name}' }, deleteOptions: { preconditions: { uid: '{uid}' } } },
    ],
  },
  {
    path: 'binding',
    definition: 'io.k8s.api.core.v1.Binding',
    methods: ['POST'],
    examples: [
      { apiVersion: 'v1', kind: 'Binding', metadata: { name: '{name}' }, target: { kind: 'Node', name: 'o-0' } },
      { metadata: { name: '{name}', annotations: { a: 'b' } }, target: { name: 'o-1' } },
    ],
  },
  { path: 'ephemeralcontainers', definition: 'io.k8s.api.core.v1.Pod', methods: ['GET', 'PUT', 'PATCH'] },
  { path: 'resize', definition: 'io.k8s.api.core.v1.Pod', methods: ['GET', 'PUT', 'PATCH'] },
];

export const workloads: readonly Played[] = [
  played('apps/v1 Deployment deployments', {
    ...{ hasStatus: true, doors: [scaleDoor] },
    examples: [
      { spec: { selector, template: template(pod) } },
      { spec: { replicas: 2, selector, strategy: { type: 'Recreate' }, template: template(richPod) } },
    ],
  }),
  played('apps/v1 DaemonSet daemonsets', {
    hasStatus: true,
    examples: [
      { spec: { selector, template: template(pod) } },
      { spec: { selector, updateStrategy: { rollingUpdate: { maxUnavailable: '10%' } }, template: template(richPod) } },
    ],
  }),
  played('apps/v1 StatefulSet statefulsets', {
    ...{ hasStatus: true, doors: [scaleDoor] },
    examples: [
      { spec: { serviceName: 'a', selector, template: template(pod) } },
      {
        spec: {
          ...{ serviceName: 'a', selector, template: template(richPod), podManagementPolicy: 'Parallel' },
          volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
        },
      },
    ],
  }),
  played('apps/v1 ReplicaSet replicasets', {
    ...{ hasStatus: true, doors: [scaleDoor] },
    examples: [{ spec: { replicas: 1, selector, template: template(pod) } }],
  }),
  played('apps/v1 ControllerRevision controllerrevisions', {
    examples: [{ revision: 1, data: { spec: { a: 'b' } } }],
  }),
  played('v1 ReplicationController replicationcontrollers', {
    ...{ hasStatus: true, doors: [scaleDoor] },
    examples: [
      { spec: { replicas: 1, selector: labels, template: template(pod) } },
      { spec: { template: template(pod) } },
    ],
  }),
  played('v1 Pod pods', {
    ...{ hasStatus: true, doors: podDoors },
    examples: [{ spec: pod }, { metadata: { labels }, spec: richPod }],
  }),
  played('v1 PodTemplate podtemplates', { examples: [{ template: template(pod) }, { template: template(richPod) }] }),
  played('batch/v1 Job jobs', {
    hasStatus: true,
    examples: [
      { spec: job },
      {
        spec: {
          ...{ ...job, completions: 3, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 1 },
          podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } }] },
        },
      },
    ],
  }),
  played('batch/v1 CronJob cronjobs', {
    hasStatus: true,
    examples: [{ spec: { schedule: '*/5 * * * *', jobTemplate: { spec: job } } }],
  }),
  played('autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers', {
    hasStatus: true,
    examples: [
      {
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
          ...{ minReplicas: 1, maxReplicas: 3 },
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
          ],
        },
      },
    ],
  }),
  played('autoscaling/v1 HorizontalPodAutoscaler horizontalpodautoscalers', {
    hasStatus: true,
    examples: [
      {
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
          ...{ minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 80 },
        },
      },
      { spec: { scaleTargetRef: { kind: 'Deployment', name: 'a' }, maxReplicas: 3 } },
    ],
  }),
  played('policy/v1 PodDisruptionBudget poddisruptionbudgets', {
    hasStatus: true,
    examples: [{ spec: { minAvailable: 1, selector } }, { spec: { maxUnavailable: '50%', selector } }],
  }),
];
