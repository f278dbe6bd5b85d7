/** What a comparison with a real API server has found: each case is answered here as it is there. */
import { describe, expect, test } from 'vitest';
import { createIssues, updateIssues } from '../testing/resources/judge.ts';
import { horizontalpodautoscalerDefinition } from './autoscaling/horizontalpodautoscaler.ts';
import { cronjobDefinition } from './batch/cronjob.ts';
import { persistentvolumeDefinition } from './core/persistentvolume.ts';
import { persistentvolumeclaimDefinition } from './core/persistentvolumeclaim.ts';
import { podDefinition } from './core/pod/pod.ts';
import { serviceDefinition } from './core/service/service.ts';
import { ingressDefinition } from './networking/ingress.ts';
import { ingressclassDefinition } from './networking/ingressclass.ts';
import { networkpolicyDefinition } from './networking/networkpolicy.ts';
import type { ResourceDefinition } from './resource.ts';
import { priorityclassDefinition } from './scheduling/priorityclass.ts';
import { csinodeDefinition } from './storage/csinode.ts';

const containers = [{ name: 'a', image: 'a' }];
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
const byPort = (ports: readonly object[]): object => ({ podSelector: {}, ingress: [{ ports }] });
const fieldRef = (apiVersion: string): object => ({
  containers: [
    { ...containers[0], env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion, fieldPath: 'metadata.name' } } }] },
  ],
});

test.each<[string, ResourceDefinition, object, readonly string[]]>([
  ['a scheduler may have any name', podDefinition, { containers, schedulerName: 'Not Valid!' }, []],
  [
    'labels of SELinux are changed file by file',
    podDefinition,
    { containers, securityContext: { seLinuxChangePolicy: 'MountOption' } },
    ['spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"'],
  ],
  [
    'fields of pods are those of version 1',
    podDefinition,
    fieldRef('v2'),
    [
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2',
    ],
  ],
  [
    'node ports of load balancers are theirs',
    serviceDefinition,
    { ports: [{ port: 80 }], allocateLoadBalancerNodePorts: true, healthCheckNodePort: 30_000 },
    [
      "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
      "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ],
  ],
  [
    'a claim is filled from a claim, or from what has a group',
    persistentvolumeclaimDefinition,
    { ...claim, dataSourceRef: { kind: 'Snapshot', name: 'a' } },
    [
      'spec.dataSource: Invalid value: "Snapshot": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
      'spec.dataSourceRef: Invalid value: "Snapshot": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
    ],
  ],
  [
    'what a path of the host is, is one of a list',
    persistentvolumeDefinition,
    { ...volume, hostPath: { path: '/a', type: 'Pipe' } },
    [
      'spec.hostPath.type: Unsupported value: "Pipe": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
  ],
  [
    'ports end at 65535',
    networkpolicyDefinition,
    byPort([{ port: 80, endPort: 65_536 }]),
    ['spec.ingress[0].ports[0].endPort: Invalid value: 65536: must be between 1 and 65535, inclusive'],
  ],
  [
    'what is scaled has a group',
    horizontalpodautoscalerDefinition,
    { scaleTargetRef: { apiVersion: 'v1', kind: 'Thing', name: 'a' }, maxReplicas: 1 },
    ['spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group'],
  ],
  [
    'nothing is made of a source that no claim ever came from',
    persistentvolumeclaimDefinition,
    { ...claim, dataSource: { kind: 'Snapshot', name: 'a' } },
    [],
  ],
  [
    'two sources of one claim are the same one',
    persistentvolumeclaimDefinition,
    {
      ...{ ...claim, dataSource: { kind: 'PersistentVolumeClaim', name: 'a' } },
      dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'b' },
    },
    ['spec: Invalid value: {}: must match dataSourceRef'],
  ],
  [
    'containers use claims that their pod has, each once',
    podDefinition,
    {
      resourceClaims: [{ name: 'b', resourceClaimName: 'b' }],
      containers: [
        {
          ...containers[0],
          resources: { claims: [{ name: 'b', request: 'X' }, { name: 'b' }, { name: 'b' }, { name: 'c' }] },
        },
      ],
    },
    [
      expect.stringMatching(/^spec\.containers\[0\]\.resources\.claims\[0\]\.request: Invalid value: "X"/),
      'spec.containers[0].resources.claims[1]: Duplicate value: "b"',
      'spec.containers[0].resources.claims[2]: Duplicate value: "b"',
      'spec.containers[0].resources.claims[3]: Not found: "c": must be one of the names in pod.spec.resourceClaims: b',
    ],
  ],
  [
    'a claim of a pod is there, or made from a template',
    podDefinition,
    {
      containers,
      resourceClaims: [
        { name: 'a' },
        { name: 'a', resourceClaimName: 'b', resourceClaimTemplateName: 'c' },
        { resourceClaimName: 'B!' },
      ],
    },
    [
      'spec.resourceClaims[0]: Invalid value: {"name":"a"}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
      'spec.resourceClaims[1].name: Duplicate value: "a"',
      expect.stringMatching(/^spec\.resourceClaims\[1\]: .*: at most one of `resourceClaimName` or `resource/),
      'spec.resourceClaims[2].name: Required value',
      expect.stringMatching(/^spec\.resourceClaims\[2\]\.resourceClaimName: Invalid value: "B!"/),
    ],
  ],
  [
    'a pod without claims uses none',
    podDefinition,
    { containers: [{ ...containers[0], resources: { claims: [{ name: 'a' }] } }] },
    [
      'spec.containers[0].resources.claims[0]: Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
    ],
  ],
  [
    'an operating system has a name, which is what is asked for where it has none',
    podDefinition,
    { os: { name: '' }, containers },
    ['spec.os.name: Required value'],
  ],
  [
    'of a claim without a name nothing else is told, and a whole pod may not even name none',
    podDefinition,
    { resources: { claims: [] }, containers: [{ ...containers[0], resources: { claims: [{}] } }] },
    [
      'spec.containers[0].resources.claims[0]: Required value',
      'spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level',
    ],
  ],
  [
    'devices are where no path leads up, and in two places of a container',
    podDefinition,
    {
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'v' } }],
      containers: [
        {
          ...containers[0],
          volumeDevices: [
            { name: 'v', devicePath: '../a' },
            { name: 'w', devicePath: '/b' },
            { name: 'x', devicePath: '/b' },
          ],
        },
      ],
    },
    [
      'spec.containers[0].volumeDevices[0].devicePath: Invalid value: "../a": can not contain backsteps (\'..\')',
      'spec.containers[0].volumeDevices[1].name: Not found: "w"',
      'spec.containers[0].volumeDevices[2].name: Not found: "x"',
      'spec.containers[0].volumeDevices[2].devicePath: Invalid value: "/b": must be unique',
    ],
  ],
  [
    'a place of a container is a path of files, or a device',
    podDefinition,
    {
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'v' } }],
      containers: [
        {
          ...containers[0],
          volumeMounts: [{ name: 'v', mountPath: '/a' }],
          volumeDevices: [{ name: 'v', devicePath: '/a' }],
        },
      ],
    },
    [
      'spec.containers[0].volumeMounts[0].name: Invalid value: "v": must not already exist in volumeDevices',
      'spec.containers[0].volumeMounts[0].mountPath: Invalid value: "/a": must not already exist as a path in volumeDevices',
      'spec.containers[0].volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts',
      'spec.containers[0].volumeDevices[0].devicePath: Invalid value: "/a": must not already exist as a path in volumeMounts',
    ],
  ],
  [
    'what nobody knows has no unit',
    podDefinition,
    {
      containers: [
        { ...containers[0], env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'http', divisor: '7' } } }] },
      ],
    },
    [
      expect.stringContaining(
        'spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "http"',
      ),
    ] as never,
  ],
  [
    'users of its own have no devices',
    podDefinition,
    {
      hostUsers: false,
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'v' } }],
      containers: [{ ...containers[0], volumeDevices: [{ name: 'v', devicePath: '/v' }] }],
    },
    ['spec.containers[0].volumeDevices: Forbidden: when `hostUsers` is false'],
  ],
] as never)('%s', (_, definition, spec, expected) => expect(createIssues(definition, { spec })).toEqual(expected));

test('a certificate of an Ingress is a Secret that may exist', () => {
  const spec = { defaultBackend: { service: { name: 'a', port: { number: 80 } } }, tls: [{ secretName: 'No' }] };
  expect(createIssues(ingressDefinition, { spec } as never)).toEqual([
    expect.stringMatching(/^spec\.tls\[0\]\.secretName: Invalid value: "No": a lowercase RFC 1123 subdomain/),
  ]);
});

const subdomain = /a lowercase RFC 1123 subdomain must consist of/;

test.each([
  [{ apiGroup: 'Never' }, [subdomain]],
  [
    { kind: 'a/b', name: '..' },
    [/^spec\.parameters\.kind: .*may not contain '\/'$/, /^spec\.parameters\.name: .*may not be '\.\.'$/],
  ],
  [{ scope: 'Namespace', namespace: 'Bad!' }, [/^spec\.parameters\.namespace: .*RFC 1123 label/]],
  [{ scope: 'Namespace', namespace: 'a' }, []],
  [{ scope: 'Namespace', namespace: '' }, [/^spec\.parameters\.namespace: .*RFC 1123 label/]],
  [{ scope: '' }, [/^spec\.parameters\.scope: Unsupported value: ""/]],
])('an IngressClass names its parameters: %j', (parameters, expected) => {
  const spec = { controller: 'example.com/a', parameters: { kind: 'A', name: 'a', ...parameters } };
  expect(createIssues(ingressclassDefinition, { spec })).toEqual(expected.map((each) => expect.stringMatching(each)));
});

const job = { template: { spec: { containers, restartPolicy: 'Never' } } };

test.each([
  ['example.com/a', []],
  ['', ['spec.jobTemplate.spec.managedBy: Required value']],
  [
    'a',
    ['spec.jobTemplate.spec.managedBy: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [`example.com/${'a'.repeat(60)}`, ['spec.jobTemplate.spec.managedBy: Too long: may not be more than 63 bytes']],
])('who manages a job is a path with a domain: %s', (managedBy, expected) => {
  const spec = { schedule: '* * * * *', jobTemplate: { spec: { ...job, managedBy } } };
  expect(createIssues(cronjobDefinition, { spec })).toEqual(expected);
});

describe('a CSINode', () => {
  const of = (driver: object): { readonly spec: object } => ({
    spec: { drivers: [{ name: 'example.com', nodeID: 'a', ...driver }] },
  });
  test.each([
    [{ topologyKeys: ['a', 'a'] }, ['spec.drivers[0]: Duplicate value: "a"']],
    [{ topologyKeys: ['A B'] }, [expect.stringMatching(/^spec\.drivers\[0\]: Invalid value: "A B": name part must/)]],
    [{ allocatable: { count: -1 } }, [expect.stringMatching(/allocatable\.count: Invalid value: -1: must be greater/)]],
    [{ name: 'a'.repeat(64) }, ['spec.drivers[0].name: Too long: may not be more than 63 bytes']],
    [{ topologyKeys: ['example.com/a'], allocatable: { count: 0 } }, []],
  ])('has drivers with topologies and room: %j', (driver, expected) =>
    expect(createIssues(csinodeDefinition, of(driver))).toEqual(expected),
  );

  test('drops drivers, and leaves the others as they are', () => {
    expect(updateIssues(csinodeDefinition, { before: of({}), after: { spec: { drivers: [] } } })).toEqual([]);
    const after = of({ topologyKeys: ['b'], allocatable: { count: 4 } });
    expect(updateIssues(csinodeDefinition, { before: of({}), after })).toEqual([
      'spec.drivers: Invalid value: {"Name":"example.com","NodeID":"a","TopologyKeys":["b"],"Allocatable":{"Count":4}}: field is immutable',
    ]);
  });
});

test('of a class of priority only what may not change is asked when it changes', () => {
  const before = { metadata: { name: 'system-a' }, value: 5, preemptionPolicy: 'Never' } as never;
  const after = { metadata: { name: 'system-a' }, value: 5, preemptionPolicy: 'x' } as never;
  expect(updateIssues(priorityclassDefinition, { before, after })).toEqual([
    'preemptionPolicy: Invalid value: "x": field is immutable',
  ]);
});

test('a controller is a path', () => {
  expect(createIssues(ingressclassDefinition, { spec: { controller: 'example.com/A b' } })).toEqual([
    `spec.controller: Invalid value: "A b": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
  ]);
});

test('a container that says no has not changed', () => {
  const spec = { terminationGracePeriodSeconds: 30, restartPolicy: 'Always', dnsPolicy: 'Default' };
  const [before, same, other] = [{}, { stdinOnce: false, tty: false }, { tty: true }].map((more) => ({
    metadata: { name: 'a' },
    spec: { ...spec, containers: [{ name: 'a', image: 'a', ...more }] },
  }));
  const of = (after: unknown) => updateIssues(podDefinition, { before, after } as never);
  expect(of(same).filter((line) => line.includes('may not change'))).toEqual([]);
  expect(of(other).filter((line) => line.includes('may not change'))).toEqual([
    expect.stringMatching(/\nspec\.containers\[0\]\.tty$/),
  ]);
});
