import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { endpointslices, endpoints as endpointsType, services } from '../../api/generated/kinds.ts';
import type { Key } from '../../api/meta.ts';
import type { Caches, Index } from '../../client/cache.ts';
import { type Controller, mapped, primary } from '../../runtime/controller.ts';
import { managedByLabel, serviceNameLabel } from '../../workloads/slices.ts';
import { mirroredBy, type Observed, plan, type Told } from './plan.ts';

/** Keeps EndpointSlices of the Endpoints that somebody writes for a Service without a selector. */
export const endpointsliceMirroring: Controller<Observed, Told> = {
  name: 'endpointslicemirroring',
  source: 'endpoint-slice-mirroring-controller',
  watches: [
    primary(endpointsType),
    primary(services),
    mapped(endpointslices, function* ({ object, previous }) {
      yield* endpointsOf(object);
      if (previous !== undefined) yield* endpointsOf(previous);
    }),
  ],
  observe,
  plan,
};

const byEndpoints: Index<EndpointSlice> = { name: 'endpoints of a mirrored slice', valuesOf: endpointsOf };

function endpointsOf({ metadata }: EndpointSlice): readonly Key[] {
  const name = metadata.labels?.[serviceNameLabel];
  return name === undefined || metadata.labels?.[managedByLabel] !== mirroredBy
    ? []
    : [`${metadata.namespace}/${name}`];
}

export function observe(key: Key, caches: Caches, memory: Told | undefined): Observed | undefined {
  const endpoints = caches.of(endpointsType).get(key);
  const slices = caches.of(endpointslices).by(byEndpoints, key);
  if (endpoints === undefined && slices.length === 0) return undefined;
  return { endpoints, service: caches.of(services).get(key), slices, memory };
}
