import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Container, Pod, PodSpec, PodStatus } from '../../../api/generated/core-v1.ts';
import { fromTimestamp } from '../../../base/clock.ts';
import { freeze } from '../../../base/freeze.ts';
import {
  isPodActive,
  podAvailable,
  podCondition,
  podGracePeriodSeconds,
  podReady,
  podRequests,
  qosClassOf,
} from './facts.ts';

function pod(spec: Partial<PodSpec> = {}, status: PodStatus = {}, metadata: object = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', ...metadata },
    spec: { containers: [], ...spec },
    status,
  } as unknown as Pod;
}

function container(requests: Record<string, string>, more: Partial<Container> = {}): Container {
  return { name: 'c', resources: { requests }, ...more };
}

const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
const startMs = fromTimestamp('2026-01-01T00:00:00Z');

describe('readiness', () => {
  test('is a condition', () => {
    expect(podReady(pod())).toBe(false);
    expect(podReady(pod({}, { conditions: [{ ...ready, status: 'Unknown' }] }))).toBe(false);
    expect(podReady(pod({}, { conditions: [ready] }))).toBe(true);
    expect(podReady({ ...pod(), status: undefined } as unknown as Pod)).toBe(false);
    expect(podCondition(pod({}, { conditions: [ready] }), 'Ready')).toBe(ready);
  });

  test.each([
    [0, 0, true],
    [10, 9_999, false],
    [10, 10_000, true],
    [10, -1, false],
  ])('%i s of it are enough %i ms later: %s', (seconds, laterMs, expected) =>
    expect(podAvailable(pod({}, { conditions: [ready] }), seconds, startMs + laterMs)).toBe(expected),
  );

  test('without a date it is never long enough', () => {
    expect(podAvailable(pod({}, { conditions: [{ type: 'Ready', status: 'True' }] }), 1, startMs)).toBe(false);
    expect(podAvailable(pod(), 0, startMs)).toBe(false);
  });
});

test.each<[string, PodStatus, object, boolean]>([
  ['a pending pod', { phase: 'Pending' }, {}, true],
  ['a pod without status', {}, {}, true],
  ['a failed pod', { phase: 'Failed' }, {}, false],
  ['a pod that is going', { phase: 'Running' }, { deletionTimestamp: 'x' }, false],
])('%s is active: %j', (_, status, metadata, expected) =>
  expect(isPodActive(pod({}, status, metadata))).toBe(expected),
);

test.each<[string, Partial<PodSpec>, PodStatus, number]>([
  ['unscheduled', { terminationGracePeriodSeconds: 30 }, {}, 0],
  ['running', { nodeName: 'n', terminationGracePeriodSeconds: 7 }, { phase: 'Running' }, 7],
  ['ended', { nodeName: 'n', terminationGracePeriodSeconds: 7 }, { phase: 'Succeeded' }, 0],
  ['negative', { nodeName: 'n', terminationGracePeriodSeconds: -7 }, {}, 1],
  ['zero', { nodeName: 'n', terminationGracePeriodSeconds: 0 }, {}, 0],
])('grace: %s', (_, spec, status, seconds) => expect(podGracePeriodSeconds(pod(spec, status))).toBe(seconds));

describe('requests', () => {
  const cpu = (spec: Partial<PodSpec>): number => podRequests(pod(spec)).cpuMilli;
  const always = { restartPolicy: 'Always' };

  test('are in whole units, rounded up', () => {
    expect(
      podRequests(
        pod({ containers: [container({ cpu: '0.1', memory: '1.5Ki', 'ephemeral-storage': '1', 'a.b/gpu': '2' })] }),
      ),
    ).toEqual({
      cpuMilli: 100,
      memoryBytes: 1536,
      ephemeralBytes: 1,
      extended: { 'a.b/gpu': 2 },
    });
  });

  test.each<[string, Partial<PodSpec>, number]>([
    ['nothing', {}, 0],
    ['containers run together', { containers: [container({ cpu: '1' }), container({ cpu: '2' })] }, 3000],
    [
      'init containers run one by one',
      { containers: [container({ cpu: '1' })], initContainers: [container({ cpu: '2' }), container({ cpu: '3' })] },
      3000,
    ],
    [
      'sidecars run all along',
      { containers: [container({ cpu: '1' })], initContainers: [container({ cpu: '2' }, always)] },
      3000,
    ],
    [
      'an init container runs beside the sidecars before it',
      {
        containers: [container({ cpu: '1' })],
        initContainers: [container({ cpu: '2' }, always), container({ cpu: '4' })],
      },
      6000,
    ],
    [
      'not beside those after it',
      {
        containers: [container({ cpu: '1' })],
        initContainers: [container({ cpu: '4' }), container({ cpu: '2' }, always)],
      },
      4000,
    ],
    ['overhead comes on top', { containers: [container({ cpu: '1' })], overhead: { cpu: '250m' } }, 1250],
    [
      'the pod has the last word',
      { containers: [container({ cpu: '1' })], resources: { requests: { cpu: '5' } } },
      5000,
    ],
    ['what is no quantity counts as nothing', { containers: [container({ cpu: 'x' })] }, 0],
  ])('%s', (_, spec, expected) => expect(cpu(spec)).toBe(expected));

  test('pods that share containers share the answer', () => {
    const containers = freeze([container({ cpu: '1' })]);
    expect(podRequests(pod({ containers }))).toBe(podRequests(pod({ containers, nodeName: 'n' })));
    expect(cpu({ containers, overhead: { cpu: '1' } })).toBe(2000);
  });

  test('the order of containers does not matter', () => {
    const amounts = fc.array(
      fc.nat(1000).map((milli) => container({ cpu: `${milli}m` })),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(amounts, amounts, (containers, initContainers) => {
        expect(cpu({ containers, initContainers })).toBe(
          cpu({ containers: containers.toReversed(), initContainers: initContainers.toReversed() }),
        );
      }),
    );
  });
});

test.each<[string, Partial<PodSpec>, string]>([
  ['nothing', { containers: [container({})] }, 'BestEffort'],
  ['only a device', { containers: [container({ 'a.b/gpu': '1' })] }, 'BestEffort'],
  ['a request', { containers: [container({ cpu: '1' })] }, 'Burstable'],
  [
    'limits equal to requests',
    {
      containers: [
        { name: 'c', resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1000m', memory: '1024Mi' } } },
      ],
    },
    'Guaranteed',
  ],
  ['limits alone', { containers: [{ name: 'c', resources: { limits: { cpu: '1', memory: '1Gi' } } }] }, 'Guaranteed'],
  [
    'limits of memory alone',
    { containers: [{ name: 'c', resources: { requests: { memory: '1Gi' }, limits: { memory: '1Gi' } } }] },
    'Burstable',
  ],
  [
    'one container of two',
    { containers: [{ name: 'c', resources: { limits: { cpu: '1', memory: '1Gi' } } }, container({})] },
    'Burstable',
  ],
  [
    'an init container without',
    {
      containers: [{ name: 'c', resources: { limits: { cpu: '1', memory: '1Gi' } } }],
      initContainers: [container({})],
    },
    'Burstable',
  ],
])('quality of service: %s', (_, spec, expected) => expect(qosClassOf(pod(spec).spec)).toBe(expected));
