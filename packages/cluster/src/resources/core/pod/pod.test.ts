import { describe, expect, test } from 'vitest';
import type { Container, Pod, PodSpec, PodStatus } from '../../../api/generated/core-v1.ts';
import { root } from '../../../api/issue.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { isStatusError, type Status } from '../../../api/status.ts';
import { fromTimestamp } from '../../../base/clock.ts';
import { freeze } from '../../../base/freeze.ts';
import { podStatusText } from './columns.ts';
import { podDefinition } from './pod.ts';
import { podtemplateDefinition } from './podtemplate.ts';

const nowMs = fromTimestamp('2026-01-01T01:00:00Z');
const bare: Container = { name: 'web', image: 'nginx:1' };

function stored(spec: Partial<PodSpec> = {}, status: PodStatus = {}, metadata: object = {}): Pod {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: 'd',
      uid: 'u',
      resourceVersion: '7',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: { containers: [bare], ...spec },
    status,
  };
  return freeze(podDefinition.defaults?.(pod as Pod) ?? (pod as Pod));
}

describe('on create', () => {
  const created = (spec: Partial<PodSpec>): PodStatus =>
    podDefinition.prepareForCreate?.(stored(spec, { phase: 'Running', podIP: '1.2.3.4' }), { nowMs: 0 }).status ?? {};

  test('whatever status comes in, the pod is pending', () => {
    expect(created({})).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  test('a pod behind a gate says so', () => {
    expect(created({ schedulingGates: [{ name: 'g' }] }).conditions).toEqual([
      {
        lastTransitionTime: '1970-01-01T00:00:00Z',
        type: 'PodScheduled',
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ]);
  });
});

describe('on update', () => {
  const changed = (next: Partial<PodSpec>, current: Partial<PodSpec> = {}): string[] =>
    [...(podDefinition.validateUpdate?.(stored(next), stored(current), root) ?? [])].map(
      ({ field, message }) => `${field}: ${message}`,
    );
  const only =
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n';
  const gates = [{ name: 'g' }];

  test.each<[string, Partial<PodSpec>, Partial<PodSpec>, readonly string[]]>([
    ['nothing', {}, {}, []],
    ['an image', { containers: [{ ...bare, image: 'nginx:2' }] }, {}, []],
    ['a command', { containers: [{ ...bare, command: ['x'] }] }, {}, [`${only}spec.containers[0].command`]],
    ['a node and a host name', { nodeName: 'n', hostname: 'h' }, {}, [`${only}spec.nodeName\nspec.hostname`]],
    [
      'one container more',
      { containers: [bare, { ...bare, name: 'b' }] },
      {},
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    ['a toleration more', { tolerations: [{ operator: 'Exists' }] }, {}, []],
    [
      'a toleration less',
      {},
      { tolerations: [{ operator: 'Exists' }] },
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    [
      'how long one tolerates',
      { tolerations: [{ key: 'a', effect: 'NoExecute', tolerationSeconds: 1 }] },
      { tolerations: [{ key: 'a', effect: 'NoExecute' }] },
      [],
    ],
    ['a deadline', { activeDeadlineSeconds: 5 }, {}, []],
    [
      'a later deadline',
      { activeDeadlineSeconds: 5 },
      { activeDeadlineSeconds: 4 },
      ['spec.activeDeadlineSeconds: Invalid value: 5: must be less than or equal to previous value'],
    ],
    [
      'no deadline any more',
      {},
      { activeDeadlineSeconds: 4 },
      ['spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value'],
    ],
    ['a gate less', {}, { schedulingGates: gates }, []],
    [
      'a gate more',
      { schedulingGates: gates },
      {},
      ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"],
    ],
    [
      'the selector behind a gate',
      { schedulingGates: gates, nodeSelector: { a: 'b', c: 'd' } },
      { schedulingGates: gates, nodeSelector: { a: 'b' } },
      [],
    ],
    [
      'less selector behind a gate',
      { schedulingGates: gates },
      { schedulingGates: gates, nodeSelector: { a: 'b' } },
      [
        'spec.nodeSelector: Invalid value: null: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ],
    ['the selector', { nodeSelector: { a: 'b' } }, {}, [`${only}spec.nodeSelector`]],
    [
      'the grace period',
      { terminationGracePeriodSeconds: 1 },
      { terminationGracePeriodSeconds: 2 },
      [`${only}spec.terminationGracePeriodSeconds`],
    ],
    ['a negative grace period', { terminationGracePeriodSeconds: 1 }, { terminationGracePeriodSeconds: -2 }, []],
  ])('%s', (_, next, current, expected) => expect(changed(next, current)).toEqual(expected));
});

describe('status', () => {
  const ended = (exitCode: number): PodStatus => ({
    containerStatuses: [
      { name: 'web', image: '', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode } } },
    ],
  });
  const running: PodStatus = {
    containerStatuses: [{ name: 'web', image: '', imageID: '', ready: true, restartCount: 1, state: { running: {} } }],
  };
  const changed = (next: PodStatus, current: PodStatus, spec: Partial<PodSpec>): string[] =>
    [...(podDefinition.validateStatusUpdate?.(stored(spec, next), stored(spec, current), root) ?? [])].map(
      ({ field, message }) => `${field}: ${message}`,
    );
  const refused = ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'];

  test.each<[string, number, string, readonly string[]]>([
    ['Never', 1, 'stays ended', refused],
    ['OnFailure', 0, 'stays ended after success', refused],
    ['OnFailure', 1, 'runs again after failure', []],
    ['Always', 0, 'runs again', []],
  ])('with restartPolicy %s and exit code %i a container %s', (restartPolicy, exitCode, _, expected) =>
    expect(changed(running, ended(exitCode), { restartPolicy })).toEqual(expected),
  );

  test('the quality of service is decided once', () => {
    expect(changed({ qosClass: 'Guaranteed' }, { qosClass: 'BestEffort' }, {})).toEqual([
      'status.qosClass: Invalid value: "Guaranteed": field is immutable',
    ]);
  });
});

describe('binding', () => {
  const door = podDefinition.subresources.find(({ name }) => name === 'binding');
  const binding = (target: object, metadata: object = {}): KubeObject =>
    ({ apiVersion: 'v1', kind: 'Binding', metadata: { name: 'web', ...metadata }, target }) as unknown as KubeObject;
  const bind = (pod: Pod, body: KubeObject): Pod | undefined => door?.write?.(pod, body, { nowMs });
  const refusal = (pod: Pod, body: KubeObject): Status | undefined => {
    try {
      bind(pod, body);
      return undefined;
    } catch (error) {
      if (isStatusError(error)) return error.status;
      throw error;
    }
  };

  test('sets the node and says when', () => {
    const bound = bind(stored(), binding({ kind: 'Node', name: 'n1' }));
    expect(bound?.spec.nodeName).toBe('n1');
    expect(bound?.status.conditions).toEqual([
      { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T01:00:00Z' },
    ]);
  });

  test('takes the place of the condition that said no, and carries annotations over', () => {
    const pod = stored(
      {},
      { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
      { annotations: { a: '1' } },
    );
    const bound = bind(pod, binding({ name: 'n1' }, { annotations: { b: '2' } }));
    expect(bound?.status.conditions).toHaveLength(1);
    expect(bound?.status.conditions?.[0]).not.toHaveProperty('reason');
    expect(bound?.metadata.annotations).toEqual({ a: '1', b: '2' });
  });

  test.each<[string, Pod, KubeObject, number, string]>([
    [
      'a second node',
      stored({ nodeName: 'n2' }),
      binding({ name: 'n1' }),
      409,
      'Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "n2"',
    ],
    [
      'a pod that is going',
      stored({}, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      binding({ name: 'n1' }),
      409,
      'Operation cannot be fulfilled on pods/binding "web": pod web is being deleted, cannot be assigned to a host',
    ],
    [
      'a pod at a gate',
      stored({ schedulingGates: [{ name: 'g' }] }),
      binding({ name: 'n1' }),
      409,
      'Operation cannot be fulfilled on pods/binding "web": pod web has non-empty .spec.schedulingGates',
    ],
    [
      'another pod of the name',
      stored(),
      binding({ name: 'n1' }, { uid: 'other' }),
      409,
      'Operation cannot be fulfilled on pods/binding "web": Precondition failed: UID in precondition: other, UID in object meta: u',
    ],
    ['no node', stored(), binding({}), 422, 'Binding "web" is invalid: target.name: Required value'],
    [
      'something else than a node',
      stored(),
      binding({ kind: 'Pod', name: 'x' }),
      422,
      'Binding "web" is invalid: target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    ],
  ])('refuses %s', (_, pod, body, code, message) => expect(refusal(pod, body)).toMatchObject({ code, message }));
});

describe('kubectl get', () => {
  type State = NonNullable<NonNullable<PodStatus['containerStatuses']>[number]['state']>;
  const container = (
    name: string,
    state: State,
    more: object = {},
  ): NonNullable<PodStatus['containerStatuses']>[number] => ({
    name,
    image: '',
    imageID: '',
    ready: state.running !== undefined,
    restartCount: 0,
    state,
    ...more,
  });
  const row = (pod: Pod): string =>
    podDefinition.columns
      .slice(0, 3)
      .map((column) => String(column.of(pod, nowMs)))
      .join(' ');
  const running: State = { running: {} };
  const waiting = (reason: string): State => ({ waiting: { reason } });
  const ended = (reason: string, exitCode = 0): State => ({ terminated: { reason, exitCode } });
  const ready = [{ type: 'Ready', status: 'True' }];
  const deleting = { deletionTimestamp: '2026-01-01T00:30:00Z' };
  const init = {
    initContainers: [
      { name: 'i', image: 'x' },
      { name: 'j', image: 'x' },
    ],
  };
  const sidecar = { initContainers: [{ name: 'i', image: 'x', restartPolicy: 'Always' }] };
  const restarted = { restartCount: 3, lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T00:55:00Z' } } };

  test.each<[string, Pod]>([
    ['0/1 Pending 0', stored({}, { phase: 'Pending' })],
    [
      '0/1 SchedulingGated 0',
      stored(
        {},
        { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
      ),
    ],
    [
      '0/1 ContainerCreating 0',
      stored({}, { phase: 'Pending', containerStatuses: [container('web', waiting('ContainerCreating'))] }),
    ],
    ['1/1 Running 0', stored({}, { phase: 'Running', containerStatuses: [container('web', running)] })],
    [
      '0/1 Running 0',
      stored({}, { phase: 'Running', containerStatuses: [container('web', running, { ready: false })] }),
    ],
    [
      '0/1 CrashLoopBackOff 3 (5m ago)',
      stored({}, { phase: 'Running', containerStatuses: [container('web', waiting('CrashLoopBackOff'), restarted)] }),
    ],
    [
      '1/1 Running 3 (5m ago)',
      stored({}, { phase: 'Running', containerStatuses: [container('web', running, restarted)] }),
    ],
    ['0/1 Completed 0', stored({}, { phase: 'Succeeded', containerStatuses: [container('web', ended('Completed'))] })],
    ['0/1 Error 0', stored({}, { phase: 'Failed', containerStatuses: [container('web', ended('Error', 1))] })],
    [
      '0/1 ExitCode:3 0',
      stored({}, { phase: 'Failed', containerStatuses: [container('web', { terminated: { exitCode: 3 } })] }),
    ],
    [
      '0/1 Signal:9 0',
      stored(
        {},
        { phase: 'Failed', containerStatuses: [container('web', { terminated: { exitCode: 137, signal: 9 } })] },
      ),
    ],
    ['0/1 Evicted 0', stored({}, { phase: 'Failed', reason: 'Evicted' })],
    ['1/1 Terminating 0', stored({}, { phase: 'Running', containerStatuses: [container('web', running)] }, deleting)],
    [
      '0/1 Completed 0',
      stored({}, { phase: 'Succeeded', containerStatuses: [container('web', ended('Completed'))] }, deleting),
    ],
    ['0/1 Unknown 0', stored({}, { phase: 'Running', reason: 'NodeLost' }, deleting)],
    [
      '0/1 Init:0/2 0',
      stored(init, {
        phase: 'Pending',
        initContainerStatuses: [container('i', running)],
        containerStatuses: [container('web', waiting('PodInitializing'))],
      }),
    ],
    [
      '0/1 Init:1/2 0',
      stored(init, {
        phase: 'Pending',
        initContainerStatuses: [container('i', ended('Completed')), container('j', waiting('PodInitializing'))],
      }),
    ],
    [
      '0/1 Init:Error 0',
      stored(init, { phase: 'Pending', initContainerStatuses: [container('i', ended('Error', 1))] }),
    ],
    [
      '0/1 Init:ImagePullBackOff 2',
      stored(init, {
        phase: 'Pending',
        initContainerStatuses: [container('i', waiting('ImagePullBackOff'), { restartCount: 2 })],
      }),
    ],
    [
      '0/1 PodInitializing 0',
      stored(init, {
        phase: 'Pending',
        initContainerStatuses: [
          container('i', ended('Completed'), { restartCount: 2 }),
          container('j', ended('Completed')),
        ],
        containerStatuses: [container('web', waiting('PodInitializing'))],
      }),
    ],
    [
      '2/2 Running 1',
      stored(sidecar, {
        phase: 'Running',
        initContainerStatuses: [container('i', running, { started: true, restartCount: 1 })],
        containerStatuses: [container('web', running)],
      }),
    ],
    [
      '1/2 Running 0',
      stored(
        { containers: [bare, { ...bare, name: 'b' }] },
        {
          phase: 'Running',
          conditions: ready,
          containerStatuses: [container('web', ended('Completed')), container('b', running)],
        },
      ),
    ],
    [
      '1/2 NotReady 0',
      stored(
        { containers: [bare, { ...bare, name: 'b' }] },
        { phase: 'Running', containerStatuses: [container('web', ended('Completed')), container('b', running)] },
      ),
    ],
  ])('%s', (expected, pod) => expect(row(pod)).toBe(expected));

  test('wide shows where it is', () => {
    const wide = (pod: Pod): string =>
      podDefinition.columns
        .slice(3)
        .map(({ name, of, priority }) => `${name}(${priority})=${of(pod, nowMs)}`)
        .join(' ');
    expect(wide(stored())).toBe('IP(1)=<none> Node(1)=<none> Nominated Node(1)=<none> Readiness Gates(1)=<none>');
    const conditions = [{ type: 'a/b', status: 'True' }];
    const readinessGates = [{ conditionType: 'a/b' }, { conditionType: 'c/d' }];
    expect(
      wide(
        stored({ nodeName: 'n', readinessGates }, { podIPs: [{ ip: '10.0.0.1' }], nominatedNodeName: 'm', conditions }),
      ),
    ).toBe('IP(1)=10.0.0.1 Node(1)=n Nominated Node(1)=m Readiness Gates(1)=1/2');
  });

  test('other parts of the program read the same word', () => {
    expect(podStatusText(stored({}, { phase: 'Running' }, deleting))).toBe('Terminating');
  });
});

test('field selectors see what is not there as empty', () => {
  const see = (pod: Pod): Readonly<Record<string, string>> =>
    Object.fromEntries(podDefinition.selectableFields.map(({ path, of }) => [path, of(pod)]));
  expect(see(stored({}, { phase: 'Pending' }))).toEqual({
    'spec.nodeName': '',
    'spec.restartPolicy': 'Always',
    'spec.schedulerName': 'default-scheduler',
    'spec.serviceAccountName': '',
    'spec.hostNetwork': 'false',
    'status.phase': 'Pending',
    'status.podIP': '',
    'status.podIPs': '',
    'status.nominatedNodeName': '',
  });
  expect(see(stored({ nodeName: 'n', hostNetwork: true }, { podIPs: [{ ip: '10.0.0.1' }] }))).toMatchObject({
    'spec.nodeName': 'n',
    'spec.hostNetwork': 'true',
    'status.podIP': '10.0.0.1',
  });
});

test('odd things are allowed with a warning', () => {
  const env = [
    { name: 'A', value: '1' },
    { name: 'A', value: '2' },
    { name: 'A', value: '$(A)3' },
  ];
  const ports = [{ containerPort: 80 }, { containerPort: 80 }];
  const resources = { requests: { memory: '100m', cpu: '100m' } };
  expect([
    ...(podDefinition.warnings?.(
      stored({ terminationGracePeriodSeconds: -1, containers: [{ ...bare, env, ports, resources }] }),
    ) ?? []),
  ]).toEqual([
    'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
    'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]',
    'spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
  ]);
});

test('places without a selector, and entries that say nothing or the same again, are warned of', () => {
  const term = { topologyKey: 'zone' };
  const affinity = {
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }] },
  };
  const spec = {
    ...{ affinity, containers: [bare], topologySpreadConstraints: [{ ...term, maxSkew: 1, whenUnsatisfiable: 'x' }] },
    volumes: [{ name: 'all', projected: { sources: [{}] } }],
    hostAliases: [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }],
    imagePullSecrets: [{}, { name: 'a' }, { name: 'a' }],
  };
  const none = 'labelSelector: a null labelSelector results in matching no pod';
  expect([...(podDefinition.warnings?.(stored(spec)) ?? [])]).toEqual([
    `spec.topologySpreadConstraints[0].${none}`,
    'volume "all" (Projected) has no sources provided',
    'spec.hostAliases[1].ip: duplicate ip "10.0.0.1"',
    'spec.imagePullSecrets[0].name: invalid empty name ""',
    'spec.imagePullSecrets[2].name: duplicate name "a"',
    `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].${none}`,
    `spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.${none}`,
  ]);
});

test('a new pod ends at once where it says less than that', () => {
  const given = stored({ containers: [bare], terminationGracePeriodSeconds: -9 });
  expect(podDefinition.prepareForCreate?.(given, { nowMs: 0 }).spec.terminationGracePeriodSeconds).toBe(1);
});

test('a pod template as an object is defaulted, checked and shown', () => {
  const given = {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: stored().metadata,
    template: { metadata: { labels: { b: '2', a: '1' } }, spec: { containers: [bare, { name: 'b', image: '' }] } },
  } as const;
  const object = podtemplateDefinition.defaults?.(given) ?? given;
  expect(podtemplateDefinition.columns.map(({ name, of }) => `${name}=${of(object, nowMs)}`)).toEqual([
    'Name=web',
    'Containers=web,b',
    'Images=nginx:1,',
    'Pod Labels=a=1,b=2',
  ]);
  expect([...(podtemplateDefinition.validate?.(object, root) ?? [])].map(({ field }) => field)).toEqual([
    'template.spec.containers[1].image',
  ]);
});
