import { expect, test } from 'vitest';
import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolume, Pod } from '../../api/generated/core-v1.ts';
import { statefulsetDefinition } from '../apps/statefulset.ts';
import { claimSpecWarnings, endedSourceWarnings } from './given-up.ts';
import { persistentvolumeDefinition } from './persistentvolume.ts';
import { podDefinition } from './pod/pod.ts';

test('sources that do nothing any more are warned of', () => {
  expect([
    ...endedSourceWarnings({ name: 'v', rbd: {}, storageos: {}, hostPath: {}, flocker: undefined }, 'v'),
  ]).toEqual([
    'v.rbd: deprecated in v1.28, non-functional in v1.31+',
    'v.storageOS: deprecated in v1.22, non-functional in v1.25+',
  ]);
});

test.each<[string | undefined, boolean]>([
  [undefined, false],
  ['1Gi', false],
  ['1500m', true],
  ['1u', true],
  // A thousandth is the least that counts, and it is rounded up.
  ['999999999n', false],
])('a claim for %s', (storage, isWarned) => {
  const resources = { ...(storage !== undefined && { requests: { storage }, limits: { storage } }) };
  expect([...claimSpecWarnings({ resources }, 'spec')].length).toBe(isWarned ? 2 : 0);
});

test('pods, volumes and sets tell it of what they have', () => {
  const volumeClaimTemplate = { spec: { resources: { requests: { storage: '1.5' } } } };
  const volumes = [
    { name: 'g', gitRepo: {} },
    { name: 'e', ephemeral: { volumeClaimTemplate } },
  ];
  const pod = { metadata: { name: 'p' }, spec: { containers: [], volumes } } as unknown as Pod;
  const size = 'fractional byte value "1500m" is invalid, must be an integer';
  expect([...(podDefinition.warnings?.(pod) ?? [])]).toEqual([
    'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
    `spec.volumes[1].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: ${size}`,
  ]);
  const annotations = { 'volume.beta.kubernetes.io/mount-options': 'x' };
  const spec = { cephfs: {}, quobyte: {}, persistentVolumeReclaimPolicy: 'Recycle' };
  const volume = { metadata: { name: 'v', annotations }, spec } as unknown as PersistentVolume;
  expect([...(persistentvolumeDefinition.warnings?.(volume) ?? [])]).toEqual([
    'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
    expect.stringContaining('The Recycle reclaim policy is deprecated'),
    'spec.cephfs: deprecated in v1.28, non-functional in v1.31+',
  ]);
  const set = {
    metadata: {},
    spec: { volumeClaimTemplates: [volumeClaimTemplate], revisionHistoryLimit: -1 },
  } as unknown as StatefulSet;
  expect([...(statefulsetDefinition.warnings?.(set) ?? [])]).toEqual([
    `spec.volumeClaimTemplates[0].resources.requests[storage]: ${size}`,
    expect.stringContaining('spec.revisionHistoryLimit: a negative value'),
  ]);
  expect([...(statefulsetDefinition.warnings?.(set, set) ?? [])]).toContain(
    `spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: ${size}`,
  );
});
