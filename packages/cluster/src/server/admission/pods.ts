import type { Pod, ServiceAccount } from '../../api/generated/core-v1.ts';
import type { PriorityClass } from '../../api/generated/scheduling-v1.ts';
import { withDefaultTolerations, withPriority, withServiceAccount } from '../../resources/core/pod/admission.ts';
import type { AdmissionPlugin } from '../context/admission.ts';

/** Service account, priority and the tolerations that every pod gets. */
export const podAdmission: AdmissionPlugin = {
  name: 'PodDefaults',
  resources: ['/pods'],
  create(object, { get, list }) {
    const pod = object as Pod;
    const account = pod.spec.serviceAccountName ?? '';
    const found = get('/serviceaccounts', pod.metadata.namespace, account === '' ? 'default' : account);
    const owned = withServiceAccount(pod, found as ServiceAccount | undefined);
    return withDefaultTolerations(
      withPriority(owned, list('scheduling.k8s.io/priorityclasses') as readonly PriorityClass[]),
    );
  },
};
