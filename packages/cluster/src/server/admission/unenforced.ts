import type { AdmissionPlugin } from './admission.ts';

const notEnforced: Readonly<Record<string, string>> = {
  LimitRange: 'limits and default requests are not applied to pods',
  NetworkPolicy: 'simulated pods exchange no traffic that could be filtered',
  ResourceQuota: 'usage is neither counted nor limited',
};

/** Says so when something is kept but has no effect here. */
export const unenforcedAdmission: AdmissionPlugin = {
  name: 'Unenforced',
  resources: ['/limitranges', '/resourcequotas', 'networking.k8s.io/networkpolicies'],
  create(object, { warn }) {
    warn(`this server stores a ${object.kind} but does not enforce it: ${notEnforced[object.kind]}`);
    return object;
  },
};
