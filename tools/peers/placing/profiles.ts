/** Stories about several profiles of one scheduler, each with what its plugins are told. */
import { nodes, persistentvolumeclaims, services, storageclasses } from '@signalbox/cluster';
import { at, claim, createPriorities, high, inZone, mounts, waitingClass, zoneKey } from './objects.ts';
import type { Stories } from './story.ts';

const gpu = 'example.com/gpu';
const pool = { matchExpressions: [{ key: 'pool', operator: 'In', values: ['x'] }] };

/** Without its head. */
export const configuration: object = {
  profiles: [
    { schedulerName: 'default-scheduler' },
    {
      schedulerName: 'packing',
      pluginConfig: [
        {
          name: 'NodeResourcesFit',
          args: { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] } },
        },
        {
          name: 'PodTopologySpread',
          args: {
            defaultingType: 'List',
            defaultConstraints: [{ maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: 'DoNotSchedule' }],
          },
        },
        { name: 'VolumeBinding', args: { bindTimeoutSeconds: 2 } },
      ],
    },
    {
      schedulerName: 'pooled',
      pluginConfig: [
        {
          name: 'NodeAffinity',
          args: {
            addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [pool] } },
          },
        },
      ],
    },
    {
      schedulerName: 'mild',
      plugins: { postFilter: { disabled: [{ name: '*' }] } },
      pluginConfig: [{ name: 'NodeResourcesFit', args: { ignoredResources: [gpu] } }],
    },
    {
      schedulerName: 'careless',
      plugins: { score: { disabled: [{ name: '*' }] }, preScore: { disabled: [{ name: '*' }] } },
    },
  ],
};

export const aboutProfiles: Stories = {
  async 'pods choose by name how nodes are compared'(side, look) {
    await side.node('n1', { cpu: '4', labels: { pool: 'x' } });
    await side.node('n2', { cpu: '4' });
    await side.pod('there', { cpu: '2', spec: { nodeName: 'n1' } });
    await side.pod('spreads', { cpu: '500m' });
    await look('the emptier one');
    await side.pod('packs', { cpu: '500m', spec: { schedulerName: 'packing' } });
    await look('the fuller one');
    for (const schedulerName of ['pooled', 'mild', 'careless'])
      await side.pod(schedulerName, { cpu: '5', spec: { schedulerName } });
    await look('told in their names');
  },
  async 'only some profiles let others go'(side, look) {
    await createPriorities(side);
    await side.node('n1', { cpu: '2', labels: { pool: 'x' } });
    await side.pod('low', { cpu: '2', spec: { nodeName: 'n1' } });
    await side.pod('mild', { cpu: '2', spec: { schedulerName: 'mild', ...high } });
    await look('waits');
    await side.pod('pooled', { cpu: '2', spec: { schedulerName: 'pooled', ...high } });
    await look('clearing');
  },
  async 'what all pods of a profile demand comes first'(side, look) {
    await side.node('n1', { labels: { pool: 'x' } });
    await side.node('n2', { labels: { pool: 'y', disk: 'ssd' } });
    await side.pod('a', { spec: { schedulerName: 'pooled', nodeSelector: { disk: 'ssd' } } });
    await look('waits');
    await side.change(nodes, 'n1', { metadata: { labels: { disk: 'ssd' } } });
    await side.pause(1_000);
    await look('bound');
  },
  async 'a resource that a profile does not look at'(side, look) {
    await side.node('n1');
    const resources = { requests: { [gpu]: '1' }, limits: { [gpu]: '1' } };
    const spec = { containers: [{ name: 'main', image: 'example/main:1', resources }] };
    await side.pod('looks-away', { spec: { ...spec, schedulerName: 'mild' } });
    await side.pod('looks', { spec });
    await look('one each');
  },
  async 'even numbers that the cluster demands of pods of a Service'(side, look) {
    await side.create(services, {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: at('x') },
      spec: { selector: { app: 'x' }, ports: [{ port: 80 }] },
    });
    await side.node('n1', inZone('a'));
    await side.node('n2', { ...inZone('b'), taints: [{ key: 'k', effect: 'NoSchedule' }] });
    for (const [name, app] of [
      ['first', 'x'],
      ['second', 'x'],
      ['other', 'y'],
    ] as const) {
      await side.pod(name, { labels: { app }, spec: { schedulerName: 'packing' } });
      await side.rest();
    }
    await look('the second waits');
  },
  async 'volumes are waited for as long as the profile says'(side, look) {
    await side.create(storageclasses, waitingClass('slow', 'nobody.example.com'));
    await side.node('n1');
    await side.create(persistentvolumeclaims, claim('c', { storageClassName: 'slow' }));
    await side.pause(500);
    await side.pod('a', { spec: { ...mounts('c'), schedulerName: 'packing' } });
    await side.pause(4_000);
    await look('given up');
  },
};
