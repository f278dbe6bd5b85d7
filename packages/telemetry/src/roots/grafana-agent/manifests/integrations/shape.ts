import type { KeyToPath, Volume } from '@signalbox/cluster';
import { dnsLabel, shortHash } from '../../../../manifests/names.ts';
import type { GrafanaAgent } from '../../../../resources/grafana-agent.ts';
import type { Integration } from '../../../../resources/integration.ts';
import { configMapReference, type KeyReference, secretReference } from '../../../../world/references.ts';
import { logsShape } from '../logs/daemonset.ts';
import { dataPath, metricsShape } from '../metrics/statefulset.ts';
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
 * claim the same name or path, the integrations win in their order, then metrics, then logs.
 */
export function integrationsShape(
  root: GrafanaAgent,
  { kind, members, keyOf }: { readonly kind: Kind; readonly members: readonly Integration[]; readonly keyOf: KeyOf },
): PodShape {
  const name = integrationsName(root, kind);
  const metrics = metricsShape(withoutStorage(root), 0);
  const logs = logsShape(root);
  const wal = `${name}-wal`;
  const parts: readonly Storage[] = [
    ...prefixed(members),
    projectedAssets(root, members, keyOf),
    { volumes: [{ name: wal, emptyDir: {} }], volumeMounts: [{ name: wal, mountPath: dataPath }] },
    logs,
  ];
  const volumeMounts = firstBy(
    parts.flatMap((part) => part.volumeMounts),
    (mount) => mount.mountPath,
  );
  return {
    workload: { type: 'integrations', shard: 0 },
    configSecret: `${name}-config`,
    env: firstBy([...metrics.env, ...logs.env], (variable) => variable.name),
    volumes: usedVolumes(parts, new Set(volumeMounts.map((mount) => mount.name))),
    volumeMounts,
    isPrivileged: false,
  };
}

type Storage = Pick<PodShape, 'volumeMounts' | 'volumes'>;

/** A volume whose every mount gave way to another's goes as well; one that nobody ever mounted stays. */
function usedVolumes(parts: readonly Storage[], mounted: ReadonlySet<string>): readonly Volume[] {
  const wanted = new Set(parts.flatMap((part) => part.volumeMounts.map((mount) => mount.name)));
  return firstBy(
    parts.flatMap((part) => part.volumes),
    (volume) => volume.name,
  ).filter(({ name }) => mounted.has(name) || !wanted.has(name));
}

function withoutStorage({ spec: { storage: _storage, ...spec }, ...root }: GrafanaAgent): GrafanaAgent {
  return { ...root, spec };
}

/**
 * Each integration's own volumes, their names told apart by its namespace and name. What makes no volume name, or one
 * that another integration has, gets a hash behind it.
 */
function prefixed(members: readonly Integration[]): readonly Storage[] {
  const taken = new Set<string>();
  return members.map(({ metadata, spec }) => {
    const names = new Map<string, string>();
    for (const { name } of spec.volumes ?? []) {
      const full = `${metadata.namespace}-${metadata.name}-${name}`;
      const own = uniqueVolumeName(full, `${metadata.namespace}/${metadata.name}/${name}`, taken);
      names.set(name, own);
      taken.add(own);
    }
    return {
      volumes: (spec.volumes ?? []).map((volume) => ({ ...volume, name: names.get(volume.name) ?? volume.name })),
      volumeMounts: (spec.volumeMounts ?? []).flatMap((mount) => {
        const name = names.get(mount.name);
        return name === undefined ? [] : [{ ...mount, name }];
      }),
    };
  });
}

function uniqueVolumeName(full: string, id: string, taken: ReadonlySet<string>): string {
  const label = dnsLabel(full);
  return label === full && !taken.has(label) ? label : `${label.slice(0, 54)}-${shortHash(id)}`;
}

/** What the pods have as files, and where: `/etc/grafana-agent/integrations/secrets/<namespace>/<name>/<key>`. */
interface AssetFile {
  readonly reference: KeyReference;
  readonly path: string;
}

export function assetFiles(members: readonly Integration[]): readonly AssetFile[] {
  const files = members.flatMap(({ metadata, spec }) => {
    const namespace = metadata.namespace ?? '';
    return [
      ...(spec.secrets ?? []).map((selector) => file('secrets', secretReference(selector, namespace))),
      ...(spec.configMaps ?? []).map((selector) => file('configMaps', configMapReference(selector, namespace))),
    ].filter((each) => each !== undefined);
  });
  return firstBy(files, ({ path }) => path);
}

function file(folder: string, reference: KeyReference | undefined): AssetFile | undefined {
  if (reference === undefined) return undefined;
  const { namespace, name, key } = reference;
  return { reference, path: `${folder}/${namespace}/${name}/${key}` };
}

function projectedAssets(root: GrafanaAgent, members: readonly Integration[], keyOf: KeyOf): Storage {
  const items = assetFiles(members).map(({ reference, path }): KeyToPath => ({ key: keyOf(reference), path }));
  if (items.length === 0) return { volumes: [], volumeMounts: [] };
  const name = `${root.metadata.name}-integrations-secrets`;
  return {
    volumes: [{ name, secret: { secretName: `${root.metadata.name}-secrets`, items } }],
    volumeMounts: [{ name, mountPath: '/etc/grafana-agent/integrations', readOnly: true }],
  };
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
