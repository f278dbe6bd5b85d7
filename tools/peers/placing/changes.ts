/** Stories about what wakes pods that wait, and what does not. */
import { nodes, pods } from '@signalbox/cluster';
import { apart, near, needs } from './objects.ts';
import type { Stories } from './story.ts';

const x = { app: 'x' };
const keyed = { key: 'k', effect: 'NoSchedule' };

export const aboutChanges: Stories = {
  async 'a node grows'(side, look) {
    await side.node('n1', { cpu: '1' });
    await side.pod('a', { cpu: '2' });
    await look('waits');
    await side.change(nodes, 'n1', { status: { allocatable: { cpu: '3' } } });
    await look('bound');
  },
  async 'a waiting pod is allowed to tolerate more'(side, look) {
    await side.node('n1', { taints: [keyed] });
    await side.pod('a');
    await look('waits');
    const { spec } = await side.cluster.client.get(pods, { namespace: 'default', name: 'a' });
    await side.change(pods, 'a', { spec: { tolerations: [...(spec.tolerations ?? []), { operator: 'Exists' }] } });
    await look('bound');
  },
  async 'a taint goes, another one comes'(side, look) {
    await side.node('n1', { taints: [keyed] });
    await side.pod('a');
    await look('waits');
    await side.change(nodes, 'n1', { spec: { taints: [{ ...keyed, key: 'l' }] } });
    await side.pause(1_500);
    await side.change(nodes, 'n1', { spec: { taints: null } });
    await side.pause(2_500);
    await look('bound');
  },
  async 'a pod that has ended holds nothing'(side, look) {
    await side.node('n1', { cpu: '1' });
    await side.pod('done', { cpu: '1', hostPort: 80, spec: { nodeName: 'n1' } });
    await side.pod('a', { cpu: '1', hostPort: 80 });
    await look('waits');
    await side.change(pods, 'done', { status: { phase: 'Succeeded' } });
    await side.pause(500);
    await look('bound');
  },
  async 'the pod that is asked for comes'(side, look) {
    await side.node('n1');
    await side.node('n2');
    await side.pod('a', { spec: near(x) });
    await look('waits');
    await side.pod('other', { labels: { app: 'y' }, spec: { nodeName: 'n1' } });
    await look('waits on');
    await side.pod('wanted', { labels: x, spec: { nodeName: 'n2' } });
    await look('bound');
  },
  async 'a pod there becomes what is asked for'(side, look) {
    await side.node('n1');
    await side.pod('other', { labels: { app: 'y' }, spec: { nodeName: 'n1' } });
    await side.pod('a', { spec: near(x) });
    await look('waits');
    await side.change(pods, 'other', { metadata: { labels: x } });
    await look('bound');
  },
  async 'the pod that is in the way becomes another one'(side, look) {
    await side.node('n1');
    await side.pod('other', { labels: x, spec: { nodeName: 'n1' } });
    await side.pod('a', { spec: apart(x) });
    await look('waits');
    await side.change(pods, 'other', { metadata: { labels: { app: 'y' } } });
    await look('bound');
  },
  async 'the first of its kind may begin'(side, look) {
    await side.node('n1', { labels: { rack: '1' } });
    await side.node('n2');
    const racked = near(x, { topologyKey: 'rack' });
    await side.pod('first', { labels: x, spec: racked });
    await side.rest();
    await side.pod('second', { labels: x, spec: racked });
    await side.pod('stranger', { labels: { app: 'y' }, spec: near({ app: 'z' }, { topologyKey: 'rack' }) });
    await look('decided');
  },
  async 'ports on one address and on all'(side, look) {
    await side.node('n1');
    const listening = (hostIP?: string) => ({
      containers: [
        {
          ...{ name: 'main', image: 'example/main:1' },
          ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP', ...(hostIP !== undefined && { hostIP }) }],
        },
      ],
    });
    await side.pod('one', { spec: { ...listening('10.0.0.1'), nodeName: 'n1' } });
    await side.pod('other', { spec: listening('10.0.0.2') });
    await side.pod('all', { spec: listening() });
    await look('one waits');
    await side.remove(pods, 'other');
    await side.pause(2_500);
    await side.remove(pods, 'one');
    await side.pause(4_500);
    await look('nobody waits');
  },
  async 'a pod that names its nodes'(side, look) {
    await side.node('n1', { cpu: '1' });
    await side.node('n2', { cpu: '4' });
    const named = needs({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] });
    await side.pod('large', { cpu: '2', spec: named });
    await side.pod('small', { cpu: '500m', spec: named });
    await look('decided');
  },
  async 'a waiting pod is told its node by hand'(side, look) {
    await side.node('n1', { cpu: '1' });
    await side.pod('a', { cpu: '2' });
    await side.rest();
    await side.cluster.client.post(pods, {
      ...{ namespace: 'default', name: 'a', subresource: 'binding', signal: new AbortController().signal },
      body: {
        ...{ apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a', namespace: 'default' } },
        target: { kind: 'Node', name: 'n1' },
      },
    });
    await look('bound by hand');
    await side.pod('b', { cpu: '500m' });
    await look('no room is left');
  },
  async 'a node is deleted and comes back'(side, look) {
    await side.node('n1', { cpu: '1' });
    await side.pod('there', { cpu: '1', spec: { nodeName: 'n1' } });
    await side.pod('a', { cpu: '1' });
    await look('waits');
    await side.remove(nodes, 'n1');
    await side.pause(500);
    await side.remove(pods, 'there');
    await side.pause(500);
    await side.node('n1', { cpu: '1' });
    await side.pause(2_500);
    await look('bound');
  },
  async 'an init container needs more than all others, and a sidecar adds up'(side, look) {
    await side.node('n1', { cpu: '2' });
    const container = (name: string, cpu: string, more: object = {}) => ({
      ...{ name, image: 'example/main:1', resources: { requests: { cpu } } },
      ...more,
    });
    await side.pod('init', { spec: { initContainers: [container('i', '3')], containers: [container('c', '100m')] } });
    await side.pod('side', {
      spec: {
        initContainers: [container('s', '1500m', { restartPolicy: 'Always' })],
        containers: [container('c', '1')],
      },
    });
    await look('both wait');
  },
};
