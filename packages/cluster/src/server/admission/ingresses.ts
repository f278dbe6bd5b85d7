import { ingressclasses, ingresses } from '../../api/generated/kinds.ts';
import type { Ingress, IngressClass } from '../../api/generated/networking-v1.ts';
import type { AdmissionPlugin } from '../context/admission.ts';

const olderClass = 'kubernetes.io/ingress.class';
const isDefault = 'ingressclass.kubernetes.io/is-default-class';

/** An Ingress that names no class gets the default one, of several the newest. */
export const defaultIngressClass: AdmissionPlugin = {
  name: 'DefaultIngressClass',
  resources: [ingresses],
  create(object, { list }) {
    const ingress = object as Ingress;
    if (ingress.spec?.ingressClassName !== undefined || ingress.metadata.annotations?.[olderClass] !== undefined)
      return ingress;
    const [newest] = list(ingressclasses)
      .filter(({ metadata }) => metadata.annotations?.[isDefault] === 'true')
      .sort(newestFirst);
    if (newest === undefined) return ingress;
    return { ...ingress, spec: { ...ingress.spec, ingressClassName: newest.metadata.name } };
  },
};

function newestFirst({ metadata: a }: IngressClass, { metadata: b }: IngressClass): number {
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp > b.creationTimestamp ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
