/** Two API servers of ours with simulated nodes: on one upstream's controllers look after volumes, on the other ours. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  createCluster,
  loadServingPki,
  type PlanePart,
  serveCluster,
  sleep,
  systemClock,
} from '@signalbox/cluster';
import { storageclasses } from '../../../packages/cluster/src/api/generated/kinds.ts';
import { certificateOf, startPart } from '../plane/control-plane.ts';
import type { Programs } from '../plane/programs.ts';

export interface Side {
  readonly client: Client;
  close(): Promise<void>;
}

const { signal } = new AbortController();

const ours: readonly PlanePart[] = [
  'persistentvolume-binder',
  'persistentvolume-attach-detach',
  'ephemeral-volume',
  'pod-garbage-collector',
];
const theirs: readonly string[] = [
  'persistentvolume-binder-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-expander-controller',
  'persistentvolumeclaim-protection-controller',
  'persistentvolume-protection-controller',
  'ephemeral-volume-controller',
  'pod-garbage-collector-controller',
  'serviceaccount-controller',
];

export function here(): Promise<Side> {
  return start(['nodes', ...ours], undefined);
}

export function there(programs: Programs): Promise<Side> {
  return start(['nodes'], programs);
}

async function start(parts: readonly PlanePart[], programs: Programs | undefined): Promise<Side> {
  const name = 'kube-controller-manager';
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-volumes-'));
  const pki = await loadServingPki({ folder, further: [certificateOf(name)] });
  const cluster = await createCluster({
    ...{ nodes: 2, parts, certificateAuthority: pki },
    withoutAdmission: ['ServiceAccount'],
  });
  const serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(folder, 'kubeconfig') });
  // Only where our binder runs there is one.
  await cluster.client.delete(storageclasses, { name: 'standard', signal }).catch(() => undefined);
  // Roles that hold at once are seen a moment later.
  await sleep(systemClock, 1_000, { signal });
  const at = { folder, server: serving.url, pki: pki.current(), controllers: theirs };
  const running = programs && (await startPart(name, { programs, ...at }));
  return {
    client: cluster.client,
    async close() {
      await running?.end();
      await serving.close();
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
