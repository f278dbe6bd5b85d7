import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { endpointslices, nodes, services } from '../../api/generated/kinds.ts';
import { type Key, keyOf } from '../../api/meta.ts';
import type { Caches, Index } from '../../client/cache.ts';
import { type Controller, mapped, primary } from '../../runtime/controller.ts';
import { podsBehind, podsWakeServices, serviceSelector } from '../../workloads/serving.ts';
import { managedByLabel, serviceNameLabel } from '../../workloads/slices.ts';
import { capacityOf, hasSameCapacity, zoneOf } from './capacity.ts';
import { preferenceOf } from './hints.ts';
import { managedBy, type Observed, plan, type Sliced } from './plan.ts';

/** Keeps the EndpointSlices of every Service with a selector. */
export const endpointsliceController: Controller<Observed, Sliced> = {
  name: 'endpointslice',
  source: 'endpoint-slice-controller',
  watches: [
    primary(services),
    podsWakeServices,
    mapped(endpointslices, function* ({ object, previous }) {
      yield* servicesOf(object);
      if (previous !== undefined) yield* servicesOf(previous);
    }),
    mapped(nodes, function* ({ type, object, previous }, caches) {
      const isMoved = type === 'updated' ? zoneOf(object) !== zoneOf(previous) : zoneOf(object) !== undefined;
      if (!isMoved && type === 'updated' && previous !== undefined && hasSameCapacity(object, previous)) return;
      for (const service of caches.of(services).values())
        if (serviceSelector(service) !== undefined && (isMoved || preferenceOf(service) === 'by capacity'))
          yield keyOf(service);
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

export function observe(key: Key, caches: Caches, served: Sliced | undefined): Observed | undefined {
  const service = caches.of(services).get(key);
  if (service === undefined || serviceSelector(service) === undefined) return undefined;
  const behind = podsBehind(service, caches);
  const zones = new Map<string, string>();
  for (const { spec } of behind) {
    const zone = zoneOf(caches.of(nodes).get(spec.nodeName ?? ''));
    if (spec.nodeName !== undefined && zone !== undefined) zones.set(spec.nodeName, zone);
  }
  const capacity = preferenceOf(service) === 'by capacity' ? capacityOf(caches.of(nodes).values()) : undefined;
  return { service, pods: behind, slices: caches.of(endpointslices).by(byService, key), zones, capacity, served };
}
