import type { New, PersistentVolumeClaim, StatefulSet, Volume, VolumeMount } from '@signalbox/cluster';
import { inheritedAnnotations, ownerReferences } from '../../../../manifests/owner.ts';
import { type GrafanaAgent, grafanaagents } from '../../../../resources/grafana-agent.ts';
import { given } from '../../../../scrape/given.ts';
import { shardingChoice } from '../../../../sharding/choice.ts';
import { replicasOf, shardsOf } from '../../config/settings.ts';
import { type AgentOptions, selectorLabels, workloadLabels } from '../labels.ts';
import { type PodShape, podTemplate } from '../pod-template.ts';
import { serviceName } from './service.ts';

/** Where the agents keep their write-ahead log. */
export const dataPath = '/var/lib/grafana-agent/data';

/** The agents that scrape one shard's part of the targets. */
export function shardStatefulSet(root: GrafanaAgent, shard: number, options: AgentOptions): New<StatefulSet> {
  const name = shardName(root, shard);
  const shape = metricsShape(root, shard);
  const owners = ownerReferences(root, grafanaagents);
  const claim = volumeClaim(root, name);
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name,
      namespace: root.metadata.namespace ?? '',
      labels: workloadLabels(root, shape.workload, options),
      ...given({ annotations: inheritedAnnotations(root) }),
      ...(owners !== undefined && { ownerReferences: owners }),
    },
    spec: {
      serviceName: serviceName(root),
      replicas: replicasOf(root),
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate' },
      selector: { matchLabels: selectorLabels(root, shape.workload, options) },
      template: podTemplate(root, shape, options),
      ...(claim !== undefined && { volumeClaimTemplates: [claim as PersistentVolumeClaim] }),
    },
  };
}

export function shardName({ metadata }: GrafanaAgent, shard: number): string {
  return shard === 0 ? metadata.name : `${metadata.name}-shard-${shard}`;
}

export function metricsConfigName({ metadata }: GrafanaAgent): string {
  return `${metadata.name}-config`;
}

/** What makes a pod one of a shard; the integrations' pods are built upon shard 0's. */
export function metricsShape(root: GrafanaAgent, shard: number): PodShape {
  const data = walStorage(root, shardName(root, shard));
  return {
    workload: { type: 'metrics', shard },
    configSecret: metricsConfigName(root),
    env: [
      { name: 'SHARD', value: String(shard) },
      // Where targets are handed over the number changes and nothing may restart for it.
      { name: 'SHARDS', value: shardingChoice(root).choice.handsOver ? '0' : String(shardsOf(root)) },
    ],
    volumes: data.volumes,
    volumeMounts: [data.mount],
    isPrivileged: false,
  };
}

/** The write-ahead log's place: a claim per pod when the root has a template for one, otherwise inside the pod. */
function walStorage(
  root: GrafanaAgent,
  workloadName: string,
): { readonly volumes: readonly Volume[]; readonly mount: VolumeMount } {
  const { storage } = root.spec;
  const name = storage?.volumeClaimTemplate?.metadata?.name || `${workloadName}-wal`;
  const mount = { name, mountPath: dataPath };
  if (storage?.emptyDir !== undefined) return { volumes: [{ name, emptyDir: storage.emptyDir }], mount };
  if (storage?.ephemeral !== undefined) return { volumes: [{ name, ephemeral: storage.ephemeral }], mount };
  if (storage?.volumeClaimTemplate !== undefined) return { volumes: [], mount };
  return { volumes: [{ name, emptyDir: {} }], mount };
}

function volumeClaim({ spec }: GrafanaAgent, workloadName: string): New<PersistentVolumeClaim> | undefined {
  const { storage } = spec;
  const template = storage?.volumeClaimTemplate;
  if (template === undefined || storage?.emptyDir !== undefined || storage?.ephemeral !== undefined) return undefined;
  const modes = template.spec?.accessModes ?? [];
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: template.metadata?.name || `${workloadName}-wal`,
      ...given({ labels: template.metadata?.labels, annotations: template.metadata?.annotations }),
    },
    spec: { ...template.spec, accessModes: modes.length > 0 ? modes : ['ReadWriteOnce'] },
  };
}
