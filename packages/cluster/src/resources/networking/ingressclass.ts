import { ingressclasses } from '../../api/generated/kinds.ts';
import type { IngressClass } from '../../api/generated/networking-v1.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { oneOf, unchanged } from '../validation/fields.ts';
import { dnsLabel, dnsSubdomain, domainPrefixedPath, pathSegmentName } from '../validation/names.ts';

const controllerBytesMax = 250;

export const ingressclassDefinition: ResourceDefinition<IngressClass> = defineResource(ingressclasses, {
  schema: 'io.k8s.api.networking.v1.IngressClass',
  traits: { counted: true },
  columns: [
    column('Controller', ({ spec }) => spec?.controller ?? ''),
    column('Parameters', ({ spec }) => {
      const parameters = spec?.parameters;
      if (parameters === undefined) return '<none>';
      const group = (parameters.apiGroup ?? '') === '' ? '' : `.${parameters.apiGroup}`;
      return `${parameters.kind}${group}/${parameters.name}`;
    }),
  ],
  defaults(ingressClass) {
    const parameters = ingressClass.spec?.parameters;
    if (parameters === undefined || parameters.scope !== undefined) return ingressClass;
    return { ...ingressClass, spec: { ...ingressClass.spec, parameters: { ...parameters, scope: 'Cluster' } } };
  },
  *validate({ spec }, at) {
    const controller = spec?.controller ?? '';
    if (controller.length > controllerBytesMax) yield at('spec', 'controller').tooLong(controller, controllerBytesMax);
    yield* domainPrefixedPath(controller, at('spec', 'controller'));
    const parameters = spec?.parameters;
    if (parameters === undefined) return;
    const place = at('spec', 'parameters');
    if (parameters.apiGroup !== undefined) yield* dnsSubdomain(parameters.apiGroup, place('apiGroup'));
    for (const field of ['kind', 'name'] as const)
      if ((parameters[field] ?? '') === '') yield place(field).required();
      else yield* pathSegmentName(parameters[field], place(field));
    yield* oneOf(parameters.scope, ['Cluster', 'Namespace'], place('scope'));
    if (parameters.scope === 'Namespace') {
      if (parameters.namespace === undefined)
        yield place('namespace').required("`parameters.scope` is set to 'Namespace'");
      else yield* dnsLabel(parameters.namespace, place('namespace'));
    }
    if (parameters.scope === 'Cluster' && parameters.namespace !== undefined)
      yield place('namespace').forbidden("`parameters.scope` is set to 'Cluster'");
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.spec?.controller, current.spec?.controller, at('spec', 'controller'));
  },
});
