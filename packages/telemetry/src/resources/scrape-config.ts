import { type ResourceType, resourceType } from '@signalbox/cluster';
import type { ScrapeConfig } from './generated/types.ts';

export type { HTTPSDConfig, KubernetesSDConfig, ScrapeConfig, ScrapeConfigSpec } from './generated/types.ts';

/** One scrape job, spelled out. */
export const scrapeconfigs: ResourceType<ScrapeConfig> = resourceType({
  group: 'monitoring.coreos.com',
  version: 'v1alpha1',
  resource: 'scrapeconfigs',
  kind: 'ScrapeConfig',
  namespaced: true,
});
