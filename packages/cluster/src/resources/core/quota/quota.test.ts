import { describe, expect, test } from 'vitest';
import type { ResourceQuota } from '../../../api/generated/core-v1.ts';
import {
  configmaps,
  deployments,
  persistentvolumeclaims,
  pods,
  resourceclaims,
  services,
} from '../../../api/generated/kinds.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { createIssues } from '../../../testing/resources/judge.ts';
import { resourcequotaDefinition } from '../resourcequota.ts';
import { countsChanges, countUsage, judgeQuota } from './judge.ts';
import { added, listed, measuresOf, noMeasures, type Quantities, toQuantities } from './measures.ts';
import { isInScopes, type Scope } from './scopes.ts';
import { type Counted, usageOf } from './usage.ts';

const nowMs = 1_000_000;
const object = (more: object): KubeObject =>
  ({ metadata: { name: 'o', namespace: 'team' }, ...more }) as unknown as KubeObject;
const resources = (requests: object, limits: object = {}): object => ({ name: 'c', resources: { requests, limits } });
const podOf = (...containers: readonly object[]): object => ({ spec: { containers } });
const taken = (type: Counted, more: object): string => listed(usageOf(type, object(more), nowMs));

describe('what an object takes', () => {
  test.each<[string, Counted, object, string]>([
    ['anything is one of its kind', deployments, {}, 'count/deployments.apps=1'],
    ['some have an older name', configmaps, {}, 'configmaps=1,count/configmaps=1'],
    ['a pod that asks for nothing', pods, podOf({ name: 'c' }), 'count/pods=1,pods=1'],
    [
      'a pod that asks',
      pods,
      podOf(resources({ cpu: '500m', memory: '1Gi', 'nvidia.com/gpu': '2' }, { cpu: '1' }), resources({ cpu: '500m' })),
      'count/pods=1,cpu=1,limits.cpu=1,memory=1Gi,pods=1,requests.cpu=1,requests.memory=1Gi,requests.nvidia.com/gpu=2',
    ],
    [
      'a pod whose runtime takes something for itself',
      pods,
      {
        spec: { containers: [resources({ cpu: '1' }, { memory: '1Gi' })], overhead: { cpu: '250m', memory: '120Mi' } },
      },
      'count/pods=1,cpu=1250m,limits.memory=1144Mi,memory=120Mi,pods=1,requests.cpu=1250m,requests.memory=120Mi',
    ],
    [
      'a pod whose node has not given it less yet',
      pods,
      {
        ...podOf(resources({ cpu: '100m' }, { cpu: '200m' })),
        status: {
          containerStatuses: [
            {
              name: 'c',
              allocatedResources: { cpu: '600m' },
              resources: { requests: { cpu: '600m' }, limits: { cpu: '1' } },
            },
          ],
        },
      },
      'count/pods=1,cpu=600m,limits.cpu=1,pods=1,requests.cpu=600m',
    ],
    ['a pod that has ended', pods, { ...podOf(resources({ cpu: '1' })), status: { phase: 'Failed' } }, 'count/pods=1'],
    [
      'a pod that nobody will say has ended',
      pods,
      {
        metadata: { name: 'o', deletionTimestamp: new Date(0).toISOString(), deletionGracePeriodSeconds: 30 },
        ...podOf(resources({ cpu: '1' })),
      },
      'count/pods=1',
    ],
    ['a service', services, { spec: { ports: [{ port: 1 }] } }, 'count/services=1,services=1'],
    [
      'one with ports on nodes',
      services,
      { spec: { type: 'NodePort', ports: [{ port: 1 }, { port: 2 }] } },
      'count/services=1,services=1,services.nodeports=2',
    ],
    [
      'one with a balancer',
      services,
      { spec: { type: 'LoadBalancer', ports: [{ port: 1 }] } },
      'count/services=1,services=1,services.loadbalancers=1,services.nodeports=1',
    ],
    [
      'one whose balancer needs no ports',
      services,
      { spec: { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ port: 1 }] } },
      'count/services=1,services=1,services.loadbalancers=1,services.nodeports=0',
    ],
    [
      'a claim',
      persistentvolumeclaims,
      { spec: { storageClassName: 'fast', resources: { requests: { storage: '5Gi' } } } },
      'count/persistentvolumeclaims=1,fast.storageclass.storage.k8s.io/persistentvolumeclaims=1,fast.storageclass.storage.k8s.io/requests.storage=5Gi,persistentvolumeclaims=1,requests.storage=5Gi',
    ],
    [
      'a claim of devices',
      resourceclaims,
      { spec: { devices: { requests: [{ exactly: { deviceClassName: 'gpu', count: 2 } }] } } },
      'count/resourceclaims.resource.k8s.io=1,gpu.deviceclass.resource.k8s.io/devices=2',
    ],
  ])('%s', (_, type, more, expected) => expect(taken(type, more)).toBe(expected));
});

describe('whom scopes are about', () => {
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ namespaces: ['other'] }] } };
  const exists = (scopeName: string): Scope => ({ scopeName, operator: 'Exists' });
  const classes = (operator: string, ...values: readonly string[]): Scope => ({
    ...{ scopeName: 'PriorityClass', operator },
    ...(values.length > 0 && { values }),
  });
  test.each<[Scope, object, boolean]>([
    [exists('Terminating'), { activeDeadlineSeconds: 5 }, true],
    [exists('Terminating'), {}, false],
    [exists('NotTerminating'), {}, true],
    [exists('BestEffort'), {}, true],
    [exists('NotBestEffort'), {}, false],
    [exists('NotBestEffort'), { containers: [resources({ cpu: '1' })] }, true],
    [exists('CrossNamespacePodAffinity'), {}, false],
    [exists('CrossNamespacePodAffinity'), { affinity }, true],
    [classes('Exists'), {}, false],
    [classes('Exists'), { priorityClassName: 'high' }, true],
    [classes('In', 'high'), { priorityClassName: 'high' }, true],
    [classes('In', 'high'), { priorityClassName: 'low' }, false],
    [classes('NotIn', 'high'), { priorityClassName: 'low' }, true],
    [classes('NotIn', 'high'), {}, true],
    [classes('DoesNotExist'), {}, true],
    [exists('VolumeAttributesClass'), {}, false],
  ])('%o and %o: %s', (scope, spec, expected) =>
    expect(isInScopes([scope], pods, object({ spec: { containers: [], ...spec } }))).toBe(expected),
  );
  test('claims have a class, or are to get another', () => {
    const gold: Scope = { scopeName: 'VolumeAttributesClass', operator: 'In', values: ['gold'] };
    const status = { modifyVolumeStatus: { targetVolumeAttributesClassName: 'gold' } };
    expect(isInScopes([gold], persistentvolumeclaims, object({ spec: {} }))).toBe(false);
    expect(isInScopes([gold], persistentvolumeclaims, object({ spec: { volumeAttributesClassName: 'gold' } }))).toBe(
      true,
    );
    expect(isInScopes([gold], persistentvolumeclaims, object({ spec: {}, status }))).toBe(true);
  });
  test('nothing else has any', () => expect(isInScopes([exists('BestEffort')], services, object({}))).toBe(false));
});

describe('a verdict', () => {
  const quota = (hard: Quantities, used: Quantities, spec: object = {}): ResourceQuota =>
    ({ metadata: { name: 'q' }, spec, status: { hard, used } }) as unknown as ResourceQuota;
  const why = (of: ResourceQuota, more: object, held: Quantities = {}): string => {
    const verdict = judgeQuota(of, { type: pods, object: object(more), nowMs }, measuresOf(held));
    return verdict.allowed ? `takes ${listed(verdict.charge)}` : verdict.why;
  };
  const two = podOf(resources({ cpu: '1' }), { ...resources({}), name: 'd' });

  test.each<[string, ResourceQuota, object, string]>([
    ['there is room', quota({ pods: '2' }, { pods: '1' }), two, 'takes pods=1'],
    [
      'there is none',
      quota({ pods: '2', 'count/pods': '9' }, { pods: '2', 'count/pods': '2' }),
      two,
      'exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    ],
    [
      'of several the exceeded are named',
      quota({ pods: '2', 'requests.cpu': '1500m', memory: '1Gi' }, { pods: '2', 'requests.cpu': '1', memory: '0' }),
      podOf(resources({ cpu: '1', memory: '1Mi' })),
      'exceeded quota: q, requested: pods=1,requests.cpu=1, used: pods=2,requests.cpu=1, limited: pods=2,requests.cpu=1500m',
    ],
    [
      'containers have to say',
      quota({ 'limits.cpu': '2', cpu: '2' }, { 'limits.cpu': '0', cpu: '0' }),
      two,
      'failed quota: q: must specify cpu for: d; limits.cpu for: c,d',
    ],
    ['nobody has counted', quota({ pods: '1' }, {}), two, 'status unknown for quota: q, resources: pods'],
    ['it limits something else', quota({ services: '0' }, { services: '0' }), two, 'takes '],
    ['it is about others', quota({ pods: '0' }, { pods: '0' }, { scopes: ['BestEffort'] }), two, 'takes '],
  ])('where %s', (_, of, more, expected) => expect(why(of, more)).toBe(expected));

  test('a pod that asks as a whole has said enough', () =>
    expect(
      why(quota({ cpu: '2' }, { cpu: '0' }), {
        spec: { containers: [{ name: 'c' }], resources: { requests: { cpu: '1' } } },
      }),
    ).toBe('takes cpu=1'));
  test('what others hold counts', () =>
    expect(why(quota({ pods: '2' }, { pods: '1' }), two, { pods: '1' })).toBe(
      'exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    ));
  test('without a status nothing is limited yet', () =>
    expect(why({ metadata: { name: 'q' }, spec: { hard: { pods: '0' } } } as unknown as ResourceQuota, two)).toBe(
      'takes ',
    ));
  test('of a change the growth counts', () => {
    const claim = (storage: string): KubeObject => object({ spec: { resources: { requests: { storage } } } });
    const judged = (now: string, before: string): unknown =>
      judgeQuota(
        quota(
          { 'requests.storage': '10Gi', persistentvolumeclaims: '1' },
          { 'requests.storage': '5Gi', persistentvolumeclaims: '1' },
        ),
        { type: persistentvolumeclaims, object: claim(now), previous: claim(before), nowMs },
        noMeasures,
      );
    expect(judged('8Gi', '5Gi')).toMatchObject({
      allowed: true,
      charge: new Map([['requests.storage', { nano: 3n * 2n ** 30n * 10n ** 9n, like: '8Gi' }]]),
    });
    expect(judged('11Gi', '5Gi')).toMatchObject({
      why: 'exceeded quota: q, requested: requests.storage=6Gi, used: requests.storage=5Gi, limited: requests.storage=10Gi',
    });
    expect(judged('1Gi', '5Gi')).toEqual({ allowed: true, charge: noMeasures });
  });
});

test('doors that count', () => {
  expect([countsChanges(pods, undefined), countsChanges(pods, 'resize'), countsChanges(pods, 'status')]).toEqual([
    false,
    true,
    false,
  ]);
  expect([
    countsChanges(services, undefined),
    countsChanges(services, 'status'),
    countsChanges(configmaps, undefined),
  ]).toEqual([true, false, false]);
});

test('use is counted for every limit that somebody counts', () => {
  const quota = { metadata: { name: 'q' }, spec: { scopes: ['NotBestEffort'] } } as unknown as ResourceQuota;
  const hard = { pods: '5', cpu: '5', services: '1', 'count/unknown.example.com': '1' };
  const objects = [
    [
      pods,
      [object(podOf(resources({ cpu: '100m' }))), object(podOf(resources({ cpu: '1' }))), object(podOf({ name: 'c' }))],
    ],
    [services, [object({ spec: {} })]],
  ] as const;
  expect(toQuantities(countUsage(quota, { hard, objects, nowMs }))).toEqual({ cpu: '1100m', pods: '2', services: '0' });
});

test('a sum is written as what was there before', () => {
  const sum = (a: string, b: string): unknown => toQuantities(added(measuresOf({ x: a }), measuresOf({ x: b })));
  expect([sum('1Gi', '1024'), sum('0', '2Gi'), sum('1', '1Ki')]).toEqual([
    { x: '1048577Ki' },
    { x: '2Gi' },
    { x: '1025' },
  ]);
});

describe('a quota', () => {
  test.each<[string, object, readonly string[]]>([
    [
      'is well',
      { hard: { pods: '1', 'count/jobs.batch': '1', 'requests.nvidia.com/gpu': '1' }, scopes: ['NotBestEffort'] },
      [],
    ],
    ['limits large pages', { hard: { 'hugepages-2Mi': '1Gi', 'requests.hugepages-1Gi': '2Gi' } }, []],
    [
      'limits large pages of some pods',
      { hard: { 'hugepages-2Mi': '1Gi' }, scopes: ['Terminating'] },
      ['spec.scopes: Invalid value: ["Terminating"]: unsupported scope applied to resource'],
    ],
    [
      'asks in another way whether pods end',
      { scopeSelector: { matchExpressions: [{ scopeName: 'Terminating', operator: 'In', values: ['a'] }] } },
      [
        `spec.scopeSelector.matchExpressions.operator: Invalid value: "In": must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity`,
      ],
    ],
    [
      'limits something unknown',
      { hard: { poods: '1' } },
      [
        'spec.hard[poods]: Invalid value: "poods": must be a standard resource type or fully qualified',
        'spec.hard[poods]: Invalid value: "poods": must be a standard resource for quota',
      ],
    ],
    ['limits half a pod', { hard: { pods: '500m' } }, ['spec.hard[pods]: Invalid value: "500m": must be an integer']],
    [
      'contradicts itself',
      { scopes: ['Terminating', 'NotTerminating'] },
      ['spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes'],
    ],
    [
      'is about no pods',
      { hard: { services: '1' }, scopes: ['Terminating'] },
      ['spec.scopes: Invalid value: ["Terminating"]: unsupported scope applied to resource'],
    ],
    ['has a scope that there is not', { scopes: ['Odd'] }, ['spec.scopes: Invalid value: ["Odd"]: unsupported scope']],
    [
      'chooses none',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] } },
      [
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      ],
    ],
  ])('that %s', (_, spec, expected) => expect(createIssues(resourcequotaDefinition, { spec })).toEqual(expected));
});
