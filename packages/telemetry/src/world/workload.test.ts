import type { DaemonSet, Deployment, KubeObject, Pod, StatefulSet } from '@signalbox/cluster';
import { describe, expect, test } from 'vitest';
import { isWorkload, podProblem, progressOf, type Workload } from './workload.ts';

const metadata = { name: 'x', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '', generation: 2 };
const make = <T extends Workload>(kind: T['kind'], spec: object, status: object | undefined): T =>
  ({ apiVersion: 'apps/v1', kind, metadata, spec, status }) as unknown as T;
const daemonset = (status?: object, spec: object = {}): DaemonSet => make('DaemonSet', spec, status);
const statefulset = (status?: object, spec: object = { replicas: 2 }): StatefulSet => make('StatefulSet', spec, status);
const deployment = (status?: object, spec: object = { replicas: 2 }): Deployment => make('Deployment', spec, status);

const unseen = 'its controller has not seen it yet';
const allUp = { observedGeneration: 2, desiredNumberScheduled: 3, numberAvailable: 3, updatedNumberScheduled: 3 };
const both = { observedGeneration: 2, availableReplicas: 2, updatedReplicas: 2 };

test.each<[string, Workload, string]>([
  ['a DaemonSet without a status', daemonset(), unseen],
  ['a DaemonSet that changed since', daemonset({ ...allUp, observedGeneration: 1 }), unseen],
  ['a DaemonSet with all pods', daemonset(allUp), ''],
  ['a DaemonSet that no node wants', daemonset({ observedGeneration: 2, desiredNumberScheduled: 0 }), ''],
  ['a DaemonSet that lacks a pod', daemonset({ ...allUp, numberAvailable: 2 }), '2 of 3 pods ready'],
  ['a DaemonSet in a rollout', daemonset({ ...allUp, updatedNumberScheduled: 1 }), '1 of 3 pods updated'],
  [
    'a DaemonSet whose pods nobody replaces',
    daemonset({ ...allUp, updatedNumberScheduled: 0 }, { updateStrategy: { type: 'OnDelete' } }),
    '',
  ],
  ['a StatefulSet with all pods', statefulset(both), ''],
  ['a StatefulSet on its way', statefulset({ observedGeneration: 2 }), '0 of 2 pods ready'],
  ['a StatefulSet in a rollout', statefulset({ ...both, updatedReplicas: 1 }), '1 of 2 pods updated'],
  [
    'a StatefulSet whose rollout stops at its partition',
    statefulset({ ...both, updatedReplicas: 1 }, { replicas: 2, updateStrategy: { rollingUpdate: { partition: 1 } } }),
    '',
  ],
  ['a StatefulSet without replicas, which means one', statefulset({ observedGeneration: 2 }, {}), '0 of 1 pods ready'],
  ['a Deployment with all pods', deployment(both), ''],
  ['a Deployment scaled to nothing', deployment({ observedGeneration: 2 }, { replicas: 0 }), ''],
  ['a Deployment in a rollout', deployment({ ...both, updatedReplicas: 0 }), '0 of 2 pods updated'],
])('%s', (_, workload, waitsFor) => expect(progressOf(workload).waitsFor).toBe(waitsFor));

test('only the three kinds of apps are workloads', () => {
  expect(isWorkload(daemonset() as KubeObject)).toBe(true);
  expect(isWorkload({ ...(daemonset() as KubeObject), apiVersion: 'example.com/v1' })).toBe(false);
  expect(isWorkload({ ...(daemonset() as KubeObject), kind: 'ReplicaSet' })).toBe(false);
});

describe('why a pod is not ready', () => {
  const pod = (status: object | undefined, meta: object = {}): Pod =>
    ({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, ...meta }, spec: {}, status }) as unknown as Pod;
  const scheduled = { type: 'PodScheduled', status: 'True' };
  const unready = { type: 'Ready', status: 'False', message: 'containers with unready status: [c]' };
  test.each<[string, Pod, string | undefined]>([
    ['a ready one', pod({ conditions: [scheduled, { type: 'Ready', status: 'True' }] }), undefined],
    ['one that nobody has looked at', pod(undefined), 'it waits for a node'],
    [
      'one that fits nowhere',
      pod({ conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available: 3 full.' }] }),
      '0/3 nodes are available: 3 full.',
    ],
    [
      'one whose image cannot be had',
      pod({
        conditions: [scheduled, unready],
        containerStatuses: [
          { name: 'c', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } },
        ],
      }),
      'container c: ImagePullBackOff: no such image',
    ],
    [
      'one whose container has ended in an error, though its init container is done',
      pod({
        conditions: [scheduled, unready],
        initContainerStatuses: [{ name: 'i', state: { terminated: { reason: 'Completed', exitCode: 0 } } }],
        containerStatuses: [{ name: 'c', state: { terminated: { reason: 'Error', exitCode: 1 } } }],
      }),
      'container c: Error',
    ],
    [
      'one whose probe fails',
      pod({ conditions: [scheduled, unready], containerStatuses: [{ name: 'c', state: { running: {} } }] }),
      'containers with unready status: [c]',
    ],
    ['one that just starts', pod({ conditions: [scheduled] }), 'its containers are not ready'],
    ['one that goes', pod({ conditions: [] }, { deletionTimestamp: 'now' }), 'it is being deleted'],
  ])('%s', (_, each, problem) => expect(podProblem(each)).toBe(problem));
});
