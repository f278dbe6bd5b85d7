import { namespaces } from '../../api/generated/kinds.ts';
import { forbidden, StatusError } from '../../api/status.ts';
import type { AdmissionPlugin } from '../context/admission.ts';

const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

/** The namespaces that a cluster cannot be without. */
export const namespaceAdmission: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  resources: [namespaces],
  delete({ metadata }) {
    if (immortal.has(metadata.name))
      throw new StatusError(forbidden(namespaces, metadata.name, 'this namespace may not be deleted'));
  },
};
