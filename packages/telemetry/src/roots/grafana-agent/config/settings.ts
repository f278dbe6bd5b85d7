import type { GrafanaAgent } from '../../../resources/grafana-agent.ts';
import { shardsAsked } from '../../../resources/min-shards.ts';
import type { Expansion } from '../../../scrape/expansion.ts';
import { sectionOf } from '../../../scrape/fields/table.ts';
import { checkOneLogin, type Section } from '../../../scrape/http.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import type { Placement } from '../../../sharding/placement.ts';
import { apiServerFields } from './fields/roots.ts';
import { logsExpansion, metricsExpansion } from './variables.ts';

/** What a root decides about all scrape jobs of its metrics instances. Plain data: equal settings give equal jobs. */
export interface MetricsSettings {
  /** Those that scrape. */
  readonly shards: number;
  readonly placement: Placement;
  readonly overrideHonorLabels: boolean;
  readonly overrideHonorTimestamps: boolean;
  readonly ignoreNamespaceSelectors: boolean;
  readonly denyFileAccess: boolean;
  readonly enforcedNamespaceLabel: string;
  readonly enforcedSampleLimit: number | undefined;
  readonly enforcedTargetLimit: number | undefined;
  /** What holds where a monitor names no interval. */
  readonly defaultInterval: string;
  readonly apiServer: Section | undefined;
  readonly expansion: Expansion;
}

export interface LogsSettings {
  readonly ignoreNamespaceSelectors: boolean;
  readonly denyFileAccess: boolean;
  readonly enforcedNamespaceLabel: string;
  readonly apiServer: Section | undefined;
  readonly expansion: Expansion;
}

/** How the shards share their targets now. */
export type CurrentSharing = Pick<MetricsSettings, 'placement' | 'shards'>;

/** More StatefulSets than this are a slip of the keyboard. */
export const shardsMax = 1_000;

/** Never fewer than the root's annotation allows. */
export function shardsOf(root: GrafanaAgent): number {
  return Math.min(shardsAsked(root, root.spec.metrics?.shards), shardsMax);
}

/** Nothing given: 1; 0 is allowed, and less than 0 means 0. */
export function replicasOf({ spec }: GrafanaAgent): number {
  return Math.max(0, spec.metrics?.replicas ?? 1);
}

export function metricsSettings(
  root: GrafanaAgent,
  { apiServer, sharing }: { readonly apiServer: Section | undefined; readonly sharing: CurrentSharing },
): MetricsSettings {
  const metrics = root.spec.metrics ?? {};
  return {
    ...sharing,
    overrideHonorLabels: metrics.overrideHonorLabels ?? false,
    overrideHonorTimestamps: metrics.overrideHonorTimestamps ?? false,
    ignoreNamespaceSelectors: metrics.ignoreNamespaceSelectors ?? false,
    denyFileAccess: metrics.arbitraryFSAccessThroughSMs?.deny ?? false,
    enforcedNamespaceLabel: metrics.enforcedNamespaceLabel ?? '',
    enforcedSampleLimit: metrics.enforcedSampleLimit,
    enforcedTargetLimit: metrics.enforcedTargetLimit,
    defaultInterval: metrics.scrapeInterval || '1m',
    apiServer,
    expansion: metricsExpansion,
  };
}

export function logsSettings(root: GrafanaAgent, apiServer: Section | undefined): LogsSettings {
  return {
    ignoreNamespaceSelectors: root.spec.logs?.ignoreNamespaceSelectors ?? false,
    // Logs have no switch of their own.
    denyFileAccess: root.spec.metrics?.arbitraryFSAccessThroughSMs?.deny ?? false,
    enforcedNamespaceLabel: root.spec.logs?.enforcedNamespaceLabel ?? '',
    apiServer,
    expansion: logsExpansion,
  };
}

/** How service discovery reaches the API server; undefined: from inside the cluster. */
export function apiServerSection(root: GrafanaAgent, leaf: Leaf): Section | undefined {
  const server = root.spec.apiServer;
  if (server === undefined) return undefined;
  const at = 'spec.apiServer';
  const section = sectionOf(server, apiServerFields, { leaf, at });
  checkOneLogin(section, { leaf, at });
  return section;
}
