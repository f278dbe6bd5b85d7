import { clusterroles } from '../../api/generated/kinds.ts';
import type { ClusterRole } from '../../api/generated/rbac-v1.ts';
import { gathers } from '../../resources/rbac/aggregation.ts';
import { type Controller, mapped, primary } from '../../runtime/controller.ts';
import { type Observed, plan } from './plan.ts';

/** Keeps the rules of roles that gather others', such as `admin`, `edit` and `view`, as those are. */
export const clusterroleAggregation: Controller<Observed> = {
  name: 'clusterrole-aggregation',
  watches: [
    primary(clusterroles),
    mapped(clusterroles, function* ({ object, previous }, caches) {
      const changed = [object, ...(previous === undefined ? [] : [previous])];
      for (const role of caches.of(clusterroles).values())
        if (changed.some((other) => gathers(role, other))) yield role.metadata.name;
    }),
  ],
  observe(key, caches) {
    const role = caches.of(clusterroles).get(key);
    return role && { role, all: (): Iterable<ClusterRole> => caches.of(clusterroles).values() };
  },
  plan,
};
