/** Stories of a scheduler that ends and begins again while pods wait: it knows what stands in the API, and nothing else. */
import { nodes, persistentvolumeclaims, persistentvolumes, pods, storageclasses } from '@signalbox/cluster';
import { apart, claim, createPriorities, gates, high, middle, mounts, volume, waitingClass } from './objects.ts';
import type { Side } from './sides.ts';
import type { Stories } from './story.ts';

/** `n1`, which is being cleared for `vip`. */
async function clearing(side: Side): Promise<void> {
  await createPriorities(side);
  await side.node('n1', { cpu: '2' });
  await side.pod('low', { cpu: '2', spec: { nodeName: 'n1' } });
  await side.pod('vip', { cpu: '2', spec: high });
  await side.rest();
}

export const aboutRestarts: Stories = {
  async 'a node is being cleared, and somebody else comes'(side, look) {
    await clearing(side);
    await side.without(() => side.pod('mid', { cpu: '2', spec: middle }));
    await look('cleared still');
    await side.without(() => side.remove(pods, 'low'));
    await look('bound');
  },
  async 'the node that was being cleared is gone, another one has come'(side, look) {
    await clearing(side);
    await side.without(() => side.remove(nodes, 'n1'));
    await look('gone');
    await side.without(() => side.node('n2', { cpu: '2' }));
    await look('bound');
  },
  async 'the node that was being cleared is for others'(side, look) {
    await clearing(side);
    await side.without(() => side.change(nodes, 'n1', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }));
    await look('tainted');
    await side.change(nodes, 'n1', { spec: { taints: null } });
    await look('cleared again');
  },
  async 'somebody else has promised nodes, one of which is not there'(side, look) {
    await side.node('n1', { cpu: '2' });
    await side.node('n2', { cpu: '2' });
    await side.without(async () => {
      for (const [name, promised] of Object.entries({ a: 'n2', b: 'nowhere' })) {
        await side.pod(name, { cpu: '2' });
        await side.change(pods, name, { status: { nominatedNodeName: promised } });
      }
    });
    await look('bound');
  },
  async 'what was waited for has happened'(side, look) {
    await side.node('n1');
    await side.pod('x', { labels: { app: 'x' }, spec: { nodeName: 'n1' } });
    await side.pod('other', { labels: { app: 'x' }, spec: apart({ app: 'x' }) });
    await side.pod('gated', { spec: gates('wait') });
    await side.create(storageclasses, waitingClass('local'));
    await side.create(persistentvolumeclaims, claim('c'));
    await side.pod('stores', { spec: mounts('c') });
    await look('waiting');
    await side.without(async () => {
      await side.remove(pods, 'x');
      await side.change(pods, 'gated', { spec: { schedulingGates: [] } });
      await side.create(persistentvolumes, volume('v'));
    });
    await look('bound');
  },
};
