import type { JsonObject } from '@signalbox/cluster';

/** A kind whose requests are played: where it is, and valid objects to begin with. */
export interface Played {
  readonly kind: string;
  readonly apiVersion: string;
  /** `deployments` */
  readonly resource: string;
  readonly isNamespaced: boolean;
  /** Of the schema of its built-in definition; undefined for a custom resource. */
  readonly definition?: string;
  readonly hasStatus: boolean;
  /** All but the name, which the player chooses. */
  readonly examples: readonly JsonObject[];
}

const pod = { containers: [{ name: 'main', image: 'example/main:1' }] };
const richPod = {
  containers: [
    {
      name: 'main',
      image: 'example/main:1',
      command: ['/bin/main'],
      args: ['--port', '80'],
      env: [
        { name: 'A', value: 'a' },
        { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'C', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } },
      ],
      ports: [{ name: 'http', containerPort: 80 }],
      readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 5 },
      livenessProbe: { exec: { command: ['true'] } },
      resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '64Mi' } },
      volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
      securityContext: { runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
      lifecycle: { preStop: { sleep: { seconds: 1 } } },
    },
  ],
  initContainers: [{ name: 'first', image: 'example/first:1', restartPolicy: 'Always' }],
  volumes: [
    { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'config', configMap: { name: 'a', items: [{ key: 'a', path: 'a' }] } },
    { name: 'all', projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3600 } }] } },
    { name: 'host', hostPath: { path: '/var/log' } },
  ],
  tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'a' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { app: 'a' } },
    },
  ],
  terminationGracePeriodSeconds: 10,
  securityContext: { fsGroup: 1000 },
};
const labels = { app: 'a' };
const selector = { matchLabels: labels };
const template = (spec: JsonObject): JsonObject => ({ metadata: { labels }, spec });
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

const workloads: readonly Played[] = [
  {
    ...{ kind: 'Deployment', apiVersion: 'apps/v1', resource: 'deployments', isNamespaced: true, hasStatus: true },
    definition: 'io.k8s.api.apps.v1.Deployment',
    examples: [
      { spec: { selector, template: template(pod) } },
      { spec: { replicas: 2, selector, strategy: { type: 'Recreate' }, template: template(richPod) } },
    ],
  },
  {
    ...{ kind: 'DaemonSet', apiVersion: 'apps/v1', resource: 'daemonsets', isNamespaced: true, hasStatus: true },
    definition: 'io.k8s.api.apps.v1.DaemonSet',
    examples: [
      { spec: { selector, template: template(pod) } },
      { spec: { selector, updateStrategy: { rollingUpdate: { maxUnavailable: '10%' } }, template: template(richPod) } },
    ],
  },
  {
    ...{ kind: 'StatefulSet', apiVersion: 'apps/v1', resource: 'statefulsets', isNamespaced: true, hasStatus: true },
    definition: 'io.k8s.api.apps.v1.StatefulSet',
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
  },
  {
    ...{ kind: 'ReplicaSet', apiVersion: 'apps/v1', resource: 'replicasets', isNamespaced: true, hasStatus: true },
    definition: 'io.k8s.api.apps.v1.ReplicaSet',
    examples: [{ spec: { replicas: 1, selector, template: template(pod) } }],
  },
  {
    ...{ kind: 'Pod', apiVersion: 'v1', resource: 'pods', isNamespaced: true, hasStatus: true },
    definition: 'io.k8s.api.core.v1.Pod',
    examples: [{ spec: pod }, { metadata: { labels }, spec: richPod }],
  },
];

const core: readonly Played[] = [
  {
    ...{ kind: 'ConfigMap', apiVersion: 'v1', resource: 'configmaps', isNamespaced: true, hasStatus: false },
    definition: 'io.k8s.api.core.v1.ConfigMap',
    examples: [
      { data: { a: 'b' }, binaryData: { c: 'ZA==' } },
      { immutable: true, data: { a: 'b' } },
    ],
  },
  {
    ...{ kind: 'Secret', apiVersion: 'v1', resource: 'secrets', isNamespaced: true, hasStatus: false },
    definition: 'io.k8s.api.core.v1.Secret',
    examples: [
      { data: { a: 'Yg==' }, stringData: { c: 'd' } },
      { type: 'kubernetes.io/basic-auth', stringData: { username: 'a', password: 'b' } },
    ],
  },
  {
    ...{ kind: 'Service', apiVersion: 'v1', resource: 'services', isNamespaced: true, hasStatus: true },
    definition: 'io.k8s.api.core.v1.Service',
    examples: [
      { spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] } },
      { spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80 }] } },
      { spec: { type: 'ExternalName', externalName: 'example.com' } },
    ],
  },
  {
    kind: 'PersistentVolumeClaim',
    ...{ apiVersion: 'v1', resource: 'persistentvolumeclaims', isNamespaced: true, hasStatus: true },
    definition: 'io.k8s.api.core.v1.PersistentVolumeClaim',
    examples: [{ spec: claim }, { spec: { ...claim, storageClassName: 'a', volumeMode: 'Block' } }],
  },
  {
    ...{ kind: 'PodDisruptionBudget', apiVersion: 'policy/v1', resource: 'poddisruptionbudgets', isNamespaced: true },
    hasStatus: true,
    definition: 'io.k8s.api.policy.v1.PodDisruptionBudget',
    examples: [{ spec: { minAvailable: 1, selector } }, { spec: { maxUnavailable: '50%', selector } }],
  },
  {
    ...{ kind: 'ServiceAccount', apiVersion: 'v1', resource: 'serviceaccounts', isNamespaced: true, hasStatus: false },
    definition: 'io.k8s.api.core.v1.ServiceAccount',
    examples: [{ imagePullSecrets: [{ name: 'a' }], automountServiceAccountToken: false }],
  },
  {
    ...{
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      resource: 'leases',
      isNamespaced: true,
      hasStatus: false,
    },
    definition: 'io.k8s.api.coordination.v1.Lease',
    examples: [{ spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' } }],
  },
];

const others: readonly Played[] = [
  {
    ...{ kind: 'Job', apiVersion: 'batch/v1', resource: 'jobs', isNamespaced: true, hasStatus: true },
    definition: 'io.k8s.api.batch.v1.Job',
    examples: [{ spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } }],
  },
  {
    ...{ kind: 'CronJob', apiVersion: 'batch/v1', resource: 'cronjobs', isNamespaced: true, hasStatus: true },
    definition: 'io.k8s.api.batch.v1.CronJob',
    examples: [
      {
        spec: {
          schedule: '*/5 * * * *',
          jobTemplate: { spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } },
        },
      },
    ],
  },
  {
    ...{
      kind: 'Ingress',
      apiVersion: 'networking.k8s.io/v1',
      resource: 'ingresses',
      isNamespaced: true,
      hasStatus: true,
    },
    definition: 'io.k8s.api.networking.v1.Ingress',
    examples: [
      {
        spec: {
          tls: [{ hosts: ['a.example.com'], secretName: 'a' }],
          rules: [
            {
              host: 'a.example.com',
              http: {
                paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'a', port: { number: 80 } } } }],
              },
            },
          ],
        },
      },
    ],
  },
  {
    ...{ kind: 'NetworkPolicy', apiVersion: 'networking.k8s.io/v1', resource: 'networkpolicies', isNamespaced: true },
    hasStatus: false,
    definition: 'io.k8s.api.networking.v1.NetworkPolicy',
    examples: [
      { spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } },
      {
        spec: {
          podSelector: selector,
          ingress: [{ from: [{ namespaceSelector: {} }, { ipBlock: { cidr: '10.0.0.0/8' } }], ports: [{ port: 80 }] }],
        },
      },
    ],
  },
  {
    kind: 'HorizontalPodAutoscaler',
    ...{ apiVersion: 'autoscaling/v2', resource: 'horizontalpodautoscalers', isNamespaced: true, hasStatus: true },
    definition: 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
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
  },
  {
    ...{
      kind: 'Role',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      resource: 'roles',
      isNamespaced: true,
      hasStatus: false,
    },
    definition: 'io.k8s.api.rbac.v1.Role',
    examples: [{ rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }] }],
  },
  {
    ...{
      kind: 'RoleBinding',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      resource: 'rolebindings',
      isNamespaced: true,
    },
    hasStatus: false,
    definition: 'io.k8s.api.rbac.v1.RoleBinding',
    examples: [
      {
        subjects: [{ kind: 'ServiceAccount', name: 'a', namespace: 'b' }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' },
      },
    ],
  },
  {
    ...{ kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1', resource: 'priorityclasses', isNamespaced: false },
    hasStatus: false,
    definition: 'io.k8s.api.scheduling.v1.PriorityClass',
    examples: [{ value: 10, description: 'a' }],
  },
  {
    ...{ kind: 'StorageClass', apiVersion: 'storage.k8s.io/v1', resource: 'storageclasses', isNamespaced: false },
    hasStatus: false,
    definition: 'io.k8s.api.storage.v1.StorageClass',
    examples: [{ provisioner: 'example.com/a', parameters: { a: 'b' } }],
  },
  {
    ...{
      kind: 'PersistentVolume',
      apiVersion: 'v1',
      resource: 'persistentvolumes',
      isNamespaced: false,
      hasStatus: true,
    },
    definition: 'io.k8s.api.core.v1.PersistentVolume',
    examples: [{ spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } } }],
  },
  {
    ...{ kind: 'EndpointSlice', apiVersion: 'discovery.k8s.io/v1', resource: 'endpointslices', isNamespaced: true },
    hasStatus: false,
    definition: 'io.k8s.api.discovery.v1.EndpointSlice',
    examples: [
      {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.1.2.3'] }],
        ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
      },
    ],
  },
  {
    ...{
      kind: 'ServiceMonitor',
      apiVersion: 'monitoring.coreos.com/v1',
      resource: 'servicemonitors',
      isNamespaced: true,
    },
    hasStatus: true,
    examples: [{ spec: { selector, endpoints: [{ port: 'http', interval: '30s' }] } }],
  },
];

export const playedKinds: readonly Played[] = [...workloads, ...core, ...others];
