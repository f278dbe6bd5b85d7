import type { New, PersistentVolumeClaim, StatefulSet } from '@signalbox/cluster';
import { inheritedAnnotations } from '../../../manifests/owner.ts';
import { given } from '../../../scrape/given.ts';
import { fieldsOf, type PrometheusRoot } from '../config/document.ts';
import { sheetOf } from '../config/fields/sheets.ts';
import { replicasOf } from '../config/settings.ts';
import { flavourOf, ownMetadata, selectorLabels, shardName, workloadLabels } from './flavour.ts';
import { podTemplate, type ShardParts } from './pod-template.ts';
import { storageOf } from './storage.ts';

/** The pods that scrape one shard's part of the targets. */
export function shardStatefulSet(root: PrometheusRoot, parts: ShardParts): New<StatefulSet> {
  const { shard, version, leaf, options } = parts;
  const { spec } = root;
  const { claims } = storageOf(root);
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      ...ownMetadata(root, shardName(root, shard), workloadLabels(root, shard, options)),
      ...given({ annotations: inheritedAnnotations(root) }),
    },
    spec: {
      serviceName: spec.serviceName || flavourOf(root).serviceName,
      replicas: replicasOf(root),
      ...sheetOf(spec, { fields: fieldsOf(root), sheet: 'workload' }, { version, leaf, at: 'spec' }),
      selector: { matchLabels: selectorLabels(root, shard, options) },
      template: podTemplate(root, parts),
      ...given({
        volumeClaimTemplates: claims as readonly PersistentVolumeClaim[],
        persistentVolumeClaimRetentionPolicy: spec.persistentVolumeClaimRetentionPolicy,
      }),
    },
  };
}
