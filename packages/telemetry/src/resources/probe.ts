import { type ResourceType, resourceType } from '@signalbox/cluster';
import type { Probe } from './generated/types.ts';

export type { Probe, ProbeIngressTargets, Prober, ProbeSpec, ProbeStaticTargets } from './generated/types.ts';

/** Asks a prober (such as the blackbox exporter) about static targets or about Ingresses. */
export const probes: ResourceType<Probe> = resourceType({
  group: 'monitoring.coreos.com',
  version: 'v1',
  resource: 'probes',
  kind: 'Probe',
  namespaced: true,
});
