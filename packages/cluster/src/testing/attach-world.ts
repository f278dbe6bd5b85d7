/** Volumes of drivers in a plan world: what tests of attaching begin with. */
import type { Node, PersistentVolume, Pod } from '../api/generated/core-v1.ts';
import {
  csidrivers,
  nodes,
  persistentvolumeclaims,
  persistentvolumes,
  pods,
  volumeattachments,
} from '../api/generated/kinds.ts';
import type { CSIDriver, VolumeAttachment } from '../api/generated/storage-v1.ts';
import { attachmentName, managedAnnotation } from '../resources/storage/attaching.ts';
import { meta, node, podSpec, type World } from './plan-world.ts';

export const testDriver = 'disk.example.com';

function clusterMeta(name: string, more: object = {}): PersistentVolume['metadata'] {
  const { namespace: _namespace, ...metadata } = meta(name, more);
  return metadata;
}

export function putDriver(world: World, more: Partial<CSIDriver['spec']> = {}, annotations = {}): CSIDriver {
  return world.put(csidrivers, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: clusterMeta(testDriver, { annotations }),
    spec: { attachRequired: true, ...more },
  });
}

/** A machine whose kubelet leaves attaching to a controller. */
export function putMachine(world: World, name: string, more: Partial<Node['status']> = {}): Node {
  const machine = node(name);
  const ready = { type: 'Ready', status: 'True' };
  return world.put(nodes, {
    ...machine,
    metadata: { ...machine.metadata, annotations: { [managedAnnotation]: 'true' } },
    status: { conditions: [ready], ...more },
  });
}

/** A volume `v-NAME` with the handle `h-NAME`, and the claim NAME that it is bound to. */
export function putVolume(world: World, name: string, accessModes: readonly string[] = ['ReadWriteOnce']): void {
  const { namespace, uid } = meta(name);
  world.put(persistentvolumes, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: clusterMeta(`v-${name}`),
    spec: {
      accessModes,
      capacity: { storage: '1Gi' },
      claimRef: { namespace: namespace ?? '', name, uid },
      csi: { driver: testDriver, volumeHandle: `h-${name}` },
    },
    status: { phase: 'Bound' },
  });
  world.put(persistentvolumeclaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: meta(name),
    spec: { accessModes, volumeName: `v-${name}` },
    status: { phase: 'Bound' },
  });
}

/** A pod that mounts the claim, on its node. */
export function userOf(claim: string, name: string, nodeName: string): Pod {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: claim } }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta(name),
    spec: { ...podSpec, nodeName, volumes },
    status: { phase: 'Pending' },
  };
}

export const statusNameOf = (claim: string): string => `kubernetes.io/csi/${testDriver}^h-${claim}`;

export function nameAt(claim: string, nodeName: string): string {
  return attachmentName({ driver: testDriver, handle: `h-${claim}` }, nodeName);
}

export function attachmentOf(world: World, claim: string, nodeName: string): VolumeAttachment | undefined {
  return world.of(volumeattachments).get(nameAt(claim, nodeName));
}

/** What whoever attaches for the driver says. */
export function say(world: World, attachment: VolumeAttachment | undefined, status: VolumeAttachment['status']): void {
  if (attachment === undefined) throw new Error('there is no such attachment');
  world.put(volumeattachments, { ...attachment, ...(status !== undefined && { status }) });
}

export function changeNode(world: World, name: string, change: (machine: Node) => Node): void {
  const machine = world.of(nodes).get(name);
  if (machine === undefined) throw new Error(`there is no node ${name}`);
  world.put(nodes, change(machine));
}

export function removePod(world: World, name: string): void {
  const pod = world.of(pods).get(`default/${name}`);
  if (pod !== undefined) world.remove(pods, pod);
}
