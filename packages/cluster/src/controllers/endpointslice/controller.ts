import type { Node } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { endpointslices, nodes, services } from '../../api/generated/kinds.ts';
import type { Key } from '../../api/meta.ts';
import type { Caches, Index } from '../../client/cache.ts';
import { type Controller, mapped, primary } from '../../runtime/controller.ts';
import { podsBehind, podsWakeServices, type Served, serviceSelector } from '../../workloads/serving.ts';
import { managedBy, managedByLabel, type Observed, plan, serviceNameLabel } from './plan.ts';

/** Keeps the EndpointSlices of every Service with a selector. */
export const endpointsliceController: Controller<Observed, Served> = {
  name: 'endpointslice',
  watches: [
    primary(services),
    podsWakeServices,
    mapped(endpointslices, function* ({ object, previous }) {
      yield* servicesOf(object);
      if (previous !== undefined) yield* servicesOf(previous);
    }),
    mapped(nodes, function* ({ type, object, previous }, caches) {
      if (type === 'updated' && zoneOf(object) === zoneOf(previous)) return;
      if (zoneOf(object) === undefined && (type !== 'updated' || zoneOf(previous) === undefined)) return;
      for (const service of caches.of(services).values())
        if (serviceSelector(service) !== undefined) yield `${service.metadata.namespace}/${service.metadata.name}`;
    }),
  ],
  observe,
  plan,
};

const byService: Index<EndpointSlice> = { name: 'service of a managed slice', valuesOf: servicesOf };

function servicesOf({ metadata }: EndpointSlice): readonly Key[] {
  const service = metadata.labels?.[serviceNameLabel];
  return service === undefined || metadata.labels?.[managedByLabel] !== managedBy
    ? []
    : [`${metadata.namespace}/${service}`];
}

export function observe(key: Key, caches: Caches, served: Served | undefined): Observed | undefined {
  const service = caches.of(services).get(key);
  if (service === undefined || serviceSelector(service) === undefined) return undefined;
  const behind = podsBehind(service, caches);
  const zones = new Map<string, string>();
  for (const { spec } of behind) {
    const zone = zoneOf(caches.of(nodes).get(spec.nodeName ?? ''));
    if (spec.nodeName !== undefined && zone !== undefined) zones.set(spec.nodeName, zone);
  }
  return { service, pods: behind, slices: caches.of(endpointslices).by(byService, key), zones, served };
}

function zoneOf(node: Node | undefined): string | undefined {
  return node?.metadata.labels?.['topology.kubernetes.io/zone'];
}
