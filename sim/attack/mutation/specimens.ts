import type { KubeObject, New } from '@signalbox/cluster';

/** Of nobody in particular. */
const certificateRequest = [
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITU1IVUNBUUF3RXpFUk1BOEdBMVVFQXd3SWMzQmxZMmx0Wlc0d1dUQVRCZ2',
  'NxaGtqT1BRSUJCZ2dxaGtqTwpQUU1CQndOQ0FBU0ltN0JUTzAycVVQajA5ekhsL3ZPNGdqMmtVUHFTSjZ6RFRJZzAyaWh5V29aZDRrMFRySjBn',
  'CmVyVFlhU1ZVWmNyUERlOVhIZU9WMWVwUHFQY2I0YkNxb0FBd0NnWUlLb1pJemowRUF3SURSd0F3UkFJZ2RhSFcKalQrL2h1bytNNmY4UEVDd3',
  'gzVmhTSXZTVngzd0ZXOTVMODc1UzdVQ0lENjR5RzgvVVNqYnBuaTYzd244MmIrQgpOTndOK2NyVnd4U090enpPWnh2KwotLS0tLUVORCBDRVJU',
  'SUZJQ0FURSBSRVFVRVNULS0tLS0K',
].join('');

/**
 * The least that the API takes of every kind that it serves, by `<group>/<version>/<plural>`. Objects in namespaces go to
 * `default`. The attack first creates each of them, so a wrong or a missing one is found.
 */
export const specimens: Readonly<Record<string, object>> = {
  '/v1/bindings': { target: { kind: 'Node', name: 'node-1' } },
  '/v1/configmaps': {},
  '/v1/endpoints': { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
  '/v1/events': { involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' } },
  '/v1/limitranges': { spec: { limits: [{ type: 'Container' }] } },
  '/v1/namespaces': {},
  '/v1/nodes': {},
  '/v1/persistentvolumeclaims': {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  '/v1/persistentvolumes': {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/d' } },
  },
  '/v1/pods': { spec: podSpec() },
  '/v1/podtemplates': { template: { spec: podSpec() } },
  '/v1/replicationcontrollers': {
    spec: { selector: { app: 'specimen' }, template: { metadata: { labels: { app: 'specimen' } }, spec: podSpec() } },
  },
  '/v1/resourcequotas': {},
  '/v1/secrets': {},
  '/v1/serviceaccounts': {},
  '/v1/services': { spec: { selector: { app: 'specimen' }, ports: [{ port: 80 }] } },
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': { webhooks: [webhook()] },
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies': {
    spec: {
      matchConstraints: { resourceRules: [specimenRule()] },
      validations: [{ expression: 'object.metadata.name != "x"' }],
    },
  },
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': {
    spec: { policyName: 'specimen', validationActions: ['Deny'] },
  },
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations': { webhooks: [webhook()] },
  'admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies': {
    spec: {
      matchConstraints: { resourceRules: [specimenRule()] },
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    },
  },
  'admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicybindings': { spec: { policyName: 'specimen' } },
  'admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies': {
    spec: {
      matchConstraints: { resourceRules: [specimenRule()] },
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    },
  },
  'admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicybindings': { spec: { policyName: 'specimen' } },
  'apiextensions.k8s.io/v1/customresourcedefinitions': {
    spec: {
      group: 'specimen.example.com',
      scope: 'Namespaced',
      names: { plural: 'specimens', kind: 'Specimen' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  },
  'apiregistration.k8s.io/v1/apiservices': {
    spec: {
      group: 'specimen.example.com',
      version: 'v1',
      service: { namespace: 'default', name: 'specimen' },
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
    },
  },
  'apps/v1/controllerrevisions': { revision: 1, data: {} },
  'apps/v1/daemonsets': { spec: workload() },
  'apps/v1/deployments': { spec: workload() },
  'apps/v1/replicasets': { spec: workload() },
  'apps/v1/statefulsets': { spec: { ...workload(), serviceName: 'specimen' } },
  'authentication.k8s.io/v1/selfsubjectreviews': {},
  'authentication.k8s.io/v1/tokenreviews': { spec: { token: 'none' } },
  'authorization.k8s.io/v1/localsubjectaccessreviews': {
    spec: { user: 'u', resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
  },
  'authorization.k8s.io/v1/selfsubjectaccessreviews': {
    spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
  },
  'authorization.k8s.io/v1/selfsubjectrulesreviews': { spec: { namespace: 'default' } },
  'authorization.k8s.io/v1/subjectaccessreviews': {
    spec: { user: 'u', nonResourceAttributes: { path: '/x', verb: 'get' } },
  },
  'autoscaling/v1/horizontalpodautoscalers': {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'standing' }, maxReplicas: 3 },
  },
  'autoscaling/v2/horizontalpodautoscalers': {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'standing' }, maxReplicas: 3 },
  },
  'batch/v1/cronjobs': { spec: { schedule: '* * * * *', jobTemplate: { spec: job() } } },
  'batch/v1/jobs': { spec: job() },
  'certificates.k8s.io/v1/certificatesigningrequests': {
    spec: { request: certificateRequest, signerName: 'example.com/specimen', usages: ['client auth'] },
  },
  'coordination.k8s.io/v1/leases': {},
  'coordination.k8s.io/v1beta1/leasecandidates': {
    spec: {
      leaseName: 'specimen',
      binaryVersion: '1.34.0',
      emulationVersion: '1.34.0',
      strategy: 'OldestEmulationVersion',
    },
  },
  'discovery.k8s.io/v1/endpointslices': { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }] },
  'events.k8s.io/v1/events': {
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/specimen',
    reportingInstance: 'specimen-1',
    action: 'Looking',
    reason: 'Looked',
    type: 'Normal',
    regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
  },
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': {
    spec: { priorityLevelConfiguration: { name: 'specimen' }, matchingPrecedence: 1000 },
  },
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  },
  'networking.k8s.io/v1/ingressclasses': { spec: { controller: 'example.com/specimen' } },
  'networking.k8s.io/v1/ingresses': {
    spec: { defaultBackend: { service: { name: 'specimen', port: { number: 80 } } } },
  },
  'networking.k8s.io/v1/ipaddresses': {
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'specimen' } },
  },
  'networking.k8s.io/v1/networkpolicies': { spec: { podSelector: {} } },
  'networking.k8s.io/v1/servicecidrs': { spec: { cidrs: ['10.200.0.0/24'] } },
  'node.k8s.io/v1/runtimeclasses': { handler: 'specimen' },
  'policy/v1/poddisruptionbudgets': { spec: { selector: { matchLabels: { app: 'standing' } }, maxUnavailable: 1 } },
  'rbac.authorization.k8s.io/v1/clusterrolebindings': { roleRef: roleRef('ClusterRole') },
  'rbac.authorization.k8s.io/v1/clusterroles': { rules: [] },
  'rbac.authorization.k8s.io/v1/rolebindings': { roleRef: roleRef('Role') },
  'rbac.authorization.k8s.io/v1/roles': { rules: [] },
  'resource.k8s.io/v1/deviceclasses': { spec: {} },
  'resource.k8s.io/v1/resourceclaims': { spec: {} },
  'resource.k8s.io/v1/resourceclaimtemplates': { spec: { spec: {} } },
  'resource.k8s.io/v1/resourceslices': {
    spec: {
      driver: 'specimen.example.com',
      nodeName: 'node-1',
      pool: { name: 'specimen', generation: 1, resourceSliceCount: 1 },
    },
  },
  'scheduling.k8s.io/v1/priorityclasses': { value: 7 },
  'storage.k8s.io/v1/csidrivers': { spec: {} },
  'storage.k8s.io/v1/csinodes': { spec: { drivers: [] } },
  'storage.k8s.io/v1/csistoragecapacities': { storageClassName: 'specimen' },
  'storage.k8s.io/v1/storageclasses': { provisioner: 'example.com/specimen' },
  'storage.k8s.io/v1/volumeattachments': {
    spec: { attacher: 'specimen.example.com', nodeName: 'node-1', source: { persistentVolumeName: 'v' } },
  },
  'storage.k8s.io/v1/volumeattributesclasses': {
    driverName: 'specimen.example.com',
    parameters: { tier: 'slow' },
  },
  'monitoring.coreos.com/v1/podmonitors': { spec: { selector: {}, podMetricsEndpoints: [{ port: 'web' }] } },
  'monitoring.coreos.com/v1/probes': {
    spec: { prober: { url: 'prober:9115' }, targets: { staticConfig: { static: ['example.com'] } } },
  },
  'monitoring.coreos.com/v1/prometheuses': { spec: {} },
  'monitoring.coreos.com/v1/prometheusrules': {
    spec: { groups: [{ name: 'g', rules: [{ record: 'r', expr: 'up' }] }] },
  },
  'monitoring.coreos.com/v1/servicemonitors': { spec: { selector: {}, endpoints: [{ port: 'web' }] } },
  'monitoring.coreos.com/v1alpha1/prometheusagents': { spec: {} },
  'monitoring.coreos.com/v1alpha1/scrapeconfigs': { spec: { staticConfigs: [{ targets: ['example.com:80'] }] } },
  'monitoring.grafana.com/v1alpha1/grafanaagents': { spec: {} },
  'monitoring.grafana.com/v1alpha1/integrations': {
    spec: { name: 'agent', type: { unique: false, allNodes: true }, config: {} },
  },
  'monitoring.grafana.com/v1alpha1/logsinstances': { spec: { clients: [{ url: 'http://loki/push' }] } },
  'monitoring.grafana.com/v1alpha1/metricsinstances': { spec: { remoteWrite: [{ url: 'http://mimir/push' }] } },
  'monitoring.grafana.com/v1alpha1/podlogs': { spec: { selector: {}, pipelineStages: [{ docker: {} }] } },
};

/** What stands on the plane all the time, so that what is mutated meets something: workloads, and roots that select all. */
export const standing: readonly New<KubeObject>[] = [
  of('apps/v1', 'Deployment', { spec: { ...workload('standing'), replicas: 2 } }),
  of('apps/v1', 'DaemonSet', { spec: workload('standing-daemon') }),
  of('v1', 'Service', { spec: { selector: { app: 'standing' }, ports: [{ name: 'web', port: 80 }] } }),
  of('policy/v1', 'PodDisruptionBudget', {
    spec: { selector: { matchLabels: { app: 'standing' } }, minAvailable: '50%' },
  }),
  of('monitoring.coreos.com/v1', 'Prometheus', {
    spec: {
      serviceMonitorSelector: {},
      podMonitorSelector: {},
      probeSelector: {},
      scrapeConfigSelector: {},
      ruleSelector: {},
    },
  }),
  of('monitoring.grafana.com/v1alpha1', 'GrafanaAgent', {
    spec: {
      metrics: { instanceSelector: {} },
      logs: { instanceSelector: {} },
      integrations: { selector: {} },
    },
  }),
  of('monitoring.grafana.com/v1alpha1', 'MetricsInstance', {
    spec: { serviceMonitorSelector: {}, podMonitorSelector: {}, probeSelector: {} },
  }),
  of('monitoring.grafana.com/v1alpha1', 'LogsInstance', {
    spec: { clients: [{ url: 'http://loki/push' }], podLogsSelector: {} },
  }),
];

function of(apiVersion: string, kind: string, content: object): New<KubeObject> {
  return { apiVersion, kind, metadata: { name: 'standing', namespace: 'default' }, ...content } as New<KubeObject>;
}

function podSpec(): object {
  return { containers: [{ name: 'main', image: 'example/app:1' }], terminationGracePeriodSeconds: 1 };
}

function workload(app = 'specimen'): object {
  return {
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app } }, spec: podSpec() },
  };
}

function job(): object {
  return { template: { spec: { ...podSpec(), restartPolicy: 'Never' } } };
}

function roleRef(kind: string): object {
  return { apiGroup: 'rbac.authorization.k8s.io', kind, name: 'specimen' };
}

/** Of a kind that there is not, so that nobody is kept waiting. */
function specimenRule(): object {
  return {
    apiGroups: ['none.example.com'],
    apiVersions: ['v1'],
    operations: ['CREATE'],
    resources: ['nothings'],
  };
}

function webhook(): object {
  return {
    name: 'specimen.example.com',
    clientConfig: { url: 'https://127.0.0.1:1/specimen' },
    rules: [specimenRule()],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 1,
  };
}
