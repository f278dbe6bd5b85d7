import { cronjobs, jobs } from '../../api/generated/kinds.ts';
import { type Controller, owned, primary } from '../../runtime/controller.ts';
import { type Observed, plan } from './plan.ts';

/** Jobs at certain times. */
export const cronjobController: Controller<Observed> = {
  name: 'cronjob',
  watches: [primary(cronjobs), owned(jobs, cronjobs)],
  observe(key, caches) {
    const cronjob = caches.of(cronjobs).get(key);
    if (cronjob === undefined) return undefined;
    const cache = caches.of(jobs);
    return {
      cronjob,
      jobs: cache.ownedBy(cronjob.metadata.uid),
      jobNamed: (name) => cache.get(`${cronjob.metadata.namespace}/${name}`),
    };
  },
  plan,
};
