import type { Random } from '../base/random.ts';
import type { ResourceDefinition } from '../resources/resource.ts';
import { createEscalationCheck } from './access/rbac/escalation.ts';
import { adminAccess } from './admission/admin-access.ts';
import { certificateAdmission } from './admission/certificates.ts';
import { createCustomResourceAdmission } from './admission/custom-resources.ts';
import { createCustomRules } from './admission/custom-rules.ts';
import { deviceSelectors } from './admission/device-selectors.ts';
import { createEventRateLimit, type EventLimit } from './admission/event-rate-limit.ts';
import { hookConditions } from './admission/hook-conditions.ts';
import { defaultIngressClass } from './admission/ingresses.ts';
import { limitRanger } from './admission/limit-ranger.ts';
import { namespaceAdmission } from './admission/namespaces.ts';
import { nodeAdmission } from './admission/nodes.ts';
import { createOwnerReferencesCheck } from './admission/owner-references.ts';
import type { FurtherPlugin } from './admission/plugin-choice.ts';
import { podSecurity } from './admission/pod-security.ts';
import { createPodAdmission } from './admission/pods.ts';
import { priorityAdmission, systemPriorityClasses } from './admission/priority-classes.ts';
import { runtimeClassAdmission } from './admission/runtime-classes.ts';
import type { ServiceAddresses } from './admission/service-addresses.ts';
import { createServiceAdmission } from './admission/services.ts';
import type { IsSound } from './admission/sound-definitions.ts';
import { claimResize, defaultStorageClass, storageProtection } from './admission/storage.ts';
import type { AdmissionPlugin } from './context/admission.ts';
import type { ServerContext } from './context/context.ts';
import { policyExpressions } from './policies/check.ts';

export interface RulesOptions {
  readonly random: Random;
  readonly givesApiAccess?: boolean | undefined;
  readonly addresses: ServiceAddresses;
  /** The IPv4 range of services. */
  readonly serviceCidr?: string | undefined;
  readonly definitions: readonly ResourceDefinition[];
  /** Those that are left out, by upstream's names. */
  readonly withoutAdmission?: readonly string[] | undefined;
  /** Those that are on besides the usual ones, by upstream's names. */
  readonly furtherAdmission?: readonly FurtherPlugin[] | undefined;
  /** Of `EventRateLimit`. */
  readonly eventLimits?: readonly EventLimit[] | undefined;
  readonly isSound: IsSound;
  readonly context: () => ServerContext;
}

/** The server's own say in what gets stored. For one resource they run in this order. */
export function admissionRules(options: RulesOptions): readonly AdmissionPlugin[] {
  const {
    random,
    givesApiAccess = false,
    addresses,
    serviceCidr = '10.96.0.0/16',
    definitions,
    context,
    isSound,
  } = options;
  const { withoutAdmission: without = [], furtherAdmission: further = [], eventLimits = [] } = options;
  const rules = [
    namespaceAdmission,
    nodeAdmission,
    createPodAdmission({ random: random.fork('kube-api-access'), givesApiAccess, without }),
    createServiceAdmission({ addresses, cidr: serviceCidr }),
    createCustomResourceAdmission(definitions),
    createCustomRules(isSound),
    certificateAdmission,
    hookConditions,
    deviceSelectors,
    adminAccess,
    policyExpressions,
    runtimeClassAdmission,
    priorityAdmission,
    systemPriorityClasses,
    podSecurity,
    limitRanger,
    defaultStorageClass,
    storageProtection,
    claimResize,
    defaultIngressClass,
    createEscalationCheck(context),
    ...(further.includes('OwnerReferencesPermissionEnforcement') ? [createOwnerReferencesCheck(context)] : []),
    ...(further.includes('EventRateLimit') ? [createEventRateLimit(eventLimits)] : []),
  ];
  // What upstream has as one plugin, and is one here, is left out by its name; those for pods look themselves.
  return rules.filter(({ name }) => !without.includes(name));
}
