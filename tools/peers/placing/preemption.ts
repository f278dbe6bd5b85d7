/** Stories about pods for which others have to go. Those who go are gone when the story says so, as on nodes that take their time. */
import { nodes, pods } from '@signalbox/cluster';
import { poddisruptionbudgets } from '../../../packages/cluster/src/api/generated/kinds.ts';
import { apart, at, bound, createPriorities, high, middle, mounts } from './objects.ts';
import type { Side } from './sides.ts';
import type { Stories } from './story.ts';

/** `n1` with one pod that takes what `low` says. */
async function taken(side: Side, low: Parameters<Side['pod']>[1] = { cpu: '2' }): Promise<void> {
  await createPriorities(side);
  await side.node('n1', { cpu: '2', labels: { disk: 'ssd' } });
  await side.pod('low', { ...low, spec: { nodeName: 'n1', ...low.spec } });
}

export const aboutPreemption: Stories = {
  async 'one goes, and takes its time'(side, look) {
    await taken(side);
    await side.pod('vip', { cpu: '2', spec: high });
    await look('clearing');
    await side.remove(pods, 'low');
    await look('bound');
  },
  async 'nobody goes for who is too polite'(side, look) {
    await taken(side);
    await side.pod('polite', { cpu: '2', spec: { priorityClassName: 'polite' } });
    await look('waits');
    await side.remove(pods, 'low');
    await look('bound');
  },
  async 'a more important one takes what is being cleared'(side, look) {
    await taken(side);
    await side.pod('first', { cpu: '2', spec: middle });
    await look('cleared for the first');
    await side.pod('vip', { cpu: '2', spec: high });
    await look('cleared for the more important one');
  },
  async 'the node of lesser ones is closed, and is opened'(side, look) {
    await taken(side);
    await side.change(nodes, 'n1', { spec: { unschedulable: true } });
    await side.pod('vip', { cpu: '2', spec: high });
    await look('closed');
    await side.change(nodes, 'n1', { spec: { unschedulable: null } });
    await look('clearing');
  },
  async 'the node of lesser ones grows'(side, look) {
    await taken(side);
    await side.pod('vip', { cpu: '4', spec: high });
    await look('too small');
    await side.change(nodes, 'n1', { status: { allocatable: { cpu: '5' }, capacity: { cpu: '5' } } });
    await look('clearing');
  },
  async 'one goes that nobody may clear, and lesser ones are left'(side, look) {
    await taken(side, { cpu: '1' });
    await side.pod('polite', { cpu: '1', spec: { nodeName: 'n1', priorityClassName: 'polite' } });
    await side.pod('vip', { cpu: '2', spec: high });
    await look('not enough');
    await side.remove(pods, 'polite');
    await look('clearing');
  },
  async 'another node comes while one is being cleared'(side, look) {
    await taken(side);
    await side.pod('vip', { cpu: '2', spec: high });
    await look('clearing');
    await side.node('n2', { cpu: '2' });
    await side.pause(1_000);
    await look('there');
  },
  async 'the node that is being cleared is not right any more'(side, look) {
    await taken(side);
    await side.pod('vip', { cpu: '2', spec: { ...high, nodeSelector: { disk: 'ssd' } } });
    await look('clearing');
    await side.change(nodes, 'n1', { metadata: { labels: { disk: 'hdd' } } });
    await side.pause(2_000);
    await side.remove(pods, 'low');
    await side.pause(2_000);
    await look('waits');
  },
  async 'who stays away from its victim tries once'(side, look) {
    await taken(side, { labels: { app: 'x' } });
    await side.pod('vip', { spec: { ...high, ...apart({ app: 'x' }) } });
    await look('clearing');
    await side.pause(2_500);
    await look('clearing still');
    await side.remove(pods, 'low');
    await look('bound');
  },
  async 'the victim stays away from it'(side, look) {
    await taken(side, { spec: apart({ app: 'vip' }) });
    await side.pod('vip', { labels: { app: 'vip' }, spec: high });
    await look('clearing');
  },
  async 'a port is cleared'(side, look) {
    await taken(side, { hostPort: 80 });
    await side.pod('vip', { hostPort: 80, spec: high });
    await look('clearing');
    await side.remove(pods, 'low');
    await look('bound');
  },
  async 'a claim that only one pod may have is cleared'(side, look) {
    await createPriorities(side);
    await side.node('n1');
    const modes = { accessModes: ['ReadWriteOncePod'] };
    await bound(side, 'c', { ofClaim: modes, ofVolume: modes });
    await side.pause(500);
    await side.pod('low', { spec: mounts('c') });
    await side.rest();
    await side.pod('other', { spec: mounts('c') });
    await side.pod('vip', { spec: { ...mounts('c'), ...high } });
    await look('clearing');
    await side.remove(pods, 'low');
    await look('bound');
  },
  async 'two budgets forbid it, and it happens all the same'(side, look) {
    for (const name of ['one', 'other']) {
      await side.create(poddisruptionbudgets, {
        ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: at(name) },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
      });
      const counts = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
      await side.change(poddisruptionbudgets, name, { status: { ...counts, observedGeneration: 1 } });
    }
    await taken(side, { cpu: '2', labels: { app: 'x' } });
    await side.pod('vip', { cpu: '2', spec: high });
    await look('clearing');
  },
  async 'of two nodes the one with the least important pod, then the other one'(side, look) {
    await taken(side, { cpu: '2', spec: middle });
    await side.node('n2', { cpu: '2' });
    await side.pod('least', { cpu: '2', spec: { nodeName: 'n2' } });
    await side.pod('vip', { cpu: '2', spec: high });
    await look('the least');
    await side.pod('other', { cpu: '2', spec: high });
    await look('the other');
  },
};
