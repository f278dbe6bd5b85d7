import { abstains, type SchedulerPlugin } from '../plugin.ts';

/**
 * Rules that this scheduler does not know yet. A pod that demands one of them stays pending and is told why: placing it as
 * if the rule did not exist would be worse.
 */
export const unsupportedDemands: SchedulerPlugin = {
  name: 'UnsupportedDemands',
  wakesOn: [],
  prepare: ({ pod: { spec } }) =>
    (spec.resourceClaims?.length ?? 0) === 0
      ? abstains
      : {
          rejected:
            'dynamic resource allocation is not supported by this scheduler; remove it or set spec.schedulerName to one that does',
        },
};
