import { validatingadmissionpolicies } from '../../api/generated/kinds.ts';
import { keyOf } from '../../api/meta.ts';
import { controllerUser } from '../../api/system-identities.ts';
import { typeChecker } from '../../resources/admissionregistration/type-checker.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import { createKeyedWork, type RunContext } from '../../runtime/keyed-work.ts';
import { isChecked, plan } from './plan.ts';

export interface PolicyCheckerOptions {
  /** What the API has now: kinds with their schemas. */
  served(): readonly ResourceDefinition[];
}

const name = 'validatingadmissionpolicy-status';

/** Warns in the status of policies of what their expressions cannot mean, for the kinds that they name. */
export function createPolicyChecker(platform: Platform, { served }: PolicyCheckerOptions): Component {
  const { informers } = platform;
  const handle = async (key: string, { perform }: RunContext): Promise<undefined> => {
    const policy = informers.of(validatingadmissionpolicies).get(key);
    if (policy === undefined || isChecked(policy)) return undefined;
    const { expressionWarnings } = await typeChecker.load();
    await perform(plan(policy, expressionWarnings(policy.spec, served())).actions);
    return undefined;
  };
  return {
    name,
    async run({ signal }) {
      const work = createKeyedWork({ name, user: controllerUser(name), platform, workers: 1, handle });
      await informers.sync([validatingadmissionpolicies], { signal });
      const stop = informers.listen(validatingadmissionpolicies, ({ type, object }) => {
        if (type !== 'deleted' && !isChecked(object)) work.add(keyOf(object));
      });
      await work.run({ signal }).finally(stop);
    },
  };
}
