/** Stories about nodes that do, and nodes that do not. */
import { nodes, pods, services } from '@signalbox/cluster';
import { apart, at, evenly, gates, inZone, near, needs, on, zoneKey } from './objects.ts';
import type { Stories } from './story.ts';

const x = { app: 'x' };

export const aboutNodes: Stories = {
  async 'one pod fits, one is too large'(side, look) {
    await side.node('n1', { cpu: '2' });
    await side.pod('a', { cpu: '1' });
    await side.pod('b', { cpu: '3' });
    await look('both decided');
  },
  async 'no nodes, then one'(side, look) {
    await side.pod('a');
    await look('none');
    await side.node('n1');
    await side.pause(2_000);
    await look('one');
  },
  async 'pods of another scheduler, and gated ones, are left alone'(side, look) {
    await side.node('n1');
    await side.pod('other', { spec: { schedulerName: 'somebody-else' } });
    await side.pod('gated', { spec: gates('x') });
    await look('left');
    await side.remove(pods, 'gated');
    await look('gone');
  },
  async 'a gated pod is told its nodes before its gates open'(side, look) {
    await side.node('n1', { labels: { disk: 'ssd' } });
    await side.node('n2', { labels: { disk: 'hdd' } });
    await side.pod('a', { spec: gates('x', 'y') });
    await look('gated');
    await side.change(pods, 'a', { spec: { nodeSelector: { disk: 'hdd' } } });
    await side.change(pods, 'a', { spec: { schedulingGates: [{ name: 'y' }] } });
    await look('one gate');
    await side.change(pods, 'a', { spec: { schedulingGates: null } });
    await look('open');
  },
  async 'a selector waits for a label, and for no other change'(side, look) {
    await side.node('n1');
    await side.pod('a', { spec: { nodeSelector: { disk: 'ssd' } } });
    await look('waits');
    await side.change(nodes, 'n1', { metadata: { labels: { disk: 'hdd' } } });
    await side.node('n2');
    await side.change(nodes, 'n2', { spec: { unschedulable: true } });
    await look('waits on');
    await side.change(nodes, 'n1', { metadata: { labels: { disk: 'ssd' } } });
    await look('bound');
  },
  async 'cordoned, and not any more'(side, look) {
    await side.node('n1', { unschedulable: true });
    await side.pod('a');
    await look('waits');
    await side.change(nodes, 'n1', { spec: { unschedulable: null } });
    await look('bound');
  },
  async 'operators of node affinity, and a node that is not there'(side, look) {
    await side.node('n1', { labels: { size: '3' } });
    await side.node('n2', { labels: { size: '9' } });
    const size = (operator: string, values?: readonly string[]) =>
      needs({ matchExpressions: [{ key: 'size', operator, ...(values && { values }) }] });
    await side.pod('more', { spec: size('Gt', ['5']) });
    await side.pod('less', { spec: size('Lt', ['5']) });
    await side.pod('other', { spec: size('NotIn', ['3']) });
    await side.pod('none', { spec: size('DoesNotExist') });
    await side.pod('named', {
      spec: needs({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n7'] }] }),
    });
    await look('decided');
  },
  async 'a waiting pod is told of, or deleted'(side, look) {
    await side.node('n1', { cpu: '1' });
    await side.pod('a', { cpu: '2' });
    await side.rest();
    await side.change(pods, 'a', { metadata: { labels: { said: 'more' } } });
    await look('labelled');
    await side.remove(pods, 'a');
    await look('gone');
  },
};

export const aboutOthers: Stories = {
  async 'fewer domains than wanted, until there is one more'(side, look) {
    await side.node('n1', inZone('a'));
    await side.node('n2', inZone('b'));
    for (const name of ['n1', 'n2']) await side.pod(`on-${name}`, { labels: x, spec: { nodeName: name } });
    await side.pod('a', { labels: x, spec: evenly({ minDomains: 3 }) });
    await look('waits');
    await side.node('n3', inZone('c'));
    await look('third zone');
  },
  async 'taints and selectors count as the policies say'(side, look) {
    await side.node('n1', inZone('a'));
    await side.node('n2', { ...inZone('b'), taints: [{ key: 'k', effect: 'NoSchedule' }] });
    await side.node('n3', { labels: { [zoneKey]: 'c', pool: 'x' } });
    for (const name of ['n1', 'n3']) await side.pod(`on-${name}`, { labels: x, spec: { nodeName: name } });
    const pooled = { nodeSelector: { pool: 'x' } };
    await side.pod('ignores-taints', { labels: x, spec: { ...evenly(), ...on('n1') } });
    await side.pod('ignores', { labels: x, spec: { ...evenly({ nodeAffinityPolicy: 'Ignore' }), ...pooled } });
    await look('rejected');
    await side.pod('honors', { labels: x, spec: { ...evenly({ nodeAffinityPolicy: 'Honor' }), ...pooled } });
    await look('bound');
    const both = { nodeTaintsPolicy: 'Honor', nodeAffinityPolicy: 'Ignore' };
    await side.pod('honors-taints', { labels: x, spec: { ...evenly(both), ...on('n1') } });
    await look('last');
  },
  async 'only pods of the same revision count'(side, look) {
    await side.node('n1', inZone('a'));
    await side.node('n2', inZone('b'));
    for (const name of ['o1', 'o2']) await side.pod(name, { labels: { ...x, rev: '1' }, spec: { nodeName: 'n1' } });
    const spec = { ...evenly({ matchLabelKeys: ['rev'], nodeAffinityPolicy: 'Ignore' }), ...on('n1') };
    await side.pod('new', { labels: { ...x, rev: '2' }, spec });
    await side.pod('old', { labels: { ...x, rev: '1' }, spec });
    await look('decided');
  },
  async 'affinity to the same revision, or to another one'(side, look) {
    await side.node('n1');
    await side.node('n2');
    await side.pod('o', { labels: { ...x, rev: '1' }, spec: { nodeName: 'n1' } });
    const pod = async (name: string, rev: string, spec: object): Promise<void> => {
      await side.pod(name, { labels: { ...x, rev }, spec });
      await side.rest();
    };
    await pod('apart-same', '2', { ...apart(x, { matchLabelKeys: ['rev'] }), ...on('n1') });
    await pod('apart-others', '2', { ...apart(x, { mismatchLabelKeys: ['rev'] }), ...on('n1') });
    await pod('near-same', '3', near(x, { matchLabelKeys: ['rev'] }));
    await look('decided');
  },
  async 'affinity to pods of chosen namespaces'(side, look) {
    await side.node('n1');
    await side.node('n2');
    await side.pod('o', { labels: x, spec: { nodeName: 'n1' } });
    await side.pod('own', { spec: { ...apart(x), ...on('n1') } });
    await side.pod('nobody', { spec: near(x, { namespaceSelector: { matchLabels: { team: 'none' } } }) });
    await side.pod('everybody', { spec: near(x, { namespaceSelector: {} }) });
    await look('decided');
  },
  async 'a Service spreads its pods where they do not say how'(side, look) {
    await side.create(services, {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: at('x') },
      spec: { selector: x, ports: [{ port: 80 }] },
    });
    await side.node('n1', inZone('a'));
    await side.node('n2', inZone('b'));
    for (let nth = 0; nth < 4; nth++) await side.pod(`on${nth}`, { labels: x, spec: { nodeName: 'n1' } });
    await side.pod('a', { labels: x });
    await look('on the other one');
  },
  async 'a wish for even numbers outweighs room'(side, look) {
    await side.node('n1', { ...inZone('a'), cpu: '8' });
    await side.node('n2', { ...inZone('b'), cpu: '4' });
    for (let nth = 0; nth < 3; nth++) await side.pod(`on${nth}`, { labels: x, spec: { nodeName: 'n1' } });
    const wish = evenly({ whenUnsatisfiable: 'ScheduleAnyway' });
    await side.pod('wishing', { labels: x, cpu: '1', spec: wish });
    await side.pod('careless', { labels: { app: 'y' }, cpu: '1' });
    await look('one each');
  },
};
