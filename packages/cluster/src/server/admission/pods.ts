import type { Pod } from '../../api/generated/core-v1.ts';
import { pods, priorityclasses, serviceaccounts } from '../../api/generated/kinds.ts';
import { withDefaultTolerations, withPriority, withServiceAccount } from '../../resources/core/pod/admission.ts';
import { isMirrorPod } from '../../resources/core/pod/references.ts';
import type { AdmissionPlugin } from '../context/admission.ts';

/** Service account, priority and the tolerations that every pod gets. */
export const podAdmission: AdmissionPlugin = {
  name: 'PodDefaults',
  resources: [pods],
  create(object, { get, list }) {
    const pod = object as Pod;
    const { namespace } = pod.metadata;
    const account = get(serviceaccounts, { namespace, name: pod.spec.serviceAccountName || 'default' });
    // A mirror shows what its node runs already, and its node may name nobody's account.
    const accounted = isMirrorPod(pod) ? pod : withServiceAccount(pod, account);
    return withDefaultTolerations(withPriority(accounted, list(priorityclasses)));
  },
};
