/** Random nodes and pods whose points tell nodes apart. */
import fc from 'fast-check';
import type { Container, PodSpec } from '../../../packages/cluster/src/api/generated/core-v1.ts';
import type { NodeParts, PodParts } from '../../../packages/cluster/src/testing/makers.ts';
import { nodeParts, plainPodParts } from '../../../packages/cluster/src/testing/scheduler/worlds.ts';
import { curved, packing } from './configuration.ts';

/** An image is as large everywhere: upstream goes by the node that told of it first. */
const imageMebibytes: Readonly<Record<string, number>> = {
  'example/main:1': 310,
  'example/side:2': 1_700,
  'example/data:latest': 21,
  'example/large:latest': 900,
};
const gpu = 'example.com/gpu';

/** Nodes that no rule forbids, so that points decide. */
export const wishedFor: fc.Arbitrary<NodeParts> = fc
  .record({
    parts: nodeParts,
    gpus: fc.constantFrom('0', '0', '4'),
    images: fc.subarray(Object.keys(imageMebibytes)),
    soft: fc.uniqueArray(fc.constantFrom('k', 'l', 'm'), { maxLength: 2 }),
  })
  .map(({ parts, gpus, images, soft }) => ({
    ...parts,
    ...{ unschedulable: false, pods: '110', cpu: '6' },
    taints: soft.map((key) => ({ key, effect: 'PreferNoSchedule' })),
    ...(gpus !== '0' && { allocatable: { [gpu]: gpus } }),
    images: Object.fromEntries(images.map((name) => [name, (imageMebibytes[name] ?? 0) * 2 ** 20])),
  }));

const further: fc.Arbitrary<Omit<Container, 'name'>> = fc
  .record({
    image: fc.constantFrom(...Object.keys(imageMebibytes), 'example/data', 'example/none:3'),
    cpu: fc.constantFrom('', '50m', '300m'),
  })
  .map(({ image, cpu }) => ({ image, ...(cpu !== '' && { resources: { requests: { cpu } } }) }));

const initial: fc.Arbitrary<readonly Container[]> = fc.constantFrom<readonly Container[]>(
  [],
  [{ name: 'init', image: 'example/side:2', resources: { requests: { cpu: '700m' } } }],
  [{ name: 'init', image: 'example/side:2', restartPolicy: 'Always', resources: { requests: { memory: '700Mi' } } }],
);

export const wishing: fc.Arbitrary<PodParts> = fc
  .record({
    parts: plainPodParts,
    demands: fc.integer({ min: 0, max: 3 }),
    cpu: fc.constantFrom(undefined, '100m', '500m', '1500m'),
    memory: fc.constantFrom(undefined, '1Gi', '2Gi'),
    gpus: fc.integer({ min: 0, max: 2 }),
    schedulerName: fc.constantFrom('default-scheduler', 'default-scheduler', packing, curved),
    further: fc.array(further, { maxLength: 2 }),
    initContainers: initial,
  })
  .map(({ parts, demands, cpu, memory, gpus, further: others, ...spec }) => {
    const amounts = {
      ...(cpu !== undefined && { cpu }),
      ...(memory !== undefined && { memory }),
      ...(gpus === 1 && { [gpu]: '1' }),
    };
    const main = {
      ...{ name: 'main', image: 'example/main:1' },
      resources: { requests: amounts, ...(gpus === 1 && { limits: { [gpu]: '1' } }) },
    };
    const containers = [main, ...others.map((each, nth) => ({ name: `further${nth}`, ...each }))];
    // All demands at once leave no place.
    const given = demands === 0 ? (parts.spec ?? {}) : wishesOf(parts.spec ?? {});
    return { ...parts, spec: { ...given, ...spec, containers } };
  });

function wishesOf({ affinity, topologySpreadConstraints = [], ...spec }: Partial<PodSpec>): Partial<PodSpec> {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  const keys = topologySpreadConstraints.map(({ topologyKey }) => topologyKey);
  return {
    ...spec,
    affinity: {
      ...(nodeAffinity !== undefined && { nodeAffinity }),
      podAffinity: wishOf(podAffinity),
      podAntiAffinity: wishOf(podAntiAffinity),
    },
    // A server takes no two of one key and kind.
    topologySpreadConstraints: topologySpreadConstraints
      .filter(({ topologyKey, minDomains }, nth) => keys.indexOf(topologyKey) === nth && minDomains === undefined)
      .map((each) => ({ ...each, whenUnsatisfiable: 'ScheduleAnyway' })),
  };
}

function wishOf<T>({
  preferredDuringSchedulingIgnoredDuringExecution: wishes = [],
}: {
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly T[];
} = {}): { readonly preferredDuringSchedulingIgnoredDuringExecution: readonly T[] } {
  return { preferredDuringSchedulingIgnoredDuringExecution: wishes };
}
