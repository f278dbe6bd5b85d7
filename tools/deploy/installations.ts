/** Ways to install the chart, which tests try: together they have every branch of it. */
export interface Installation {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export const installations: readonly Installation[] = [
  { name: 'the usual installation', values: {} },
  { name: 'one with the adapter', values: { adapter: { enabled: true, replicas: 2, extraArgs: ['--interval=30s'] } } },
  {
    name: 'one for some namespaces',
    values: {
      ...{ namespaces: ['shop', 'monitoring'], kubeletService: 'monitoring/kubelet', installCrds: true },
      ...{ extraArgs: ['--labels=team=obs'], logLevel: 'debug', logFormat: 'text' },
    },
  },
  {
    name: 'one with everything else',
    values: {
      image: { repository: 'registry.example.com/signalbox', tag: '1.10', pullPolicy: 'Always' },
      imagePullSecrets: [{ name: 'registry' }],
      ...{ replicas: 3, leaseNamespace: 'signalbox', podAnnotations: { 'a.example.com/b': '<1> & "2"' } },
      podLabels: { team: 'obs', 'a.example.com/b': '1' },
      serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/a' } },
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
        { maxSkew: 2, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule', minDomains: 2 },
      ],
      nodeSelector: {},
      tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
      priorityClass: { name: 'system-cluster-critical' },
      networkPolicy: {
        apiPorts: [443],
        metricsFrom: [{ namespaceSelector: {} }],
        egress: [{ ports: [{ protocol: 'TCP', port: 9090 }] }],
      },
      adapter: { enabled: true, serviceAccount: { annotations: { 'a.example.com/c': 'd' } } },
      monitoring: {
        serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
        rules: { enabled: true },
        dashboard: { enabled: true },
      },
    },
  },
  {
    name: 'one whose metrics are for those who know its certificate and token',
    values: {
      image: { repository: 'registry.example.com/signalbox', digest: `sha256:${'a'.repeat(64)}` },
      metrics: { tlsSecret: 'operator-tls', tokenSecret: 'operator-token' },
      monitoring: { serviceMonitor: { enabled: true } },
    },
  },
  {
    name: 'one with nothing that can be left out',
    values: {
      priorityClass: { create: false },
      podDisruptionBudget: { enabled: false },
      networkPolicy: { enabled: false },
    },
  },
];
