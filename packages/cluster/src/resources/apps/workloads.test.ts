/** What the kinds of this folder have in common, and what each adds: one table per question. */
import { describe, expect, test } from 'vitest';
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../../api/generated/apps-v1.ts';
import type { Scale } from '../../api/generated/autoscaling-v1.ts';
import { root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { isStatusError } from '../../api/status.ts';
import { freeze } from '../../base/freeze.ts';
import type { ResourceDefinition } from '../resource.ts';
import { controllerrevisionDefinition } from './controllerrevision.ts';
import { daemonsetDefinition } from './daemonset.ts';
import { deploymentDefinition } from './deployment.ts';
import { replicasetDefinition } from './replicaset.ts';
import { statefulsetDefinition } from './statefulset.ts';

type Loose = ResourceDefinition<KubeObject>;
const definitions = [
  daemonsetDefinition,
  deploymentDefinition,
  replicasetDefinition,
  statefulsetDefinition,
] as unknown as Loose[];
const selector = { matchLabels: { app: 'web' } };
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx:1' }] } };

function made<T extends KubeObject>(definition: ResourceDefinition<T>, spec: object = {}, more: object = {}): T {
  const object = {
    apiVersion: 'apps/v1',
    kind: definition.kind,
    metadata: {
      name: 'web',
      namespace: 'd',
      uid: 'u',
      resourceVersion: '7',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { selector, template, ...spec },
    ...more,
  } as unknown as T;
  return freeze(definition.defaults?.(object) ?? object);
}

const lines = (issues: Iterable<{ readonly field: string; readonly message: string }> | undefined): string[] =>
  [...(issues ?? [])].map(({ field, message }) => `${field}: ${message}`);
const check = (definition: unknown, spec: object): string[] => {
  const loose = definition as Loose;
  const object = made(loose, spec);
  return [...lines(loose.validate?.(object, root)), ...lines(loose.validateCreate?.(object, root))];
};
const change = (definition: unknown, next: object, current: object): string[] =>
  lines(
    (definition as Loose).validateUpdate?.(made(definition as Loose, next), made(definition as Loose, current), root),
  );

describe.each(definitions.map((definition) => [definition.kind, definition] as const))('%s', (kind, definition) => {
  test('a plain one is right, and defaulting it again changes nothing', () => {
    expect(check(definition, {})).toEqual([]);
    const once = made(definition);
    expect(definition.defaults?.(once)).toBe(once);
  });

  test('its status starts from nothing', () => {
    const created = definition.prepareForCreate?.(made(definition, {}, { status: { replicas: 9, numberReady: 9 } }), {
      nowMs: 0,
    });
    expect(Object.values((created as unknown as { status: object }).status).every((count) => count === 0)).toBe(true);
  });

  test('its selector selects its pods', () => {
    expect(check(definition, { selector: { matchLabels: { app: 'other' } } })).toEqual([
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ]);
  });

  test('a selector that cannot be read is told of once more, as a whole, where upstream does so', () => {
    const odd = { matchExpressions: [{ key: 'a', operator: 'Odd' }] };
    const whole = expect.stringMatching(/^spec\.selector: Invalid value: .*: invalid label selector$/) as unknown;
    const found = check(definition, { selector: odd as never, template: { spec: { containers: [] } } });
    expect(found).toContain(
      'spec.selector.matchExpressions[0].operator: Invalid value: "Odd": not a valid selector operator',
    );
    const unlooked = 'spec.template.spec.containers: Required value';
    if (kind === 'Deployment' || kind === 'ReplicaSet') expect(found).toContainEqual(whole);
    else expect(found).not.toContainEqual(whole);
    if (kind === 'DaemonSet') expect(found).toContain(unlooked);
    else expect(found).not.toContain(unlooked);
    if (kind === 'StatefulSet')
      expect(found).toContainEqual(expect.stringMatching(/^spec\.selector: Invalid value: \{.*\}$/));
  });

  test('it has a selector', () => {
    const required = 'spec.selector: Required value';
    const unmatched =
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`';
    const told: Record<string, readonly string[]> = { DaemonSet: [unmatched] };
    expect(check(definition, { selector: undefined })).toEqual(told[kind] ?? [required, unmatched]);
    const named = kind === 'ReplicaSet' ? 'deployment' : kind.toLowerCase();
    expect(check(definition, { selector: {} })).toEqual([
      `spec.selector: Invalid value: {}: empty selector is invalid for ${named}`,
    ]);
  });

  test('its pods run for ever', () => {
    const spec = { ...template.spec, restartPolicy: 'Never', activeDeadlineSeconds: 5 };
    const named = kind === 'Deployment' ? 'ReplicaSet' : kind;
    expect(check(definition, { template: { ...template, spec } })).toEqual([
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${named} is not Supported`,
    ]);
  });

  test('its template is checked whole', () => {
    const spec = { containers: [{ name: 'Web' }] };
    expect(check(definition, { template: { ...template, spec } })).toEqual([
      expect.stringContaining('spec.template.spec.containers[0].name: Invalid value: "Web"'),
      'spec.template.spec.containers[0].image: Required value',
    ]);
  });

  test('nothing at all is refused, not crashed on', () => {
    const object = { apiVersion: 'apps/v1', kind, metadata: made(definition).metadata } as unknown as KubeObject;
    const complete = definition.defaults?.(object) ?? object;
    const told =
      kind === 'DaemonSet'
        ? 'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'
        : 'spec.selector: Required value';
    expect(lines(definition.validate?.(complete, root))).toContain(told);
  });

  test('its counts are not negative', () => {
    expect(check(definition, { minReadySeconds: -1 })).toEqual([
      'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  test('its selector stays', () => {
    const other = { matchLabels: { app: 'web', more: 'x' } };
    const [issue] = change(definition, { selector: other }, {});
    expect(issue).toBe(
      kind === 'StatefulSet'
        ? "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
        : 'spec.selector: Invalid value: {"matchLabels":{"app":"web","more":"x"}}: field is immutable',
    );
    expect(change(definition, { minReadySeconds: 5 }, {})).toEqual([]);
  });

  test('its status does not count below zero', () => {
    const current = made(definition, {}, { status: {} });
    const next = made(definition, {}, { status: { observedGeneration: -1 } });
    expect(lines(definition.validateStatusUpdate?.(next, current, root))).toEqual([
      'status.observedGeneration: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});

test.each<[string, object, object]>([
  [
    'DaemonSet',
    {},
    {
      revisionHistoryLimit: 10,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    },
  ],
  ['DaemonSet', { updateStrategy: { type: 'OnDelete' } }, { updateStrategy: { type: 'OnDelete' } }],
  [
    'DaemonSet',
    { updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } },
    { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } },
  ],
  [
    'Deployment',
    {},
    {
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    },
  ],
  ['Deployment', { replicas: 0, strategy: { type: 'Recreate' } }, { replicas: 0, strategy: { type: 'Recreate' } }],
  ['ReplicaSet', {}, { replicas: 1 }],
  [
    'StatefulSet',
    {},
    {
      replicas: 1,
      revisionHistoryLimit: 10,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    },
  ],
  ['StatefulSet', { updateStrategy: { type: 'RollingUpdate' } }, { updateStrategy: { type: 'RollingUpdate' } }],
  [
    'StatefulSet',
    { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } },
    { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Delete' } },
  ],
])('defaults of a %s with %j', (kind, spec, expected) => {
  const definition = definitions.find((each) => each.kind === kind) as Loose;
  const { spec: defaulted } = made(definition, spec) as unknown as { spec: Record<string, unknown> };
  for (const [field, value] of Object.entries(expected)) expect(defaulted[field]).toEqual(value);
});

test.each<[Pick<Loose, 'kind'>, object, readonly string[]]>([
  [
    daemonsetDefinition as unknown as Loose,
    { updateStrategy: { type: 'Once' } },
    [
      'spec.updateStrategy: Unsupported value: {"Type":"Once","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
    ],
  ],
  [
    daemonsetDefinition as unknown as Loose,
    { updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } },
    ['spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero'],
  ],
  [
    daemonsetDefinition as unknown as Loose,
    { updateStrategy: { rollingUpdate: { maxUnavailable: '0%' } } },
    ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
  ],
  [
    daemonsetDefinition as unknown as Loose,
    { updateStrategy: { rollingUpdate: { maxUnavailable: '101%' } } },
    ['spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
  ],
  [
    daemonsetDefinition as unknown as Loose,
    { updateStrategy: { rollingUpdate: { maxUnavailable: '5.5%' } } },
    [
      "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: \"5.5%\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ],
  ],
  [
    deploymentDefinition as unknown as Loose,
    { replicas: -1 },
    ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    deploymentDefinition as unknown as Loose,
    { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
    ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  ],
  [
    deploymentDefinition as unknown as Loose,
    { strategy: { rollingUpdate: { maxSurge: '0%', maxUnavailable: 0 } } },
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
  ],
  [deploymentDefinition as unknown as Loose, { strategy: { rollingUpdate: { maxSurge: '200%' } } }, []],
  [
    deploymentDefinition as unknown as Loose,
    { strategy: { type: 'Slow' } },
    [
      'spec.strategy: Unsupported value: {"Type":"Slow","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
  ],
  [
    deploymentDefinition as unknown as Loose,
    { progressDeadlineSeconds: 5, minReadySeconds: 5 },
    ['spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds'],
  ],
  [
    statefulsetDefinition as unknown as Loose,
    { podManagementPolicy: 'Random' },
    ["spec.podManagementPolicy: Invalid value: \"Random\": must be 'OrderedReady' or 'Parallel'"],
  ],
  [
    statefulsetDefinition as unknown as Loose,
    { updateStrategy: { type: 'OnDelete', rollingUpdate: {} } },
    ["spec.updateStrategy.rollingUpdate: Invalid value: {}: only allowed for updateStrategy 'RollingUpdate'"],
  ],
  [
    statefulsetDefinition as unknown as Loose,
    { updateStrategy: { rollingUpdate: { partition: -1 } } },
    ['spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    statefulsetDefinition as unknown as Loose,
    { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } },
    ['spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0'],
  ],
  [
    statefulsetDefinition as unknown as Loose,
    { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Keep' } },
    [
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Keep": supported values: "Retain", "Delete"',
    ],
  ],
  [
    statefulsetDefinition as unknown as Loose,
    { ordinals: { start: -1 } },
    ['spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    statefulsetDefinition as unknown as Loose,
    { volumeClaimTemplates: [{ spec: {} }] },
    [
      'spec.volumeClaimTemplates[0].metadata.name: Required value',
      'spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required',
      'spec.volumeClaimTemplates[0].spec.resources[storage]: Required value',
    ],
  ],
])('%o with %j', (definition, spec, expected) => expect(check(definition, spec)).toEqual(expected));

describe('the template generation of a DaemonSet', () => {
  const annotation = 'deprecated.daemonset.template.generation';
  const generation = (set: DaemonSet | undefined): string | undefined => set?.metadata.annotations?.[annotation];
  const created = (annotations?: Record<string, string>): DaemonSet => {
    const set = made(daemonsetDefinition);
    return (
      daemonsetDefinition.prepareForCreate?.(
        {
          ...set,
          metadata: { ...set.metadata, ...(annotations && { annotations }) },
        },
        { nowMs: 0 },
      ) ?? set
    );
  };
  const updated = (spec: object, annotations: Record<string, string>): DaemonSet => {
    const set = made(daemonsetDefinition, spec);
    const next = { ...set, metadata: { ...set.metadata, annotations } };
    return daemonsetDefinition.prepareForUpdate?.(next, created()) ?? next;
  };

  test('is 0, and owned, where nobody has sent one', () => {
    expect(generation(daemonsetDefinition.defaults?.(made(daemonsetDefinition)))).toBe('0');
  });

  test('starts at 1, or where the user puts it', () => {
    expect(generation(created())).toBe('1');
    expect(generation(created({ [annotation]: '5' }))).toBe('5');
    expect(generation(created({ [annotation]: '-5' }))).toBe('1');
  });

  test.each<[text: string, problem: string | undefined]>([
    ['7', undefined],
    ['-5', undefined],
    ['', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['1.5', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    ['9223372036854775808', 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
  ])('%j cannot be read where it is no number', (text, problem) => {
    const set = made(daemonsetDefinition);
    const read = { ...set, metadata: { ...set.metadata, annotations: { [annotation]: text } } };
    expect(daemonsetDefinition.unreadable?.(read)).toBe(problem);
  });

  test('grows with the template and with nothing else', () => {
    const image = { ...template, spec: { containers: [{ name: 'web', image: 'nginx:2' }] } };
    expect(generation(updated({ minReadySeconds: 3 }, {}))).toBe('1');
    expect(generation(updated({ template: image }, {}))).toBe('2');
    expect(generation(updated({}, { [annotation]: '9' }))).toBe('1');
  });
});

describe('the claims of a StatefulSet', () => {
  const asked = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const claim = { metadata: { name: 'data' }, spec: asked };
  const container = { name: 'web', image: 'nginx:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  const spec = { volumeClaimTemplates: [claim], template: { ...template, spec: { containers: [container] } } };

  test('who names no service is shown with none, and is unchanged if it was stored without', () => {
    const set = made(statefulsetDefinition, spec);
    expect(set.spec.serviceName).toBe('');
    const { serviceName: _, ...before } = set.spec;
    const stored = { ...set, spec: before } as StatefulSet;
    expect(lines(statefulsetDefinition.validateUpdate?.(set, stored, root))).toEqual([]);
  });

  test('are complete claims, pending', () => {
    expect(made(statefulsetDefinition, spec).spec.volumeClaimTemplates).toEqual([
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data' },
        spec: { ...asked, volumeMode: 'Filesystem' },
        status: { phase: 'Pending' },
      },
    ]);
  });

  test('are refused where no pod could ever have them, as is a name of the Service that is none', () => {
    const broken = { ...claim, spec: { ...asked, accessModes: ['Sometimes'] } };
    const wrong = { ...spec, volumeClaimTemplates: [broken], serviceName: 'a\u0000' };
    expect(check(statefulsetDefinition, wrong)).toEqual([
      expect.stringMatching(/^spec\.serviceName: Invalid value: .*RFC 1123 label/),
      expect.stringMatching(/^spec\.volumeClaimTemplates\[0\]\.spec\.accessModes.*: Unsupported value: "Sometimes"/),
    ]);
    // Neither can change: a set that has them already is told of nothing else.
    expect(lines(statefulsetDefinition.validate?.(made(statefulsetDefinition, wrong), root))).toEqual([]);
  });

  test('can be mounted by name, and stay as they are', () => {
    expect(check(statefulsetDefinition, spec)).toEqual([]);
    expect(change(statefulsetDefinition, {}, spec)).toHaveLength(1);
    expect(
      change(statefulsetDefinition, { ...spec, replicas: 3, ordinals: { start: 2 }, revisionHistoryLimit: 1 }, spec),
    ).toEqual([]);
  });
});

test('what the template of a StatefulSet says of names of hosts does not count, nor does a negative history', () => {
  const named = { ...template, spec: { ...template.spec, hostname: 'No Name', subdomain: 'No Name' } };
  expect(check(statefulsetDefinition, { template: named, revisionHistoryLimit: -1 })).toEqual([]);
});

test('a strategy of a StatefulSet is quoted whole, with the names of its fields in Go', () => {
  expect(check(statefulsetDefinition, { updateStrategy: { type: 'Once', rollingUpdate: { partition: 1 } } })).toEqual([
    `spec.updateStrategy: Invalid value: {"Type":"Once","RollingUpdate":{"Partition":1,"MaxUnavailable":null}}: must be 'RollingUpdate' or 'OnDelete'`,
  ]);
});

test('the names of a StatefulSet become host names', () => {
  expect(lines(statefulsetDefinition.validateName?.('a.b', root('metadata', 'name')))).toHaveLength(1);
  expect(deploymentDefinition.validateName).toBeUndefined();
});

test('no part of a status is more than the whole', () => {
  const status = { replicas: 1, readyReplicas: 2, availableReplicas: 3 };
  const issues = (definition: unknown): string[] => {
    const loose = definition as Loose;
    return lines(loose.validateStatusUpdate?.(made(loose, {}, { status }), made(loose, {}, { status: {} }), root));
  };
  const expected = (ready: string): readonly string[] => [
    'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
    'status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas',
    `status.availableReplicas: Invalid value: 3: cannot be greater than ${ready}`,
  ];
  for (const definition of [deploymentDefinition, replicasetDefinition])
    expect(issues(definition)).toEqual(expected('readyReplicas'));
  expect(issues(statefulsetDefinition)).toEqual(expected('status.readyReplicas'));
});

test('where the whole is less than nothing, each part that the kind counts is more', () => {
  const status = { replicas: -1 };
  const issues = lines(
    replicasetDefinition.validateStatusUpdate?.(
      made(replicasetDefinition, {}, { status }),
      made(replicasetDefinition, {}, { status: {} }),
      root,
    ),
  );
  expect(issues.filter((line) => line.includes('status.replicas'))).toEqual([
    'status.replicas: Invalid value: -1: must be greater than or equal to 0',
    'status.fullyLabeledReplicas: Invalid value: 0: cannot be greater than status.replicas',
    'status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas',
    'status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas',
  ]);
});

test('collisions are counted up only', () => {
  const at = (collisionCount: number): DaemonSet => made(daemonsetDefinition, {}, { status: { collisionCount } });
  expect(lines(daemonsetDefinition.validateStatusUpdate?.(at(1), at(2), root))).toEqual([
    'status.collisionCount: Invalid value: 1: cannot be decremented',
  ]);
});

describe('scale', () => {
  const door = deploymentDefinition.subresources[0];
  const body = (replicas?: number): Scale => ({ spec: { ...(replicas !== undefined && { replicas }) } }) as Scale;

  test('shows replicas and the selector in words', () => {
    const deployment = made(deploymentDefinition, { replicas: 3 }, { status: { replicas: 2 } });
    expect(door?.read?.(deployment)).toEqual({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: {
        name: 'web',
        namespace: 'd',
        uid: 'u',
        resourceVersion: '7',
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: { replicas: 3 },
      status: { replicas: 2, selector: 'app=web' },
    });
  });

  test('changes replicas and nothing else', () => {
    const deployment = made(deploymentDefinition, { replicas: 3 });
    expect(door?.write?.(deployment, body(5))).toEqual({ ...deployment, spec: { ...deployment.spec, replicas: 5 } });
    expect(door?.write?.(deployment, body())).toMatchObject({ spec: { replicas: 0 } });
    expect(door?.write?.(deployment, body(3))).toBe(deployment);
  });

  test('refuses less than nothing', () => {
    let message = '';
    try {
      door?.write?.(made(deploymentDefinition), body(-1));
    } catch (error) {
      if (isStatusError(error, 'Invalid')) message = error.message;
    }
    expect(message).toBe(
      'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
  });

  test('is there for all but DaemonSets', () => {
    const doors = definitions.map(({ kind, subresources }) => `${kind} ${subresources.map(({ name }) => name).join()}`);
    expect(doors).toEqual(['DaemonSet ', 'Deployment scale', 'ReplicaSet scale', 'StatefulSet scale']);
  });
});

describe('kubectl get', () => {
  const row = <T extends KubeObject>(definition: ResourceDefinition<T>, object: T): string =>
    definition.columns
      .map(({ name, priority, of }) => `${priority === 1 ? '+' : ''}${name}=${of(object, 0)}`)
      .join(' ');

  test('daemonsets', () => {
    const status = {
      desiredNumberScheduled: 5,
      currentNumberScheduled: 4,
      numberReady: 3,
      updatedNumberScheduled: 2,
      numberAvailable: 1,
    };
    const spec = { template: { ...template, spec: { ...template.spec, nodeSelector: { b: '2', a: '1' } } } };
    expect(row(daemonsetDefinition, made(daemonsetDefinition, spec, { status }) as DaemonSet)).toBe(
      'Desired=5 Current=4 Ready=3 Up-to-date=2 Available=1 Node Selector=a=1,b=2 +Containers=web +Images=nginx:1 +Selector=app=web',
    );
  });

  test('deployments', () => {
    const status = { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 3 };
    expect(row(deploymentDefinition, made(deploymentDefinition, { replicas: 4 }, { status }) as Deployment)).toBe(
      'Ready=1/4 Up-to-date=2 Available=3 +Containers=web +Images=nginx:1 +Selector=app=web',
    );
  });

  test('replicasets', () => {
    const status = { replicas: 2, readyReplicas: 1 };
    expect(row(replicasetDefinition, made(replicasetDefinition, { replicas: 4 }, { status }) as ReplicaSet)).toBe(
      'Desired=4 Current=2 Ready=1 +Containers=web +Images=nginx:1 +Selector=app=web',
    );
  });

  test('statefulsets', () => {
    expect(
      row(
        statefulsetDefinition,
        made(statefulsetDefinition, { replicas: 2 }, { status: { readyReplicas: 1 } }) as StatefulSet,
      ),
    ).toBe('Ready=1/2 +Containers=web +Images=nginx:1');
  });

  test('revisions', () => {
    const { metadata } = made(daemonsetDefinition);
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'web', uid: 'u', controller: true };
    const revision = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, data: {}, revision: 3 } as const;
    expect(
      row(controllerrevisionDefinition, { ...revision, metadata: { ...metadata, ownerReferences: [owner] } }),
    ).toBe('Controller=daemonset.apps/web Revision=3');
    expect(row(controllerrevisionDefinition, revision)).toBe('Controller=<none> Revision=3');
  });
});

test('the short names are those of kubectl', () => {
  expect(definitions.flatMap(({ shortNames }) => shortNames)).toEqual(['ds', 'deploy', 'rs', 'sts']);
  expect(definitions.every(({ categories }) => categories.join() === 'all')).toBe(true);
});

describe('a revision', () => {
  const revision = (
    data: unknown,
    number: number,
  ): Parameters<NonNullable<typeof controllerrevisionDefinition.validate>>[0] => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: made(daemonsetDefinition).metadata,
    data,
    revision: number,
  });

  test('holds something', () => {
    expect(lines(controllerrevisionDefinition.validateCreate?.(revision(undefined, -1), root))).toEqual([
      'data: Required value: data is mandatory',
    ]);
    expect(lines(controllerrevisionDefinition.validate?.(revision('a', -1), root))).toEqual([
      'revision: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  test('keeps what it holds, though its number may change', () => {
    expect(
      lines(controllerrevisionDefinition.validateUpdate?.(revision({ a: 1 }, 2), revision({ a: 1 }, 1), root)),
    ).toEqual([]);
    expect(
      lines(controllerrevisionDefinition.validateUpdate?.(revision({ a: 2 }, 1), revision({ a: 1 }, 1), root)),
    ).toEqual(['data: Invalid value: {"a":2}: field is immutable']);
  });
});
