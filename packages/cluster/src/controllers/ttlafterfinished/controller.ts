import { jobs } from '../../api/generated/kinds.ts';
import { type Controller, primary } from '../../runtime/controller.ts';
import { type Observed, plan } from './plan.ts';

/** Removes Jobs some time after they have ended, if they say after how long. */
export const ttlAfterFinishedController: Controller<Observed> = {
  name: 'ttl-after-finished',
  watches: [primary(jobs)],
  observe(key, caches) {
    const job = caches.of(jobs).get(key);
    return job?.spec.ttlSecondsAfterFinished === undefined ? undefined : { job };
  },
  plan,
};
