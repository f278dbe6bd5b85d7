import type { KubeObject } from '@signalbox/cluster';
import type { LabelNames } from '../../../relabel/problem.ts';
import type { RelabelRule } from '../../../relabel/rule.ts';
import { shardsAsked } from '../../../resources/min-shards.ts';
import type { CommonPrometheusSpec, ObjectReference } from '../../../resources/prometheus-fields.ts';
import { type Expansion, sampleNumbers } from '../../../scrape/expansion.ts';
import type { Since } from '../../../scrape/fields/since.ts';
import type { Section } from '../../../scrape/http.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import type { Placement } from '../../../sharding/placement.ts';
import { isAtLeast, labelNamesOf, type Version } from './version.ts';

/** What a root decides about all of its scrape jobs. Plain data: equal settings give equal jobs. */
export interface PrometheusSettings {
  readonly version: Version;
  readonly labelNames: LabelNames;
  readonly sharding: Sharding;
  readonly overrideHonorLabels: boolean;
  readonly overrideHonorTimestamps: boolean;
  readonly ignoreNamespaceSelectors: boolean;
  readonly denyFileAccess: boolean;
  readonly enforcedNamespaceLabel: string;
  readonly excludedFromEnforcement: readonly ObjectReference[];
  readonly enforced: EnforcedLimits;
  /** What holds where a monitor names no interval. */
  readonly defaultInterval: string;
  readonly defaultTimeout: string | undefined;
  readonly podTargetLabels: readonly string[];
  readonly discoveryRole: 'endpoints' | 'endpointslice';
  readonly classes: readonly RenderedClass[];
  readonly apiServer: Section | undefined;
  readonly expansion: Expansion;
}

export interface Sharding {
  /** Those that scrape; at least 1. */
  readonly shards: number;
  readonly placement: Placement;
  readonly isServer: boolean;
  /** Removed shards go on running, and must not scrape. */
  readonly retains: boolean;
}

export interface EnforcedLimits {
  readonly sampleLimit?: number;
  readonly targetLimit?: number;
  readonly labelLimit?: number;
  readonly labelNameLengthLimit?: number;
  readonly labelValueLengthLimit?: number;
  readonly keepDroppedTargets?: number;
  readonly bodySizeLimit?: string;
}

/** A scrape class with its references resolved, in the namespace of the root that defines it. */
export interface RenderedClass {
  readonly name: string;
  readonly isDefault?: boolean;
  readonly tls?: Section;
  readonly authorization?: Section;
  readonly relabelings?: readonly RelabelRule[];
  readonly metricRelabelings?: readonly RelabelRule[];
  readonly attachNode?: boolean;
  readonly fallbackScrapeProtocol?: string;
}

/** Nothing given, 0 and less: 1, and never fewer than the root's annotation allows. */
export function shardsOf(root: Pick<KubeObject, 'metadata'> & { readonly spec: CommonPrometheusSpec }): number {
  return shardsAsked(root, root.spec.shards);
}

/** Pods per shard. Nothing given and less than 0: 1; 0 is allowed. */
export function replicasOf({ spec }: { readonly spec: CommonPrometheusSpec }): number {
  const { replicas = 1 } = spec;
  return replicas < 0 ? 1 : replicas;
}

/** Everything that is left to decide by the root's spec alone; the rest is resolved beforehand. */
export function prometheusSettings(
  spec: CommonPrometheusSpec,
  resolved: Pick<PrometheusSettings, 'apiServer' | 'classes' | 'enforced' | 'sharding' | 'version'>,
): PrometheusSettings {
  return {
    ...resolved,
    labelNames: labelNamesOf(resolved.version, spec.nameValidationScheme),
    expansion: podsOwn,
    overrideHonorLabels: spec.overrideHonorLabels ?? false,
    overrideHonorTimestamps: spec.overrideHonorTimestamps ?? false,
    ignoreNamespaceSelectors: spec.ignoreNamespaceSelectors ?? false,
    denyFileAccess: spec.arbitraryFSAccessThroughSMs?.deny ?? false,
    enforcedNamespaceLabel: spec.enforcedNamespaceLabel ?? '',
    excludedFromEnforcement: spec.excludedFromEnforcement ?? [],
    defaultInterval: spec.scrapeInterval || '30s',
    defaultTimeout: spec.scrapeTimeout || undefined,
    podTargetLabels: spec.podTargetLabels ?? [],
    discoveryRole: spec.serviceDiscoveryRole === 'EndpointSlice' ? 'endpointslice' : 'endpoints',
  };
}

/** By what monitors may ask for the shard or the pod. Prometheus itself expands nothing but the root's external labels. */
const podsOwn: Expansion = {
  reloader: { POD_NAME: ['prometheus-0'], SHARD: sampleNumbers, STATEFULSET_ORDINAL_NUMBER: sampleNumbers },
  agent: undefined,
};

/** Where in which object something is rendered. */
export interface Place {
  readonly version: Version;
  readonly leaf: Leaf;
  readonly at: string;
}

/** One job on its way: what it is rendered from, and where it reports. */
export interface Scrape extends Place {
  readonly settings: PrometheusSettings;
  readonly scrapeClass: RenderedClass | undefined;
}

/** What Prometheus reads from this version on. */
export function prometheus(minimum: string): Since<Place> {
  return { minimum: `Prometheus ${minimum}`, isRead: ({ version }) => isAtLeast(version, minimum) };
}
