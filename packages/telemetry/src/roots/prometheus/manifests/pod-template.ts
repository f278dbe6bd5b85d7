import type { Container, PodSpec, PodTemplateSpec, Volume, VolumeMount } from '@signalbox/cluster';
import { mergedContainers } from '../../../manifests/merged-containers.ts';
import { uniqueDnsLabel } from '../../../manifests/names.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import { fieldsOf, isServer, type PrometheusRoot } from '../config/document.ts';
import { sheetOf } from '../config/fields/sheets.ts';
import { logFolder, needsLogFolder } from '../config/log-files.ts';
import type { Version } from '../config/version.ts';
import { reloadsBySignal } from './arguments.ts';
import { prometheusContainer, reloaderContainers } from './containers.ts';
import { baseName, type PrometheusOptions, podLabels, rootLabels, selectorLabels } from './flavour.ts';
import { imageOf } from './image.ts';
import { tlsAssetsName } from './secrets.ts';
import { storageOf } from './storage.ts';
import type { WebTls } from './web-config.ts';

/** What a shard's pods are made from, besides the root. */
export interface ShardParts {
  readonly shard: number;
  readonly version: Version;
  readonly leaf: Leaf;
  /** The command line of Prometheus. */
  readonly args: readonly string[];
  readonly web: WebTls;
  readonly tlsAssets: number;
  readonly options: PrometheusOptions;
}

export function podTemplate(root: PrometheusRoot, parts: ShardParts): PodTemplateSpec {
  const { spec } = root;
  const { shard, version, web, options } = parts;
  const storage = storageOf(root);
  const rules = ruleVolumes(root);
  const [failures, queries] = [failureLog(root), queryLog(root)];
  const extra = [...extraVolumes(root), ...failures];
  const reloaders = reloaderContainers(root, { shard, web, rules: rules.map(({ mount }) => mount), options });
  const server = prometheusContainer(root, {
    image: imageOf(root, version, options),
    args: parts.args,
    env: environment(root, parts),
    mounts: [
      storage.mount,
      ...(spec.volumeMounts ?? []),
      ...extra.map(({ mount }) => mount),
      ...rules.map(({ mount }) => ({ ...mount, readOnly: true })),
      ...queries.map(({ mount }) => mount),
    ],
    web,
  });
  const merged = mergedContainers(
    { containers: [server, reloaders.sidecar], initContainers: [reloaders.init] },
    { containers: spec.containers, initContainers: spec.initContainers },
  );
  const volumes: readonly Volume[] = [
    { name: 'config', secret: { secretName: baseName(root) } },
    { name: 'tls-assets', projected: { sources: tlsSources(root, parts.tlsAssets) } },
    { name: 'config-out', emptyDir: { medium: 'Memory' } },
    ...extra.map(({ volume }) => volume),
    ...[...queries, ...rules].map(({ volume }) => volume),
    { name: 'web-config', secret: { secretName: `${baseName(root)}-web-config` } },
    ...web.volumes,
    ...storage.volumes,
    ...(spec.volumes ?? []),
  ];
  return {
    metadata: {
      labels: podLabels(root, parts),
      annotations: {
        'kubectl.kubernetes.io/default-container': 'prometheus',
        ...spec.podMetadata?.annotations,
      },
    },
    // Spelled out, since a template without it is another one.
    spec: { shareProcessNamespace: reloadsBySignal(root), ...merged, volumes, ...podFields(root, parts) },
  };
}

function podFields(root: PrometheusRoot, { shard, version, leaf, options }: ShardParts): Omit<PodSpec, 'containers'> {
  const labels = { OnShard: selectorLabels(root, shard, options), OnResource: rootLabels(root, options) };
  return sheetOf(root.spec, { fields: fieldsOf(root), sheet: 'pod' }, { version, leaf, labels, at: 'spec' });
}

function tlsSources(root: PrometheusRoot, count: number): readonly { readonly secret: { readonly name: string } }[] {
  return Array.from({ length: count }, (_, index) => ({ secret: { name: tlsAssetsName(root, index) } }));
}

function environment(root: PrometheusRoot, { version, leaf }: ShardParts): NonNullable<Container['env']> {
  const variables = sheetOf(root.spec, { fields: fieldsOf(root), sheet: 'environment' }, { version, leaf, at: 'spec' });
  return Object.entries(variables).map(([name, value]) => ({ name, value: String(value) }));
}

interface Mounted {
  readonly volume: Volume;
  readonly mount: VolumeMount;
}

/**
 * Where upstream keeps a server's rules. This operator makes no rules yet, so nothing is in them; they are mounted, since
 * without them the pods of an installation that is taken over would all restart.
 */
function ruleVolumes(root: PrometheusRoot): readonly Mounted[] {
  if (!isServer(root)) return [];
  return [0, 1, 2].map((index) => {
    const name = `${baseName(root)}-rulefiles-${index}`;
    return {
      volume: { name, configMap: { name, optional: true } },
      mount: { name, mountPath: `/etc/prometheus/rules/${name}` },
    };
  });
}

const logVolume: Mounted = {
  volume: { name: 'log-file', emptyDir: {} },
  mount: { name: 'log-file', mountPath: logFolder },
};

function failureLog({ spec }: PrometheusRoot): readonly Mounted[] {
  return needsLogFolder(spec.scrapeFailureLogFile) ? [logVolume] : [];
}

/** Both logs share one volume. */
function queryLog(root: PrometheusRoot): readonly Mounted[] {
  return isServer(root) && needsLogFolder(root.spec.queryLogFile) && failureLog(root).length === 0 ? [logVolume] : [];
}

/** Secrets and ConfigMaps that the root wants mounted by name. */
function extraVolumes({ spec: { secrets = [], configMaps = [] } }: PrometheusRoot): readonly Mounted[] {
  const taken = new Set<string>();
  const named = (text: string): string => {
    const name = uniqueDnsLabel(text, taken);
    taken.add(name);
    return name;
  };
  return [
    ...secrets.map((secretName) => {
      const name = named(`secret-${secretName}`);
      const mount = { name, mountPath: `/etc/prometheus/secrets/${secretName}`, readOnly: true };
      return { volume: { name, secret: { secretName } }, mount };
    }),
    ...configMaps.map((configMap) => {
      const name = named(`configmap-${configMap}`);
      const mount = { name, mountPath: `/etc/prometheus/configmaps/${configMap}`, readOnly: true };
      return { volume: { name, configMap: { name: configMap } }, mount };
    }),
  ];
}
