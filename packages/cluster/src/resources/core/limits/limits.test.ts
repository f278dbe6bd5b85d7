import { describe, expect, test } from 'vitest';
import type { LimitRange, PersistentVolumeClaim, Pod } from '../../../api/generated/core-v1.ts';
import { withLimitDefaults } from './complete.ts';
import { claimFaults, podFaults } from './enforce.ts';
import { podAmounts } from './pod-amounts.ts';

type Item = LimitRange['spec']['limits'][number];
type Resources = Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>;

const range = (...limits: readonly Item[]): LimitRange => ({ spec: { limits } }) as unknown as LimitRange;
const container = (name: string, resources: Partial<Resources> = {}, more: object = {}): object => ({
  ...{ name, resources },
  ...more,
});
const podOf = (containers: readonly object[], initContainers?: readonly object[]): Pod =>
  ({ metadata: {}, spec: { containers, ...(initContainers && { initContainers }) } }) as unknown as Pod;
const one = (resources: Partial<Resources>): Pod => podOf([container('a', resources)]);

describe('who asks for nothing gets the default', () => {
  const limits = range(
    { type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '100m' } },
    { type: 'Pod', max: { cpu: '9' } },
  );
  test('and the pod says so', () => {
    const { metadata, spec } = withLimitDefaults(
      podOf([container('a'), container('b', { limits: { cpu: '2' } })], [container('i', { requests: { cpu: '1' } })]),
      limits,
    );
    expect(spec.containers.map(({ resources }) => resources)).toEqual([
      { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m' } },
      { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '100m' } },
    ]);
    expect(spec.initContainers?.[0]?.resources).toEqual({
      limits: { cpu: '1', memory: '1Gi' },
      requests: { cpu: '1' },
    });
    expect(metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu request for container a; cpu, memory limit for container a; cpu request for container b; memory limit for container b; cpu, memory limit for init container i',
    });
  });
  test('who asks for all of it is left alone', () => {
    const pod = one({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1' } });
    expect(withLimitDefaults(pod, limits)).toBe(pod);
    expect(withLimitDefaults(pod, range({ type: 'Container', max: { cpu: '1' } }))).toBe(pod);
  });
});

describe('a container', () => {
  test.each<[string, Omit<Item, 'type'>, Partial<Resources>, readonly string[]]>([
    ['within', { min: { cpu: '100m' }, max: { cpu: '2' } }, { requests: { cpu: '1' }, limits: { cpu: '2' } }, []],
    [
      'asks for nothing',
      { min: { cpu: '100m' } },
      {},
      ['minimum cpu usage per Container is 100m.  No request is specified'],
    ],
    [
      'asks for too little',
      { min: { cpu: '100m' } },
      { requests: { cpu: '50m' } },
      ['minimum cpu usage per Container is 100m, but request is 50m'],
    ],
    [
      'is limited too much',
      { min: { cpu: '100m' } },
      { requests: { cpu: '1' }, limits: { cpu: '10m' } },
      ['minimum cpu usage per Container is 100m, but limit is 10m'],
    ],
    [
      'has no limit',
      { max: { memory: '1Gi' } },
      {},
      ['maximum memory usage per Container is 1Gi.  No limit is specified'],
    ],
    [
      'has too high a limit',
      { max: { memory: '1Gi' } },
      { limits: { memory: '2Gi' } },
      ['maximum memory usage per Container is 1Gi, but limit is 2Gi'],
    ],
    [
      'asks for too much',
      { max: { memory: '1Gi' } },
      { limits: { memory: '1Gi' }, requests: { memory: '2Gi' } },
      ['maximum memory usage per Container is 1Gi, but request is 2Gi'],
    ],
    [
      'asks for much less than it may take',
      { maxLimitRequestRatio: { cpu: '2' } },
      { limits: { cpu: '3' }, requests: { cpu: '1' } },
      ['cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000'],
    ],
    [
      'asks for nothing of what has a ratio',
      { maxLimitRequestRatio: { cpu: '2' } },
      { limits: { cpu: '3' } },
      ['cpu max limit to request ratio per Container is 2, but no request is specified or request is 0'],
    ],
    [
      'has no limit of what has a ratio',
      { maxLimitRequestRatio: { cpu: '2' } },
      { requests: { cpu: '3' } },
      ['cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0'],
    ],
  ])('%s', (_, item, resources, expected) =>
    expect(podFaults(range({ type: 'Container', ...item }), one(resources))).toEqual(expected),
  );
  test('that comes before is held to the same', () =>
    expect(podFaults(range({ type: 'Container', min: { cpu: '1' } }), podOf([], [container('i')]))).toEqual([
      'minimum cpu usage per Container is 1.  No request is specified',
    ]));
});

describe('a pod', () => {
  const sidecar = { restartPolicy: 'Always' };
  const cpu = (amount: string): Partial<Resources> => ({ requests: { cpu: amount } });
  test.each<[string, Pod, string]>([
    ['is the sum of its containers', podOf([container('a', cpu('1')), container('b', cpu('500m'))]), '1500m'],
    ['or what needs most before them', podOf([container('a', cpu('1'))], [container('i', cpu('3'))]), '3'],
    ['with those that stay', podOf([container('a', cpu('1'))], [container('s', cpu('1'), sidecar)]), '2'],
    [
      'also beside those that come before',
      podOf([container('a', cpu('1'))], [container('s', cpu('1'), sidecar), container('i', cpu('3'))]),
      '4',
    ],
  ])('%s', (_, { spec }, expected) => expect(podAmounts(spec, 'requests')).toEqual({ cpu: expected }));
  test('that asks for too much together is refused', () => {
    const pod = podOf(['a', 'b'].map((name) => container(name, { limits: { cpu: '2' }, requests: { cpu: '1' } })));
    expect(podFaults(range({ type: 'Pod', max: { cpu: '3' } }), pod)).toEqual([
      'maximum cpu usage per Pod is 3, but limit is 4',
    ]);
  });
});

test.each([
  ['1Gi', []],
  ['10Gi', ['maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 10Gi']],
  ['10Mi', ['minimum storage usage per PersistentVolumeClaim is 100Mi, but request is 10Mi']],
])('a claim of %s', (storage, expected) => {
  const limits = range({ type: 'PersistentVolumeClaim', min: { storage: '100Mi' }, max: { storage: '5Gi' } });
  const claim = { spec: { resources: { requests: { storage } } } } as unknown as PersistentVolumeClaim;
  expect(claimFaults(limits, claim)).toEqual(expected);
});
