import { claim, labels, selector } from './parts.ts';
import { type Played, played } from './played.ts';

export const core: readonly Played[] = [
  played('v1 ConfigMap configmaps', {
    examples: [
      { data: { a: 'b' }, binaryData: { c: 'ZA==' } },
      { immutable: true, data: { a: 'b' } },
    ],
  }),
  played('v1 Secret secrets', {
    examples: [
      { data: { a: 'Yg==' }, stringData: { c: 'd' } },
      { type: 'kubernetes.io/basic-auth', stringData: { username: 'a', password: 'b' } },
    ],
  }),
  played('v1 Service services', {
    hasStatus: true,
    examples: [
      { spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] } },
      { spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80 }] } },
      { spec: { type: 'ExternalName', externalName: 'example.com' } },
      { spec: { type: 'NodePort', selector: labels, ports: [{ port: 80 }] } },
      { spec: { type: 'LoadBalancer', externalTrafficPolicy: 'Local', selector: labels, ports: [{ port: 80 }] } },
    ],
  }),
  played('v1 Endpoints endpoints', {
    examples: [{ subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ name: 'http', port: 80 }] }] }],
  }),
  played('v1 PersistentVolumeClaim persistentvolumeclaims', {
    hasStatus: true,
    examples: [{ spec: claim }, { spec: { ...claim, storageClassName: 'a', volumeMode: 'Block' } }],
  }),
  played('v1 ServiceAccount serviceaccounts', {
    examples: [{ imagePullSecrets: [{ name: 'a' }], automountServiceAccountToken: false }],
    isShared: true,
    doors: [
      {
        path: 'token',
        definition: 'io.k8s.api.authentication.v1.TokenRequest',
        methods: ['POST'],
        examples: [{ spec: { audiences: ['a'], expirationSeconds: 600 } }, { spec: {} }],
      },
    ],
  }),
  played('v1 LimitRange limitranges', {
    examples: [
      { spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '9Gi' }, min: { storage: '1Mi' } }] } },
    ],
  }),
  played('v1 ResourceQuota resourcequotas', {
    hasStatus: true,
    examples: [{ spec: { hard: { 'count/things.example.com': '5' } } }],
  }),
  played('v1 Event events', {
    examples: [
      {
        involvedObject: { kind: 'Pod', namespace: 'played', name: 'a' },
        ...{ reason: 'Because', message: 'it is so', type: 'Normal', source: { component: 'a' } },
        ...{ firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:00:00Z', count: 1 },
      },
    ],
  }),
  played('events.k8s.io/v1 Event events', {
    examples: [
      {
        ...{ eventTime: '2026-01-01T00:00:00.000000Z', reportingController: 'example.com/a', reportingInstance: 'a-1' },
        ...{ action: 'Doing', reason: 'Because', type: 'Normal', note: 'it is so' },
        regarding: { kind: 'Pod', namespace: 'played', name: 'a' },
      },
    ],
  }),
  played('coordination.k8s.io/v1 Lease leases', {
    examples: [{ spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' } }],
  }),
  played('coordination.k8s.io/v1beta1 LeaseCandidate leasecandidates', {
    examples: [
      {
        spec: {
          ...{
            leaseName: 'a',
            binaryVersion: '1.34.0',
            emulationVersion: '1.33.0',
            strategy: 'OldestEmulationVersion',
          },
          ...{ pingTime: '2026-01-01T00:00:00.000000Z', renewTime: '2026-01-01T00:00:00.000000Z' },
        },
      },
    ],
  }),
  played('networking.k8s.io/v1 Ingress ingresses', {
    hasStatus: true,
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
  }),
  played('networking.k8s.io/v1 NetworkPolicy networkpolicies', {
    examples: [
      { spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } },
      {
        spec: {
          podSelector: selector,
          ingress: [{ from: [{ namespaceSelector: {} }, { ipBlock: { cidr: '10.0.0.0/8' } }], ports: [{ port: 80 }] }],
        },
      },
    ],
  }),
  played('discovery.k8s.io/v1 EndpointSlice endpointslices', {
    examples: [
      {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.1.2.3'] }],
        ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
      },
    ],
  }),
  played('storage.k8s.io/v1 CSIStorageCapacity csistoragecapacities', {
    examples: [{ storageClassName: 'a', capacity: '1Gi', nodeTopology: selector }],
  }),
  played('resource.k8s.io/v1 ResourceClaim resourceclaims', {
    hasStatus: true,
    examples: [{ spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'a' } }] } } }],
  }),
  played('resource.k8s.io/v1 ResourceClaimTemplate resourceclaimtemplates', {
    examples: [{ spec: { spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'a' } }] } } } }],
  }),
];
