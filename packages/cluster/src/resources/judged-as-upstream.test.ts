/** More of what a comparison with a real API server has found: whole objects, changes and statuses. */
import { describe, expect, test } from 'vitest';
import { root } from '../api/issue.ts';
import { type Body, created, createIssues, lines, made, updated, updateIssues } from '../testing/resources/judge.ts';
import { cronjobDefinition } from './batch/cronjob.ts';
import { jobDefinition } from './batch/job.ts';
import { limitrangeDefinition } from './core/limitrange.ts';
import { nodeDefinition } from './core/node.ts';
import { persistentvolumeclaimDefinition } from './core/persistentvolumeclaim.ts';
import { podDefinition } from './core/pod/pod.ts';
import { ingressDefinition } from './networking/ingress.ts';
import { runtimeclassDefinition } from './node/runtimeclass.ts';
import { resourceclaimDefinition } from './resource/resourceclaim.ts';
import { resourceclaimtemplateDefinition } from './resource/resourceclaimtemplate.ts';
import { resourcesliceDefinition } from './resource/resourceslice.ts';
import type { ResourceDefinition } from './resource.ts';
import { volumeattachmentDefinition } from './storage/volumeattachment.ts';

const port = { number: 80 };
const behind = (backend: object, metadata: object = {}): Body => ({ metadata, spec: { defaultBackend: backend } });
const attaching = (source: object, more: object = {}): Body => ({
  spec: { attacher: 'example.com', nodeName: 'a', source, ...more },
});
const csi = { driver: 'example.com', volumeHandle: 'a' };
const tolerating = (...tolerations: readonly object[]): Body => ({ handler: 'a', scheduling: { tolerations } });
const limited = (limit: object): Body => ({ spec: { limits: [limit] } });
const none = 'may not be specified in the context of inline volumes';
const at = 'scheduling.tolerations.tolerations[0]';

test.each<[string, ResourceDefinition, Body, readonly unknown[]]>([
  [
    'a port of a backend has a name or a number',
    ingressDefinition,
    behind({ service: { name: 'a', port: { name: 'a', ...port } } }),
    ['spec.defaultBackend: Invalid value: "": cannot set both port name & port number'],
  ],
  [
    'a backend that is no service is named',
    ingressDefinition,
    behind({ resource: { kind: 'A/b' } }),
    [
      'spec.defaultBackend.resource.kind: Invalid value: "A/b": may not contain \'/\'',
      'spec.defaultBackend.resource.name: Required value',
    ],
  ],
  [
    'two names of a class are one',
    ingressDefinition,
    {
      metadata: { annotations: { 'kubernetes.io/ingress.class': 'a' } } as never,
      spec: { ingressClassName: 'b', defaultBackend: { service: { name: 'a', port } } },
    },
    [
      'annotations.kubernetes.io/ingress.class: Invalid value: "a": must match `ingressClassName` when both are specified',
    ],
  ],
  [
    'a template of claims has labels and annotations',
    resourceclaimtemplateDefinition,
    { spec: { metadata: { name: 'a', uid: 'b', labels: { c: 'd' } }, spec: {} } },
    ['spec.metadata.name: Forbidden: cannot be set', 'spec.metadata.uID: Forbidden: cannot be set'],
  ],
  [
    'to say no to places of devices is to say nothing',
    resourcesliceDefinition,
    {
      spec: {
        ...{ driver: 'a.b', nodeName: 'a', perDeviceNodeSelection: false, devices: [{ name: 'a' }] },
        pool: { name: 'a', generation: 1, resourceSliceCount: 1 },
      },
    },
    [],
  ],
  ['tolerations are those of pods', runtimeclassDefinition, tolerating({ key: 'a', operator: 'Exists' }), []],
  [
    'and as wrong as theirs',
    runtimeclassDefinition,
    tolerating({ key: 'a', operator: 'x', tolerationSeconds: 5 }),
    [
      `${at}.effect: Invalid value: "": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
      `${at}.operator: Unsupported value: "x": supported values: "Equal", "Exists"`,
    ],
  ],
  [
    'each is there once',
    runtimeclassDefinition,
    tolerating({ key: 'a' }, { key: 'a' }),
    [
      'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"","Value":"","Effect":"","TolerationSeconds":null}',
    ],
  ],
  [
    'for how long is no part of what a toleration is',
    runtimeclassDefinition,
    tolerating({ key: 'a', effect: 'NoExecute' }, { key: 'a', effect: 'NoExecute', tolerationSeconds: 80 }),
    [
      'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"","Value":"","Effect":"NoExecute","TolerationSeconds":80}',
    ],
  ],
  [
    'what a runtime needs is an amount of what containers need',
    runtimeclassDefinition,
    { handler: 'a', overhead: { podFixed: { cpu: '-1', 'example.com/a': '1500m' } } },
    [
      'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'overhead.limits[example.com/a]: Invalid value: "1500m": must be an integer',
    ],
  ],
  [
    'an attacher has a name',
    volumeattachmentDefinition,
    attaching({ persistentVolumeName: 'a' }, { attacher: 'A.b' }),
    [],
  ],
  [
    'a short one',
    volumeattachmentDefinition,
    attaching({ persistentVolumeName: 'a' }, { attacher: 'a'.repeat(64) }),
    ['spec.attacher: Too long: may not be more than 63 bytes'],
  ],
  [
    'a volume within an attachment is of a driver',
    volumeattachmentDefinition,
    attaching({ inlineVolumeSpec: { capacity: { storage: '1Gi' }, accessModes: ['No'], hostPath: { path: '/a' } } }),
    [
      `spec.source.inlineVolumeSpec.capacity: Forbidden: ${none}`,
      'spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes',
      expect.stringMatching(/accessModes: Unsupported value: "No"/),
    ],
  ],
  [
    'and asks for nothing else',
    volumeattachmentDefinition,
    attaching({ inlineVolumeSpec: { csi: { ...csi, volumeHandle: '' }, claimRef: {}, volumeMode: 'Block' } }),
    [
      `spec.source.inlineVolumeSpec.claimRef: Forbidden: ${none}`,
      'spec.source.inlineVolumeSpec.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes',
      'spec.source.inlineVolumeSpec.accessModes: Required value',
      'spec.source.inlineVolumeSpec.csi.volumeHandle: Required value',
    ],
  ],
  ['a limit may be below nothing', limitrangeDefinition, limited({ type: 'Pod', max: { cpu: '-1' } }), []],
  [
    'a limit is of what containers have',
    limitrangeDefinition,
    limited({ type: 'Pod', max: { storage: '1' }, default: { cpu: '1' } }),
    [
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
      'spec.limits[0].max[storage]: Invalid value: "storage": must be a standard resource for containers',
    ],
  ],
  [
    'a claim is limited in its room',
    limitrangeDefinition,
    limited({ type: 'PersistentVolumeClaim', max: { cpu: '1' } }),
    [
      'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ],
  ],
  [
    'a limit is at least the request',
    limitrangeDefinition,
    limited({ type: 'Pod', maxLimitRequestRatio: { cpu: '0.5' } }),
    ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1'],
  ],
  [
    'and no more of it than the bounds are apart',
    limitrangeDefinition,
    limited({ type: 'Pod', max: { cpu: '4' }, min: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }),
    ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000'],
  ],
  [
    'what is filled in is measured, too',
    limitrangeDefinition,
    limited({ type: 'Container', default: { cpu: '2' }, max: { cpu: '1' } }),
    [
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than max value 1',
      'spec.limits[0].default[cpu]: Invalid value: "1": default value 2 is greater than max value 1',
    ],
  ],
  [
    'of each family a node has one range',
    nodeDefinition,
    { spec: { podCIDRs: ['10.1.0.0/24', '10.2.0.0/24'] } },
    [expect.stringMatching(/^spec\.podCIDRs: .*may specify no more than one CIDR for each IP family$/)],
  ],
  [
    'a node has no less than nothing, neither to give out',
    nodeDefinition,
    { status: { capacity: { cpu: '-1' } } },
    ['capacity', 'allocatable'].map(
      (field) => `status.${field}.cpu: Invalid value: "-1": must be greater than or equal to 0`,
    ),
  ],
] as never)('%s', (_, definition, body, expected) => expect(createIssues(definition, body)).toEqual(expected));

describe('a node', () => {
  const ranges = (spec: object): unknown => {
    const { podCIDR, podCIDRs } = created(nodeDefinition, { spec }).spec;
    return [podCIDR, podCIDRs];
  };

  test('has its range in two places, and where it says two things the older one counts', () => {
    expect(ranges({ podCIDR: '10.1.0.0/24' })).toEqual(['10.1.0.0/24', ['10.1.0.0/24']]);
    expect(ranges({ podCIDRs: ['10.1.0.0/24'] })).toEqual(['10.1.0.0/24', ['10.1.0.0/24']]);
    expect(ranges({ podCIDR: '10.1.0.0/24', podCIDRs: ['10.2.0.0/24'] })).toEqual(['10.1.0.0/24', ['10.1.0.0/24']]);
  });

  test('keeps it', () => {
    const before = { spec: { podCIDR: '10.1.0.0/24' } };
    const kept = { podCIDR: '10.1.0.0/24', podCIDRs: ['10.3.0.0/24'] };
    expect(updateIssues(nodeDefinition, { before, after: { spec: kept } })).toEqual([]);
    expect(updateIssues(nodeDefinition, { before, after: { spec: {} } })).toEqual([
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    ]);
    expect(updateIssues(nodeDefinition, { before: { spec: {} }, after: { spec: { externalID: 'a' } } })).toEqual([
      'spec.externalID: Forbidden: may not be updated',
    ]);
  });

  test('is not configured from here', () => {
    expect(created(nodeDefinition, { spec: { configSource: {} } }).spec).toEqual({});
    expect(nodeDefinition.defaultStatus?.({ config: {}, capacity: { cpu: '1' } })).toEqual({
      capacity: { cpu: '1' },
      allocatable: { cpu: '1' },
    });
  });

  test('has each address once', () => {
    const addresses = ['a', 'b', 'a'].map((address) => ({ type: 'InternalIP', address }));
    const node = made(nodeDefinition, { spec: {}, status: { addresses } });
    expect(lines(nodeDefinition.validateStatusUpdate?.(node, node, root) ?? [])).toEqual([
      'status.addresses[2]: Duplicate value: {"Type":"InternalIP","Address":"a"}',
    ]);
  });
});

test.each<[object, readonly string[]]>([
  [{ capacity: { storage: '1Gi' }, allocatedResourceStatuses: { 'example.com/a': 'NodeResizePending' } }, []],
  [{ capacity: { storage: '-1' } }, ['status.capacity[storage]: Invalid value: -1: must be a valid resource quantity']],
  [
    { allocatedResources: { cpu: '1' } },
    ['status.allocatedResources: Unsupported value: "cpu": supported values: "storage"'],
  ],
  [
    { allocatedResourceStatuses: { 'kubernetes.io/a': 'NodeResizePending' } },
    ['status.allocatedResourceStatuses: Unsupported value: "kubernetes.io/a": supported values: "storage"'],
  ],
  [
    { allocatedResourceStatuses: { storage: 'No' } },
    [
      'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
    ],
  ],
])('the status of a claim: %j', (status, expected) => {
  const claim = made(persistentvolumeclaimDefinition, { spec: {}, status });
  expect(lines(persistentvolumeclaimDefinition.validateStatusUpdate?.(claim, claim, root) ?? [])).toEqual(expected);
  expect(persistentvolumeclaimDefinition.defaultStatus?.(status)).toMatchObject({ phase: 'Pending' });
});

test('a claim for no devices may say so', () => {
  const before = { spec: {} };
  for (const spec of [{ devices: {} }, { devices: { requests: [] } }, {}])
    expect(updateIssues(resourceclaimDefinition, { before, after: { spec } })).toEqual([]);
  expect(
    updated(resourceclaimDefinition, created(resourceclaimDefinition, before), { spec: { devices: {} } }).spec,
  ).toEqual({});
});

test('what attaches a volume says of it what fits into an object', () => {
  const attachment = made(volumeattachmentDefinition, {
    ...attaching({ persistentVolumeName: 'a' }),
    status: { attached: true, attachmentMetadata: { a: 'b'.repeat(300_000) } },
  });
  expect(lines(volumeattachmentDefinition.validateStatusUpdate?.(attachment, attachment, root) ?? [])).toEqual([
    'status.attachmentMetadata: Too long: may not be more than 262144 bytes',
  ]);
});

test('whoever names pods is told where the name is used', () => {
  const containers = [{ name: 'a', image: 'a', ports: [{ containerPort: 80 }, { containerPort: 80 }] }];
  const of = <T extends Parameters<typeof made>[0]>(definition: T, spec: object): readonly string[] => {
    const object = made(definition, { metadata: { name: 'a.b' }, spec });
    return [...(definition.warningsOfNew?.(object) ?? []), ...(definition.warnings?.(object) ?? [])];
  };
  const template = { spec: { containers } };
  expect(of(podDefinition as ResourceDefinition, { containers })[0]).toBe(
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
  );
  const names = expect.stringMatching(
    /^metadata\.name: this is used in Pod names and hostnames, .*\[must not contain dots\]$/,
  );
  expect(of(jobDefinition as ResourceDefinition, { template })).toEqual([
    names,
    expect.stringMatching(/^spec\.template\.spec\.containers\[0\]\.ports/),
  ]);
  expect(of(cronjobDefinition as ResourceDefinition, { jobTemplate: { spec: { template } } })).toEqual([
    names,
    expect.stringMatching(/^spec\.jobTemplate\.spec\.template\.spec\.containers\[0\]\.ports/),
  ]);
});
