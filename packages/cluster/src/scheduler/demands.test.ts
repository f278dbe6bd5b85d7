import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { freeze } from '../base/freeze.ts';
import { makePod } from '../testing/makers.ts';
import { demandsOf } from './demands.ts';
import { podView } from './pod-view.ts';
import { joining } from './reads.ts';

const tolerations = [[{ key: 'a', operator: 'Exists' }], [{ key: 'b', operator: 'Exists' }]] as const;
const selectors = [{ disk: 'ssd' }, { disk: 'hdd' }];

const pods: fc.Arbitrary<Pod> = fc
  .record({
    cpu: fc.constantFrom('1', '2'),
    memory: fc.constantFrom('1Gi', '2Gi'),
    priority: fc.constantFrom(0, 10),
    hostPort: fc.constantFrom(undefined, 80, 81),
    tolerations: fc.constantFrom(undefined, ...tolerations),
    nodeSelector: fc.constantFrom(undefined, ...selectors),
    schedulerName: fc.constantFrom(undefined, 'other'),
    device: fc.constantFrom(undefined, '1', '2'),
  })
  .map(({ hostPort, tolerations: tolerated, nodeSelector, schedulerName, device, ...parts }) => {
    const pod = makePod('p', { ...parts, ...(hostPort !== undefined && { hostPort }) });
    const [container] = pod.spec.containers;
    const requests = {
      ...container?.resources?.requests,
      ...(device !== undefined && { 'example.com/device': device }),
    };
    return freeze({
      ...pod,
      spec: {
        ...pod.spec,
        containers: pod.spec.containers.map((each) => ({ ...each, resources: { requests } })),
        ...(tolerated !== undefined && { tolerations: tolerated }),
        ...(nodeSelector !== undefined && { nodeSelector }),
        ...(schedulerName !== undefined && { schedulerName }),
      },
    });
  });

/** Without a look at the pod before. */
function alone(pod: Pod): string {
  const { priority, requests, assumedCpuMilli, assumedMemoryBytes, hostPorts, tolerations: tolerated } = podView(pod);
  const { nodeSelector, nodeName, schedulerName } = pod.spec;
  const amounts = [priority, requests, assumedCpuMilli, assumedMemoryBytes];
  return JSON.stringify([...amounts, hostPorts, tolerated, nodeSelector, undefined, nodeName, schedulerName]);
}

test('whoever came before, a pod has the text that it has alone', () => {
  fc.assert(
    fc.property(fc.array(pods, { maxLength: 12 }), (all) => {
      for (const pod of all) expect(demandsOf(podView(pod))).toBe(alone(pod));
    }),
  );
});

test('two texts are joined as if there had been none before', () => {
  const join = joining();
  const pairs = [
    ['a', 'b c'],
    ['a', 'b c'],
    ['a b', 'c'],
    ['', ''],
    ['a', 'c'],
  ] as const;
  expect(pairs.map(([first, second]) => join(first, second))).toEqual(['a b c', 'a b c', 'a b c', ' ', 'a c']);
});
