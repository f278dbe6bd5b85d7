/** Stories about pods that need volumes; ours are bound and made by our controller on both sides. */
import { persistentvolumeclaims, persistentvolumes, pods, storageclasses } from '@signalbox/cluster';
import { csidrivers, csinodes } from '../../../packages/cluster/src/api/generated/kinds.ts';
import { bound, claim, mounts, volume, waitingClass } from './objects.ts';
import type { Side } from './sides.ts';
import type { Stories } from './story.ts';

const driver = 'csi.example.com';

const azureDisk = (name: string): string =>
  `/subscriptions/s/resourcegroups/g/providers/microsoft.compute/disks/${name}`;

/** A node to which so many volumes of the driver can be attached. */
async function limited(side: Side, count: number): Promise<void> {
  await side.create(storageclasses, waitingClass('csi', driver));
  await side.create(csidrivers, {
    ...{ apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: driver }, spec: {} },
  });
  await side.node('n1');
  await side.create(csinodes, {
    ...{ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: 'n1' } },
    spec: { drivers: [{ name: driver, nodeID: 'n1', topologyKeys: [], allocatable: { count } }] },
  });
}

export const aboutVolumes: Stories = {
  async 'a volume comes later'(side, look) {
    await side.create(storageclasses, waitingClass('local'));
    await side.node('n1');
    await side.create(persistentvolumeclaims, claim('c'));
    await side.pause(500);
    await side.pod('a', { spec: mounts('c') });
    await look('waits');
    await side.create(persistentvolumes, volume('v'));
    await side.pause(1_500);
    // Upstream may wake the pod before it knows the volume itself, and let it wait then: it hears of it again.
    await side.change(persistentvolumes, 'v', { metadata: { labels: { heard: 'again' } } });
    await side.pause(4_000);
    await look('bound');
  },
  async 'the class comes later'(side, look) {
    await side.create(persistentvolumeclaims, claim('c'));
    await side.node('n1');
    await side.pod('a', { spec: mounts('c') });
    await look('waits');
    await side.create(storageclasses, waitingClass('local'));
    await look('waits for a volume');
  },
  async 'a node is full of volumes, and a shared one counts once'(side, look) {
    await limited(side, 2);
    for (const name of ['c1', 'c2', 'c3'])
      await bound(side, name, {
        ofClaim: { storageClassName: 'csi' },
        ofVolume: { storageClassName: 'csi', csi: { driver, volumeHandle: name } },
      });
    await side.pause(500);
    for (const [name, mounted] of [
      ['a', 'c1'],
      ['b', 'c2'],
      ['shares', 'c1'],
      ['c', 'c3'],
    ] as const) {
      await side.pod(name, { spec: mounts(mounted) });
      await side.rest();
    }
    await look('one waits');
    await side.remove(pods, 'b');
    await look('bound');
  },
  async 'claims that wait for their pod count as well'(side, look) {
    await limited(side, 1);
    for (const name of ['c1', 'c2'])
      await side.create(persistentvolumeclaims, claim(name, { storageClassName: 'csi' }));
    await side.pause(500);
    await side.pod('both', { spec: mounts('c1', 'c2') });
    await look('waits');
  },
  async 'disks that went over to a driver count with those of the driver'(side, look) {
    const drivers = ['ebs.csi.aws.com', 'pd.csi.storage.gke.io', 'disk.csi.azure.com', 'cinder.csi.openstack.org'];
    await side.node('n1');
    await side.create(csinodes, {
      ...{ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: 'n1' } },
      spec: { drivers: drivers.map((name) => ({ name, nodeID: 'n1', topologyKeys: [], allocatable: { count: 1 } })) },
    });
    await bound(side, 'old', { ofVolume: { awsElasticBlockStore: { volumeID: 'aws://eu-1a/vol-1' } } });
    await side.pause(500);
    for (const [name, volumes] of [
      ['aws', [{ name: 'disk', awsElasticBlockStore: { volumeID: 'vol-1' } }]],
      ['aws-again', mounts('old').volumes],
      ['aws-other', [{ name: 'disk', awsElasticBlockStore: { volumeID: 'vol-2' } }]],
      ['google', [{ name: 'disk', gcePersistentDisk: { pdName: 'one' } }]],
      ['google-other', [{ name: 'disk', gcePersistentDisk: { pdName: 'two' } }]],
      ['azure', [{ name: 'disk', azureDisk: { diskName: 'one', diskURI: azureDisk('one'), kind: 'Managed' } }]],
      ['azure-other', [{ name: 'disk', azureDisk: { diskName: 'two', diskURI: azureDisk('two'), kind: 'Managed' } }]],
      ['cinder', [{ name: 'disk', cinder: { volumeID: 'one' } }]],
      ['cinder-other', [{ name: 'disk', cinder: { volumeID: 'two' } }]],
    ] as const) {
      await side.pod(name, { spec: { volumes: volumes ?? [] } });
      await side.rest();
    }
    await look('the other ones wait');
  },
};
