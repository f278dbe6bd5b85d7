import { endpoints, services } from '../../api/generated/kinds.ts';
import type { Key } from '../../api/meta.ts';
import type { Caches } from '../../client/cache.ts';
import { type Controller, primary } from '../../runtime/controller.ts';
import { podsBehind, podsWakeServices, type Served } from '../../workloads/serving.ts';
import { managedBy, managedByLabel, type Observed, plan } from './plan.ts';

/** Keeps the Endpoints of every Service with a selector. Those of other Services belong to whoever wrote them. */
export const endpointsController: Controller<Observed, Served> = {
  name: 'endpoint',
  watches: [primary(services), podsWakeServices, primary(endpoints)],
  observe,
  plan,
};

export function observe(key: Key, caches: Caches, served: Served | undefined): Observed | undefined {
  const service = caches.of(services).get(key);
  const found = caches.of(endpoints).get(key);
  if (service !== undefined) return { service, endpoints: found, pods: podsBehind(service, caches), served };
  // Without a Service, Endpoints may be somebody's own. Ours, and those of a Service that was here a moment ago, go.
  const isLeftOver = served !== undefined || found?.metadata.labels?.[managedByLabel] === managedBy;
  return found !== undefined && isLeftOver ? { service, endpoints: found, pods: [], served } : undefined;
}
