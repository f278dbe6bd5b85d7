import type { KeyToPath, Volume, VolumeMount } from '@signalbox/cluster';
import { configMapReference, type KeyReference, secretReference } from '../../hierarchy/references.ts';
import type { GrafanaAgent } from '../../resources/grafana-agent.ts';
import type { Integration } from '../../resources/integration.ts';
import { logsShape } from '../logs/daemonset.ts';
import { metricsShape } from '../metrics/statefulset.ts';
import type { PodShape } from '../pod-template.ts';

/** The keys of the assets Secret, by reference. */
export type KeyOf = (reference: KeyReference) => string;

/** Which of the two workloads: one pod, or one on every node. */
export type Kind = 'deploy' | 'ds';

export function integrationsName({ metadata }: GrafanaAgent, kind: Kind): string {
  return `${metadata.name}-integrations-${kind}`;
}

/**
 * Integrations can do what metrics and logs pods can: their pods have both kinds' environment and volumes. Where two
 * claim the same name or path, metrics win, then logs, then the integrations in their order.
 */
export function integrationsShape(
  root: GrafanaAgent,
  { kind, members, keyOf }: { readonly kind: Kind; readonly members: readonly Integration[]; readonly keyOf: KeyOf },
): PodShape {
  const name = integrationsName(root, kind);
  const metrics = metricsShape(withoutStorage(root), 0);
  const logs = logsShape(root);
  const wal = `${name}-wal`;
  const projected = projectedAssets(root, members, keyOf);
  const own = members.map((member) => prefixed(member));
  const volumes = [
    { name: wal, emptyDir: {} },
    ...logs.volumes,
    ...own.flatMap((part) => part.volumes),
    ...projected.volumes,
  ];
  const volumeMounts = [
    { name: wal, mountPath: '/var/lib/grafana-agent/data' },
    ...logs.volumeMounts,
    ...own.flatMap((part) => part.volumeMounts),
    ...projected.volumeMounts,
  ];
  const kept = firstBy(
    firstBy(volumeMounts, (mount) => mount.mountPath),
    (mount) => `${mount.name}:${mount.mountPath}`,
  );
  const isMounted = new Set(kept.map((mount) => mount.name));
  return {
    workload: { type: 'integrations', shard: 0 },
    configSecret: `${name}-config`,
    env: firstBy([...metrics.env, ...logs.env], (variable) => variable.name),
    // The logs' own data folder gives way to the write-ahead log's, so its volume goes as well.
    volumes: firstBy(volumes, (volume) => volume.name).filter(
      ({ name: each }) => each !== 'data' || isMounted.has(each),
    ),
    volumeMounts: kept,
    isPrivileged: false,
  };
}

function withoutStorage({ spec: { storage: _storage, ...spec }, ...root }: GrafanaAgent): GrafanaAgent {
  return { ...root, spec };
}

function prefixed({ metadata, spec }: Integration): Pick<PodShape, 'volumeMounts' | 'volumes'> {
  const prefix = `${metadata.namespace}-${metadata.name}-`;
  return {
    volumes: (spec.volumes ?? []).map((volume) => ({ ...volume, name: `${prefix}${volume.name}` })),
    volumeMounts: (spec.volumeMounts ?? []).map((mount) => ({ ...mount, name: `${prefix}${mount.name}` })),
  };
}

/** Files for what integrations refer to: `/etc/grafana-agent/integrations/secrets/<namespace>/<name>/<key>`. */
function projectedAssets(
  root: GrafanaAgent,
  members: readonly Integration[],
  keyOf: KeyOf,
): { readonly volumes: readonly Volume[]; readonly volumeMounts: readonly VolumeMount[] } {
  const items = members.flatMap(({ metadata, spec }): readonly KeyToPath[] => {
    const namespace = metadata.namespace ?? '';
    return [
      ...(spec.secrets ?? []).map((selector) => item('secrets', secretReference(selector, namespace), keyOf)),
      ...(spec.configMaps ?? []).map((selector) => item('configMaps', configMapReference(selector, namespace), keyOf)),
    ].filter((each) => each !== undefined);
  });
  if (items.length === 0) return { volumes: [], volumeMounts: [] };
  const name = `${root.metadata.name}-integrations-secrets`;
  return {
    volumes: [
      {
        name,
        secret: {
          secretName: `${root.metadata.name}-secrets`,
          items: firstBy(items, ({ path }) => path),
          // A key that is missing must not keep the pod, and with it all other integrations, from starting.
          optional: true,
        },
      },
    ],
    volumeMounts: [{ name, mountPath: '/etc/grafana-agent/integrations', readOnly: true }],
  };
}

function item(folder: string, reference: KeyReference | undefined, keyOf: KeyOf): KeyToPath | undefined {
  if (reference === undefined) return undefined;
  const { namespace, name, key } = reference;
  return { key: keyOf(reference), path: `${folder}/${namespace}/${name}/${key}` };
}

function firstBy<T>(items: readonly T[], idOf: (item: T) => string): readonly T[] {
  const seen = new Set<string>();
  return items.filter((each) => {
    const id = idOf(each);
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}
