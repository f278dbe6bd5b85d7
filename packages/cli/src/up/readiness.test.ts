import type { Event, KubeObject } from '@signalbox/cluster';
import { type RootComponent, worldOf } from '@signalbox/telemetry';
import { describe, expect, test } from 'vitest';
import { isReady, isSettled, type Step, stepsOf } from './readiness.ts';

const metadata = { namespace: 'n', resourceVersion: '1', creationTimestamp: '', generation: 2 };
const make = (kind: string, name: string, parts: object = {}): KubeObject =>
  ({
    apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
    kind,
    metadata: { ...metadata, name, uid: name },
    spec: {},
    ...parts,
  }) as unknown as KubeObject;
const rootType = { group: 'g', version: 'v1', resource: 'roots', kind: 'Root', namespaced: true };
const component = {
  rootType,
  foreignBecause: ({ spec }: { readonly spec?: { readonly foreign?: boolean } }) =>
    spec?.foreign === true ? 'it says so' : undefined,
  isPaused: ({ spec }: { readonly spec?: { readonly paused?: boolean } }) => spec?.paused === true,
} as unknown as RootComponent;
const root = (parts: object): KubeObject => make('Root', 'r', { apiVersion: 'g/v1', ...parts });
const steps = (objects: readonly KubeObject[], events?: readonly Event[]): readonly Step[] =>
  stepsOf(worldOf(objects), { components: [component], ...(events !== undefined && { events }) });
const why = (objects: readonly KubeObject[], events?: readonly Event[]): readonly string[] =>
  steps(objects, events).flatMap((step) => step.why);

describe('a workload', () => {
  const set = make('StatefulSet', 'db', { spec: { replicas: 2 }, status: { observedGeneration: 2 } });
  const pod = (name: string, message: string): KubeObject => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'db', controller: true }];
    const conditions = [{ type: 'PodScheduled', status: 'False', message }];
    return make('Pod', name, { metadata: { ...metadata, name, uid: name, ownerReferences }, status: { conditions } });
  };
  const warning = (uid: string, message: string, lastTimestamp: string): Event =>
    ({ type: 'Warning', reason: 'FailedCreate', message, lastTimestamp, involvedObject: { uid } }) as unknown as Event;

  test('that is done is ready', () => {
    const status = { observedGeneration: 2, availableReplicas: 2, updatedReplicas: 2 };
    const [step] = steps([make('StatefulSet', 'db', { spec: { replicas: 2 }, status })]);
    expect(step).toEqual({ kind: 'StatefulSet', namespace: 'n', name: 'db', how: '2 of 2 pods ready', why: [] });
  });
  test('says how far it is, without looking at pods while nobody asks why', () => {
    expect(why([set, pod('db-0', 'full')])).toEqual(['0 of 2 pods ready']);
  });
  test('says what holds its pods up, each reason once', () => {
    expect(why([set, pod('db-0', 'full'), pod('db-1', 'full')], [])).toEqual(['0 of 2 pods ready', 'pod db-0: full']);
  });
  test('says what the cluster has warned of while there are too few pods', () => {
    const events = [
      warning('db', 'later', '2'),
      warning('db', 'earlier', '1'),
      warning('db', 'later', '3'),
      warning('other', 'not about it', '4'),
    ];
    expect(why([set], events)).toEqual(['0 of 2 pods ready', 'FailedCreate: earlier', 'FailedCreate: later']);
  });
  test('that has all its pods is not blamed for old warnings', () => {
    expect(why([set, pod('db-0', 'full'), pod('db-1', 'full')], [warning('db', 'old', '1')])).not.toContain(
      'FailedCreate: old',
    );
  });
});

describe('a job', () => {
  const job = (parts: object): KubeObject => make('Job', 'load', { apiVersion: 'batch/v1', ...parts });
  const ended = (type: string): object => ({
    conditions: [{ type, status: 'True', reason: 'BackoffLimitExceeded', message: 'too often' }],
  });
  test.each<[string, object, readonly string[]]>([
    ['that runs is waited for', { spec: { completions: 3 }, status: { succeeded: 1 } }, ['1 of 3 succeeded']],
    ['that is complete is ready', { status: { succeeded: 1, ...ended('Complete') } }, []],
    ['that has failed says why', { status: ended('Failed') }, ['it has failed: BackoffLimitExceeded: too often']],
  ])('%s', (_, parts, expected) => expect(why([job(parts)])).toEqual(expected));

  test.each<[string, string, boolean]>([
    ['complete', 'Complete', true],
    ['failed: nobody waits for it any longer', 'Failed', true],
    ['suspended by its controller', 'Suspended', false],
  ])('is settled when it is %s', (_, type, expected) => {
    expect(steps([job({ status: ended(type) })]).map(isSettled)).toEqual([expected]);
  });

  test('that is suspended, or comes by the clock, is not waited for', () => {
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid: 'c', controller: true }];
    expect(steps([job({ spec: { suspend: true } })])).toEqual([]);
    expect(steps([job({ metadata: { ...metadata, name: 'c-1', uid: 'c-1', ownerReferences } })])).toEqual([]);
  });
});

describe('a root', () => {
  const condition = (status: string, parts: object = {}): object => ({
    type: 'Available',
    status,
    reason: 'PodsNotReady',
    message: '1 of 2',
    observedGeneration: 2,
    ...parts,
  });
  test.each<[string, object, readonly string[]]>([
    ['that nobody has looked at waits', {}, ['the operator has not seen it yet']],
    ['whose conditions hold is ready', { status: { conditions: [condition('True')] } }, []],
    [
      'whose condition does not hold says why',
      { status: { conditions: [condition('False')] } },
      ['Available: PodsNotReady: 1 of 2'],
    ],
    [
      'that changed since is not judged by its old conditions',
      { status: { conditions: [condition('True', { observedGeneration: 1 })] } },
      ['Available: the operator has not seen its last change yet'],
    ],
    ['that is paused is not waited for', { spec: { paused: true } }, []],
    ['of another operator is not waited for', { spec: { foreign: true } }, []],
  ])('%s', (_, parts, expected) => expect(why([root(parts)])).toEqual(expected));
});

describe('what is told of a workload', () => {
  const sinceMs = Date.parse('2026-01-01T00:01:00Z');
  const node = (status: string): KubeObject =>
    make('Node', 'box', { apiVersion: 'v1', status: { conditions: [{ type: 'Ready', status }] } });
  const lease = (renewTime: string): KubeObject =>
    make('Lease', 'box', {
      apiVersion: 'coordination.k8s.io/v1',
      metadata: { ...metadata, namespace: 'kube-node-lease', name: 'box', uid: 'l' },
      spec: { renewTime },
    });
  const status = { observedGeneration: 2, availableReplicas: 1, updatedReplicas: 1 };
  const set = make('StatefulSet', 'db', { spec: { replicas: 1 }, status });
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'db', controller: true }];
  const pod = (nodeName: string): KubeObject =>
    make('Pod', 'db-0', {
      metadata: { ...metadata, name: 'db-0', uid: 'db-0', ownerReferences },
      ...{ spec: { nodeName }, status: { phase: 'Running' } },
    });
  const old = lease('2026-01-01T00:00:59.999000Z');
  const waits = 'the node box has not told since this start how its pods are';
  test.each<[string, readonly KubeObject[], readonly string[]]>([
    ['is old while its node has not spoken', [set, node('True'), old, pod('box')], [waits]],
    ['is old also without a lease', [set, node('True'), pod('box')], [waits]],
    ['holds once it has', [set, node('True'), lease('2026-01-01T00:01:00.000000Z'), pod('box')], []],
    ['holds when its node is told to be unwell, as its pods are then', [set, node('Unknown'), old, pod('box')], []],
    ['holds when it runs elsewhere', [set, node('True'), old, pod('other')], []],
  ])('%s', (_, objects, expected) => {
    const found = stepsOf(worldOf(objects), { components: [component], sinceMs });
    expect(found.flatMap((step) => step.why)).toEqual(expected);
  });

  test('is waited for on a real node, too', () => {
    const [step] = stepsOf(worldOf([node('True'), old]), {
      ...{ components: [], sinceMs, realNode: { name: 'box', isUp: true } },
    });
    expect(step).toMatchObject({ name: 'box', why: ['its agent has not told yet how its pods are'] });
  });
});

test('an empty cluster is ready', () => expect(steps([]).every(isReady)).toBe(true));
