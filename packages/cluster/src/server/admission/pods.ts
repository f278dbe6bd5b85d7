import type { Pod } from '../../api/generated/core-v1.ts';
import { pods, priorityclasses, serviceaccounts } from '../../api/generated/kinds.ts';
import { type Random, randomText } from '../../base/random.ts';
import {
  checkMirror,
  lookedUp,
  withDefaultTolerations,
  withPriority,
  withServiceAccount,
} from '../../resources/core/pod/admission.ts';
import { withApiAccess } from '../../resources/core/pod/api-access.ts';
import { isMirrorPod } from '../../resources/core/pod/references.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';

export interface PodAdmissionOptions {
  /** Names the volumes that pods get unasked. */
  readonly random: Random;
  /** Whether pods get what they need to call the API: not where no namespace has the certificate to know it by. */
  readonly givesApiAccess: boolean;
  /** Of `ServiceAccount`, `Priority` and `DefaultTolerationSeconds` those that are left out. */
  readonly without?: readonly string[];
}

const suffixLength = 5;

/** Service account, priority and the tolerations that every pod gets. */
export function createPodAdmission({ random, givesApiAccess, without = [] }: PodAdmissionOptions): AdmissionPlugin {
  const suffix = (): string => randomText(random, suffixLength);
  const withAccount = (pod: Pod, { get }: AdmissionWorld): Pod => {
    // A mirror shows what its node runs already, and its node may name nobody's account.
    if (isMirrorPod(pod)) return checkMirror(pod);
    const { namespace } = pod.metadata;
    const account = lookedUp(pod, (name) => get(serviceaccounts, { namespace, name }));
    const named = withServiceAccount(pod, account);
    return givesApiAccess ? withApiAccess(named, { account, suffix }) : named;
  };
  const tolerant = without.includes('DefaultTolerationSeconds') ? (pod: Pod): Pod => pod : withDefaultTolerations;
  return {
    name: 'PodDefaults',
    resources: [pods],
    create(object, world) {
      const pod = object as Pod;
      const named = without.includes('ServiceAccount') ? pod : withAccount(pod, world);
      const ranked = without.includes('Priority') ? named : withPriority(named, world.list(priorityclasses));
      return tolerant(ranked);
    },
    // Who replaces the tolerations of a pod as a whole leaves these where they are.
    update: (next) => tolerant(next as Pod),
  };
}
