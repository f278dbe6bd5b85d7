import { expect, test } from 'vitest';
import { makePod } from '../../../testing/makers.ts';
import { withLabelKeys } from './label-keys.ts';

const labels = { app: 'web', hash: 'v1' };
const labelSelector = { matchLabels: { app: 'web' } };

test('keys become requirements with the values of the pod; those that it lacks say nothing', () => {
  const term = { topologyKey: 'zone', labelSelector, matchLabelKeys: ['hash', 'absent'] };
  const other = { topologyKey: 'zone', labelSelector: {}, mismatchLabelKeys: ['app'] };
  const constraint = { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector };
  const spec = withLabelKeys(
    makePod('p', {
      labels,
      spec: {
        affinity: {
          podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 3, podAffinityTerm: other }],
          },
        },
        topologySpreadConstraints: [{ ...constraint, matchLabelKeys: ['hash'] }],
      },
    }),
  );
  const same = [{ key: 'hash', operator: 'In', values: ['v1'] }];
  expect(spec.affinity).toEqual({
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { ...term, labelSelector: { ...labelSelector, matchExpressions: same } },
      ],
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 3,
          podAffinityTerm: {
            ...other,
            labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] },
          },
        },
      ],
    },
  });
  expect(spec.topologySpreadConstraints?.[0]?.labelSelector?.matchExpressions).toEqual(same);
});

test('a pod that names no keys keeps its spec', () => {
  const pod = makePod('p', {
    labels,
    spec: {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector }],
        },
      },
    },
  });
  expect(withLabelKeys(pod)).toBe(pod.spec);
});
