import { expect, test } from 'vitest';
import { podWith } from '../testing/pods.ts';
import { evictionOf } from './overfull.ts';

test('a pod whose folder is too large is told so, or that the disk is full', () => {
  const pod = podWith({ volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Mi' } }] });
  expect(evictionOf(pod, { volume: 'data', limitBytes: 1 << 20 })).toEqual({
    reason: 'Evicted',
    message: 'Usage of EmptyDir volume "data" exceeds the limit "1Mi". ',
  });
  expect(evictionOf(pod, { volume: 'data', limitBytes: undefined }).message).toBe(
    'The node was low on resource: ephemeral-storage. ',
  );
});
