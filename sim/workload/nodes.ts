import { nodes } from '@signalbox/cluster';
import { stoppedAnnotation } from '@signalbox/cluster/testing';
import { chance, pick, randomNode, taintKey, zoneLabel, zones } from '../manifests.ts';
import { deleteAny, patchAny, type RandomOperation } from './operation.ts';

export const nodeOperations: readonly RandomOperation[] = [
  {
    name: 'add a node',
    weight: 3,
    async run({ client, random, signal }) {
      const name = `node-${1 + random.below(6)}`;
      await client.create(nodes, randomNode(random, name), { signal });
      return name;
    },
  },
  { name: 'delete a node', weight: 1.5, run: (doing) => deleteAny(nodes, doing, () => ({})) },
  {
    name: 'stop or start a node',
    weight: 3,
    run: (doing) =>
      patchAny(nodes, doing, (random) => ({
        metadata: { annotations: { [stoppedAnnotation]: chance(random, 0.4) ? 'true' : null } },
      })),
  },
  {
    name: 'taint a node',
    weight: 3,
    run: (doing) =>
      patchAny(nodes, doing, (random) => {
        const effect = pick(random, ['NoSchedule', 'NoExecute', 'PreferNoSchedule']);
        return { spec: { taints: chance(random, 0.5) ? [{ key: taintKey, value: 'sim', effect }] : null } };
      }),
  },
  {
    name: 'label a node',
    weight: 3,
    run: (doing) =>
      patchAny(nodes, doing, (random) => ({ metadata: { labels: { [zoneLabel]: pick(random, [...zones, null]) } } })),
  },
  {
    name: 'cordon or uncordon a node',
    weight: 2,
    run: (doing) =>
      patchAny(nodes, doing, (random) => ({ spec: { unschedulable: chance(random, 0.4) ? true : null } })),
  },
];
