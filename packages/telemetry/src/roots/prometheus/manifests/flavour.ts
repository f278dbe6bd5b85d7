import type { KubeObject, Labels, New, ResourceType } from '@signalbox/cluster';
import { ownerReferences } from '../../../manifests/owner.ts';
import { prometheuses } from '../../../resources/prometheus.ts';
import { prometheusagents } from '../../../resources/prometheus-agent.ts';
import { isServer, type PrometheusRoot } from '../config/document.ts';
import { formatVersion, type Version } from '../config/version.ts';

/** What an operator is told once for all roots. */
export interface PrometheusOptions {
  /** Where the root names none. */
  readonly prometheusVersion: string;
  /** Roots that name an older one are refused: what they would be given was never tried with it. */
  readonly prometheusVersionMin: string;
  /** Without a tag. */
  readonly prometheusImage: string;
  readonly configReloaderImage: string;
  /** Only roots whose annotation `operator.prometheus.io/controller-id` says the same; empty: those without it. */
  readonly controllerId: string;
  /** Put on every object, and into the selectors; wins over all other labels. */
  readonly labels: Labels;
}

/** Those of the Prometheus Operator v0.93. */
export const defaultPrometheusOptions: PrometheusOptions = Object.freeze({
  prometheusVersion: 'v3.13.1',
  prometheusVersionMin: '2.45.0',
  prometheusImage: 'quay.io/prometheus/prometheus',
  configReloaderImage: 'quay.io/prometheus-operator/prometheus-config-reloader:v0.93.0',
  controllerId: '',
  labels: {},
});

export const managedBy = 'prometheus-operator';
export const shardLabel = 'operator.prometheus.io/shard';

export const controllerIdAnnotation = 'operator.prometheus.io/controller-id';

/** How the objects of a Prometheus and of a PrometheusAgent are told apart. */
export interface Flavour {
  readonly type: ResourceType;
  readonly mode: 'agent' | 'server';
  /** Stands before the root's name in the names of all of its objects. */
  readonly prefix: 'prom-agent' | 'prometheus';
  readonly appName: 'prometheus' | 'prometheus-agent';
  /** The headless Service that all roots of a namespace share. */
  readonly serviceName: 'prometheus-agent-operated' | 'prometheus-operated';
}

const server: Flavour = {
  type: prometheuses,
  mode: 'server',
  prefix: 'prometheus',
  appName: 'prometheus',
  serviceName: 'prometheus-operated',
};

const agent: Flavour = {
  type: prometheusagents,
  mode: 'agent',
  prefix: 'prom-agent',
  appName: 'prometheus-agent',
  serviceName: 'prometheus-agent-operated',
};

/** Why a root is not this operator's; undefined: it is. */
export function foreignBecause({ metadata }: KubeObject, { controllerId }: PrometheusOptions): string | undefined {
  const wanted = metadata.annotations?.[controllerIdAnnotation] ?? '';
  return wanted === controllerId
    ? undefined
    : `its annotation ${controllerIdAnnotation} asks for the operator "${wanted}", and this one is "${controllerId}"`;
}

export function flavourOf(root: PrometheusRoot): Flavour {
  return isServer(root) ? server : agent;
}

/** `prometheus-NAME`: the first shard, the configuration, and the beginning of all other names. */
export function baseName(root: PrometheusRoot): string {
  return `${flavourOf(root).prefix}-${root.metadata.name}`;
}

export function shardName(root: PrometheusRoot, shard: number): string {
  return shard === 0 ? baseName(root) : `${baseName(root)}-shard-${shard}`;
}

/** What all pods of a root have in common, whatever their shard. It can never change, so it must stay what it was. */
export function rootLabels(root: PrometheusRoot, options: PrometheusOptions): Labels {
  const { name } = root.metadata;
  return {
    'app.kubernetes.io/managed-by': managedBy,
    'app.kubernetes.io/name': flavourOf(root).appName,
    'app.kubernetes.io/instance': name,
    'operator.prometheus.io/name': name,
    ...(isServer(root) && { prometheus: name }),
    ...options.labels,
  };
}

export function selectorLabels(root: PrometheusRoot, shard: number, options: PrometheusOptions): Labels {
  return { ...rootLabels(root, options), [shardLabel]: String(shard), ...options.labels };
}

export function podLabels(
  root: PrometheusRoot,
  {
    shard,
    version,
    options,
  }: { readonly shard: number; readonly version: Version; readonly options: PrometheusOptions },
): Labels {
  return {
    'app.kubernetes.io/version': formatVersion(version),
    ...root.spec.podMetadata?.labels,
    ...selectorLabels(root, shard, options),
  };
}

export function workloadLabels(root: PrometheusRoot, shard: number, options: PrometheusOptions): Labels {
  return {
    ...root.metadata.labels,
    'operator.prometheus.io/mode': flavourOf(root).mode,
    ...selectorLabels(root, shard, options),
    'managed-by': managedBy,
    ...options.labels,
  };
}

/** The metadata of an object that belongs to one root alone. */
export function ownMetadata(
  root: PrometheusRoot,
  name: string,
  labels: Labels,
): New<KubeObject>['metadata'] & { readonly name: string } {
  const owners = ownerReferences(root, flavourOf(root).type);
  return {
    name,
    namespace: root.metadata.namespace ?? '',
    labels,
    ...(owners !== undefined && { ownerReferences: owners }),
  };
}
