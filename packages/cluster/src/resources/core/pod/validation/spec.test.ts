import { describe, expect, test } from 'vitest';
import type { Container, Pod, PodSpec, Probe, Volume } from '../../../../api/generated/core-v1.ts';
import { root } from '../../../../api/issue.ts';
import { defaultPod, defaultPodTemplate } from '../defaults.ts';
import { podDefinition } from '../pod.ts';
import { validatePodTemplate } from '../template.ts';

const bare: Container = { name: 'web', image: 'nginx:1.27' };

function issuesOf(spec: Partial<PodSpec>): string[] {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default' } } as unknown as Pod;
  const complete = defaultPod({ ...pod, spec: { containers: [bare], ...spec } });
  return [...(podDefinition.validate?.(complete, root) ?? [])].map(({ field, message }) => `${field}: ${message}`);
}

const inContainer = (container: Partial<Container>, spec: Partial<PodSpec> = {}): string[] =>
  issuesOf({ ...spec, containers: [{ ...bare, ...container }] }).map((line) => line.replace('spec.containers[0].', ''));
const inVolume = (volume: Partial<Volume>): string[] =>
  issuesOf({ volumes: [{ name: 'v', ...volume }] }).map((line) => line.replace('spec.volumes[0].', ''));

const subdomain = expect.stringContaining('a lowercase RFC 1123 subdomain must consist');
const label = expect.stringContaining('a lowercase RFC 1123 label must consist');

test('a pod that uses everything is right', () => {
  expect(
    issuesOf({
      initContainers: [
        { ...bare, name: 'init' },
        { ...bare, name: 'sidecar', restartPolicy: 'Always', livenessProbe: { exec: { command: ['x'] } } },
      ],
      containers: [
        {
          ...bare,
          ports: [
            { name: 'http', containerPort: 80, hostPort: 80 },
            { containerPort: 80, hostPort: 80, protocol: 'UDP' },
          ],
          env: [
            { name: 'A', value: 'b' },
            { name: 'my.name/with spaces', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
            { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
            { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k.pem' } } },
          ],
          envFrom: [{ prefix: 'P_', configMapRef: { name: 'c' } }],
          resources: { requests: { cpu: '1', 'nvidia.com/gpu': '1' }, limits: { cpu: '1', 'nvidia.com/gpu': '1' } },
          readinessProbe: { tcpSocket: { port: 'http' } },
          lifecycle: { preStop: { sleep: { seconds: 5 } } },
          volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a/b' }],
          securityContext: { runAsUser: 0, seccompProfile: { type: 'RuntimeDefault' } },
        },
      ],
      volumes: [{ name: 'v', configMap: { name: 'c', items: [{ key: 'k', path: 'a/b' }] } }],
      tolerations: [{ operator: 'Exists' }, { key: 'k', value: 'v', effect: 'NoExecute', tolerationSeconds: 3 }],
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
          },
        },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: {} } },
          ],
        },
      },
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
      hostAliases: [{ ip: '::1', hostnames: ['a.b'] }],
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['1.1.1.1'], searches: ['a.b.', '.'], options: [{ name: 'ndots' }] },
      schedulingGates: [{ name: 'example.com/wait' }],
      overhead: { cpu: '10m' },
    }),
  ).toEqual([]);
});

test.each<[string, Partial<PodSpec>, readonly unknown[]]>([
  [
    'a domain that is looked through is a name, and no longer than one',
    { dnsConfig: { searches: ['_tcp.a_b.c', '-a', 'a'.repeat(254)] } },
    [
      expect.stringMatching(/^spec\.dnsConfig\.searches\[1\]: Invalid value: "-a": a lowercase RFC 1123 subdomain/),
      expect.stringMatching(
        /^spec\.dnsConfig\.searches\[2\]: Invalid value: "a+": must be no more than 253 characters$/,
      ),
    ],
  ],
  ['no containers', { containers: [] }, ['spec.containers: Required value']],
  ['two containers of one name', { containers: [bare, bare] }, ['spec.containers[1].name: Duplicate value: "web"']],
  [
    'an init container named like a container',
    { initContainers: [bare] },
    ['spec.initContainers[0].name: Duplicate value: "web"'],
  ],
  [
    'a probe on an init container',
    { initContainers: [{ name: 'i', image: 'x', readinessProbe: { exec: { command: ['x'] } } }] },
    [
      'spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
  ],
  [
    'ephemeral containers from the start',
    { ephemeralContainers: [{ name: 'debug', image: 'x' }] },
    ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
  ],
  [
    'an unknown restart policy',
    { restartPolicy: 'Sometimes' },
    ['spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'],
  ],
  [
    'an unknown DNS policy',
    { dnsPolicy: 'X' },
    [
      'spec.dnsPolicy: Unsupported value: "X": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
  ],
  [
    'no DNS at all',
    { dnsPolicy: 'None' },
    ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
  ],
  [
    'four nameservers',
    { dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', 'x'] } },
    [
      'spec.dnsConfig.nameservers: Invalid value: ["1.1.1.1","1.1.1.2","1.1.1.3","x"]: must not have more than 3 nameservers',
      'spec.dnsConfig.nameservers[3]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  ],
  [
    'a whole that is less than its parts',
    {
      resources: { requests: { cpu: '150m' }, limits: { memory: '50Mi' } },
      initContainers: [
        { name: 'side', image: 'a', restartPolicy: 'Always', resources: { requests: { cpu: '100m' } } },
        { name: 'first', image: 'a', resources: { requests: { cpu: '90m' } } },
      ],
      containers: [
        {
          name: 'main',
          image: 'a',
          resources: { requests: { cpu: '100m', memory: '1Mi' }, limits: { memory: '60Mi' } },
        },
      ],
    },
    [
      'spec.resources.requests[cpu]: Invalid value: "150m": must be greater than or equal to aggregate container requests of 200m',
      'spec.resources.containers[0][memory].limits: Invalid value: "60Mi": must be less than or equal to pod limits of 50Mi',
    ],
  ],
  ['an upper-case node name', { nodeName: 'Node' }, [subdomain]],
  ['an upper-case host name', { hostname: 'A' }, [label]],
  ['a host name with dots', { hostname: 'a.b' }, [expect.stringContaining('must not contain dots')]],
  ['a bad service account', { serviceAccountName: 'A' }, [subdomain]],
  [
    'no time to run',
    { activeDeadlineSeconds: 0 },
    ['spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
  ],
  [
    'a node before the gates are open',
    { nodeName: 'n', schedulingGates: [{ name: 'a' }] },
    ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
  ],
  [
    'a gate given twice',
    { schedulingGates: [{ name: 'a' }, { name: 'a' }] },
    ['spec.schedulingGates[1]: Duplicate value: "a"'],
  ],
  [
    'a host alias without address',
    { hostAliases: [{ ip: 'localhost' }] },
    [
      'spec.hostAliases[0].ip: Invalid value: "localhost": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  ],
  [
    'other ports on the host network',
    { hostNetwork: true, containers: [{ ...bare, ports: [{ containerPort: 80, hostPort: 81 }] }] },
    ['spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true'],
  ],
  [
    'one host port twice',
    {
      containers: [
        { ...bare, ports: [{ containerPort: 1, hostPort: 80 }] },
        { ...bare, name: 'b', ports: [{ containerPort: 2, hostPort: 80 }] },
      ],
    },
    ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"'],
  ],
  [
    'both namespaces shared',
    { shareProcessNamespace: true, hostPID: true },
    [
      'spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
    ],
  ],
  [
    'a label key with two slashes',
    { nodeSelector: { 'a/b/c': 'x' } },
    [expect.stringContaining('spec.nodeSelector: Invalid value: "a/b/c"')],
  ],
])('%s', (_, spec, expected) => expect(issuesOf(spec)).toEqual(expected));

describe('tolerations', () => {
  test.each<[string, NonNullable<PodSpec['tolerations']>[number], string]>([
    [
      'no key',
      { value: 'x' },
      'operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
    [
      'seconds without eviction',
      { key: 'a', tolerationSeconds: 1 },
      'effect: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set',
    ],
    [
      'an unknown operator',
      { key: 'a', operator: 'In' },
      'operator: Unsupported value: "In": supported values: "Equal", "Exists"',
    ],
    [
      'a value that cannot matter',
      { key: 'a', operator: 'Exists', value: 'x' },
      'operator: Invalid value: "x": value must be empty when `operator` is \'Exists\'',
    ],
    [
      'an unknown effect',
      { key: 'a', effect: 'No' },
      'effect: Unsupported value: "No": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  ])('%s', (_, toleration, expected) =>
    expect(issuesOf({ tolerations: [toleration] })).toEqual([`spec.tolerations[0].${expected}`]),
  );
});

describe('node affinity', () => {
  const path = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  const required = (nodeSelectorTerms: readonly object[]): string[] =>
    issuesOf({
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
    }).map((line) => line.replace(path, ''));

  test.each<[string, readonly object[], readonly unknown[]]>([
    ['no term', [], [': Required value: must have at least one node selector term']],
    [
      'In nothing',
      [{ matchExpressions: [{ key: 'a', operator: 'In' }] }],
      ["[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
    ],
    [
      'Exists something',
      [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] }],
      ["[0].matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
    ],
    [
      'Gt two',
      [{ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1', '2'] }] }],
      [
        "[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
      ],
    ],
    [
      'an unknown operator',
      [{ matchExpressions: [{ key: 'a', operator: '=' }] }],
      ['[0].matchExpressions[0].operator: Invalid value: "=": not a valid selector operator'],
    ],
    [
      'two names',
      [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }] }],
      [
        "[0].matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      ],
    ],
    [
      'an unknown field',
      [{ matchFields: [{ key: 'spec.x', operator: 'In', values: ['a'] }] }],
      ['[0].matchFields[0].key: Invalid value: "spec.x": not a valid field selector key'],
    ],
  ])('%s', (_, terms, expected) => expect(required(terms)).toEqual(expected));

  test('a preference weighs something', () => {
    const preferredDuringSchedulingIgnoredDuringExecution = [{ weight: 0, preference: {} }];
    expect(issuesOf({ affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution } } })).toEqual([
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
    ]);
  });

  test('affinity to pods needs a topology', () => {
    const requiredDuringSchedulingIgnoredDuringExecution = [{ topologyKey: '' }];
    expect(issuesOf({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution } } })).toEqual([
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty',
    ]);
  });
});

test('spread constraints are checked and told apart', () => {
  const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' };
  const at = 'spec.topologySpreadConstraints';
  expect(issuesOf({ topologySpreadConstraints: [constraint, { ...constraint, maxSkew: 0, minDomains: 2 }] })).toEqual([
    `${at}[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, ScheduleAnyway}"`,
    `${at}[1].maxSkew: Invalid value: 0: must be greater than zero`,
    `${at}[1].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway`,
  ]);
});

test.each<[string, Partial<Container>, readonly unknown[]]>([
  ['no name', { name: '' }, ['name: Required value']],
  ['an upper-case name', { name: 'Web' }, [label]],
  ['no image', { image: '' }, ['image: Required value']],
  [
    'an image with blanks',
    { image: ' x' },
    ['image: Invalid value: " x": must not have leading or trailing whitespace'],
  ],
  [
    'an unknown pull policy',
    { imagePullPolicy: 'Once' },
    ['imagePullPolicy: Unsupported value: "Once": supported values: "Always", "IfNotPresent", "Never"'],
  ],
  ['port 0', { ports: [{ containerPort: 0 }] }, ['ports[0].containerPort: Required value']],
  [
    'port 65536',
    { ports: [{ containerPort: 65_536 }] },
    ['ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive'],
  ],
  [
    'a port without letters',
    { ports: [{ name: '8-0', containerPort: 1 }] },
    ['ports[0].name: Invalid value: "8-0": must contain at least one letter (a-z)'],
  ],
  [
    'a long port name',
    { ports: [{ name: 'abcdefghijklmnop', containerPort: 1 }] },
    ['ports[0].name: Invalid value: "abcdefghijklmnop": must be no more than 15 characters'],
  ],
  [
    'one port name twice',
    {
      ports: [
        { name: 'a', containerPort: 1 },
        { name: 'a', containerPort: 2 },
      ],
    },
    ['ports[1].name: Duplicate value: "a"'],
  ],
  [
    'an unknown protocol',
    { ports: [{ containerPort: 1, protocol: 'tcp' }] },
    ['ports[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"'],
  ],
  ['a variable without name', { env: [{ name: '' }] }, ['env[0].name: Required value']],
  [
    'a variable with =',
    { env: [{ name: 'a=b' }] },
    [
      expect.stringContaining(
        'env[0].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
      ),
    ],
  ],
  [
    'a value from nowhere',
    { env: [{ name: 'a', valueFrom: {} }] },
    [
      'env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
    ],
  ],
  [
    'a value from two places',
    { env: [{ name: 'a', value: 'x', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
    ['env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
  ],
  [
    'a field that files alone can have',
    { env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } }] },
    [
      expect.stringContaining(
        'env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", "metadata.namespace"',
      ),
    ],
  ],
  [
    'a field that does not exist',
    { env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'spec.x' } } }] },
    [
      'env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.x": error converting fieldPath: field label not supported: spec.x',
    ],
  ],
  [
    'a key of no secret',
    { env: [{ name: 'a', valueFrom: { secretKeyRef: { key: 'k' } } }] },
    [
      expect.stringMatching(
        /^env\[0\]\.valueFrom\.secretKeyRef\.name: Invalid value: "": a lowercase RFC 1123/,
      ) as unknown as string,
    ],
  ],
  [
    'an unknown resource',
    { env: [{ name: 'a', valueFrom: { resourceFieldRef: { resource: 'cpu' } } }] },
    [expect.stringContaining('env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "cpu"')],
  ],
  [
    'variables from nowhere',
    { envFrom: [{}] },
    ['envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`'],
  ],
  [
    'variables from a name that is none',
    { envFrom: [{ secretRef: { name: 'B!' } }, { configMapRef: {} }] },
    [
      expect.stringContaining('envFrom[0].secretRef.name: Invalid value: "B!": a lowercase RFC 1123 subdomain'),
      'envFrom[1].configMapRef.name: Required value',
    ],
  ],
  ['a mount of nothing', { volumeMounts: [{ name: 'x', mountPath: '/x' }] }, ['volumeMounts[0].name: Not found: "x"']],
  ['a probe that does nothing', { livenessProbe: {} }, ['livenessProbe: Required value: must specify a handler type']],
  [
    'a probe that does two things',
    { livenessProbe: { exec: { command: ['x'] }, tcpSocket: { port: 1 } } as Probe },
    ['livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type'],
  ],
  [
    'a liveness probe that must succeed twice',
    { livenessProbe: { exec: { command: ['x'] }, successThreshold: 2 } },
    ['livenessProbe.successThreshold: Invalid value: 2: must be 1'],
  ],
  [
    'a negative delay',
    { readinessProbe: { exec: { command: ['x'] }, initialDelaySeconds: -1 } },
    ['readinessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a probe of port 0',
    { readinessProbe: { httpGet: { port: 0 } } },
    ['readinessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive'],
  ],
  [
    'an empty command',
    { lifecycle: { postStart: { exec: {} } } },
    ['lifecycle.postStart.exec.command: Required value'],
  ],
  [
    'a sleep beyond the end',
    { lifecycle: { preStop: { sleep: { seconds: 31 } } } },
    [
      'lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
    ],
  ],
  [
    'escalation forbidden and privileged',
    { securityContext: { privileged: true, allowPrivilegeEscalation: false } },
    [expect.stringContaining('cannot set `allowPrivilegeEscalation` to false and `privileged` to true')],
  ],
  [
    'a negative user',
    { securityContext: { runAsUser: -1 } },
    ['securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive'],
  ],
  [
    'a profile without file',
    { securityContext: { seccompProfile: { type: 'Localhost' } } },
    ['securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost'],
  ],
])('container: %s', (_, container, expected) => expect(inContainer(container)).toEqual(expected));

test.each<[string, NonNullable<Container['resources']>, readonly unknown[]]>([
  [
    'more requested than allowed',
    { requests: { cpu: '2' }, limits: { cpu: '1' } },
    ['resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
  ],
  ['the same in other words', { requests: { cpu: '1000m' }, limits: { cpu: '1' } }, []],
  [
    'an unknown resource',
    { requests: { cpus: '1' } },
    [
      'resources.requests[cpus]: Invalid value: "cpus": must be a standard resource type or fully qualified',
      'resources.requests[cpus]: Invalid value: "cpus": must be a standard resource for containers',
    ],
  ],
  [
    'a resource of quotas',
    { limits: { pods: '1' }, requests: {} },
    expect.arrayContaining([
      'resources.limits[pods]: Invalid value: "pods": must be a standard resource for containers',
    ]) as unknown as string[],
  ],
  [
    'no quantity',
    { requests: { cpu: '1 core' } },
    [
      'resources.requests[cpu]: Invalid value: "1 core": quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'',
    ],
  ],
  [
    'less than nothing',
    { requests: { memory: '-1' } },
    ['resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0'],
  ],
  [
    'a device without limit',
    { requests: { 'a.b/gpu': '1' } },
    ['resources.limits: Required value: Limit must be set for non overcommitable resources'],
  ],
  [
    'half a device',
    { requests: { 'a.b/gpu': '500m' }, limits: { 'a.b/gpu': '500m' } },
    [
      'resources.limits[a.b/gpu]: Invalid value: "500m": must be an integer',
      'resources.requests[a.b/gpu]: Invalid value: "500m": must be an integer',
    ],
  ],
])('resources: %s', (_, resources, expected) => expect(inContainer({ resources })).toEqual(expected));

describe('mounts', () => {
  const volumes: Volume[] = [{ name: 'v', emptyDir: {} }];
  test.each<[string, NonNullable<Container['volumeMounts']>, readonly unknown[]]>([
    ['no path', [{ name: 'v', mountPath: '' }], ['volumeMounts[0].mountPath: Required value']],
    [
      'one path twice',
      [
        { name: 'v', mountPath: '/a' },
        { name: 'v', mountPath: '/a' },
      ],
      ['volumeMounts[1].mountPath: Invalid value: "/a": must be unique'],
    ],
    [
      'a way up',
      [{ name: 'v', mountPath: '/a', subPath: '../../etc' }],
      ['volumeMounts.subPath: Invalid value: "../../etc": must not contain \'..\''],
    ],
    [
      'a way from the root',
      [{ name: 'v', mountPath: '/a', subPath: '/etc' }],
      ['volumeMounts.subPath: Invalid value: "/etc": must be a relative path'],
    ],
    ['dots in a name', [{ name: 'v', mountPath: '/a', subPath: 'a..b/c' }], []],
    [
      'two sub-paths',
      [{ name: 'v', mountPath: '/a', subPath: 'a', subPathExpr: 'b' }],
      ['volumeMounts[0].subPathExpr: Invalid value: "b": subPathExpr and subPath are mutually exclusive'],
    ],
    [
      'propagation without privilege',
      [{ name: 'v', mountPath: '/a', mountPropagation: 'Bidirectional' }],
      [
        'volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
      ],
    ],
  ])('%s', (_, volumeMounts, expected) => expect(inContainer({ volumeMounts }, { volumes })).toEqual(expected));
});

test.each<[string, Partial<Volume>, readonly unknown[]]>([
  ['no name', { name: '', emptyDir: {} }, ['name: Required value']],
  [
    'two sources',
    { emptyDir: {}, hostPath: { path: '/' } },
    ['hostPath: Forbidden: may not specify more than 1 volume type'],
  ],
  ['a secret without name', { secret: {} }, ['secret.secretName: Required value']],
  [
    'a mode beyond octal',
    { secret: { secretName: 's', defaultMode: 512 } },
    ['secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive'],
  ],
  [
    'a file above',
    { configMap: { name: 'c', items: [{ key: 'k', path: '../x' }] } },
    ['configMap.items[0].path: Invalid value: "../x": must not contain \'..\''],
  ],
  [
    'a file with a reserved name',
    { configMap: { name: 'c', items: [{ key: 'k', path: '..data' }] } },
    ['configMap.items[0].path: Invalid value: "..data": must not start with \'..\''],
  ],
  [
    'a path above the host',
    { hostPath: { path: '/a/../b' } },
    ['hostPath.path: Invalid value: "/a/../b": must not contain \'..\''],
  ],
  [
    'an unknown kind of path',
    { hostPath: { path: '/a', type: 'Pipe' } },
    [expect.stringContaining('hostPath.type: Unsupported value: "Pipe"')],
  ],
  [
    'a claim without name',
    { persistentVolumeClaim: { claimName: '' } },
    ['persistentVolumeClaim.claimName: Required value'],
  ],
  [
    'a size that is none',
    { emptyDir: { sizeLimit: 'big' } },
    ['emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity'],
  ],
  [
    'a relative export',
    { nfs: { server: 's', path: 'x' } },
    ['nfs.path: Invalid value: "x": must be an absolute path'],
  ],
  [
    'a token for a minute',
    { projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 60 } }] } },
    [
      'projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
    ],
  ],
  [
    'a file about nothing',
    { downwardAPI: { items: [{ path: 'x' }] } },
    ['downwardAPI.items[0]: Required value: one of fieldRef and resourceFieldRef is required'],
  ],
  [
    'a resource of no container',
    { downwardAPI: { items: [{ path: 'x', resourceFieldRef: { resource: 'limits.cpu' } }] } },
    ['downwardAPI.items[0].resourceFieldRef.containerName: Required value'],
  ],
])('volume: %s', (_, volume, expected) => expect(inVolume(volume)).toEqual(expected));

test('two volumes of one name', () => {
  expect(issuesOf({ volumes: [{ name: 'v' }, { name: 'v' }] })).toEqual(['spec.volumes[1].name: Duplicate value: "v"']);
});

describe('templates', () => {
  const at = root('spec', 'template');
  const issues = (spec: Partial<PodSpec>, labels = {}): string[] =>
    [
      ...validatePodTemplate(defaultPodTemplate({ metadata: { labels }, spec: { containers: [bare], ...spec } }), at),
    ].map(({ field, message }) => `${field}: ${message}`);

  test('their labels are checked', () => {
    expect(issues({}, { 'a b': '' })).toEqual([expect.stringContaining('spec.template.labels: Invalid value: "a b"')]);
  });

  test('host ports may be left to the pods', () => {
    expect(issues({ hostNetwork: true, containers: [{ ...bare, ports: [{ containerPort: 80 }] }] })).toEqual([]);
  });

  test('ephemeral containers have no place in them', () => {
    expect(issues({ ephemeralContainers: [{ name: 'd', image: 'x' }] })).toEqual([
      'spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
    ]);
  });

  test('nothing at all is a template without containers', () => {
    expect([...validatePodTemplate(defaultPodTemplate({}), at)].map(({ field }) => field)).toEqual([
      'spec.template.spec.containers',
    ]);
  });
});
