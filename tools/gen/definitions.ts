import { type Definition, type Definitions, type OpenApiDocument, refTarget } from './document.ts';

/** Groups that the control plane serves or speaks. */
const modules = [
  'io.k8s.api.admissionregistration.v1',
  'io.k8s.api.admissionregistration.v1beta1',
  'io.k8s.api.admissionregistration.v1alpha1',
  'io.k8s.api.core.v1',
  'io.k8s.api.apps.v1',
  'io.k8s.api.batch.v1',
  'io.k8s.api.autoscaling.v1',
  'io.k8s.api.autoscaling.v2',
  'io.k8s.api.scheduling.v1',
  'io.k8s.api.coordination.v1',
  'io.k8s.api.coordination.v1beta1',
  'io.k8s.api.discovery.v1',
  'io.k8s.api.events.v1',
  'io.k8s.api.policy.v1',
  'io.k8s.api.rbac.v1',
  'io.k8s.api.storage.v1',
  'io.k8s.api.networking.v1',
  'io.k8s.api.node.v1',
  'io.k8s.api.authentication.v1',
  'io.k8s.api.authorization.v1',
  'io.k8s.api.certificates.v1',
  'io.k8s.api.flowcontrol.v1',
  'io.k8s.api.resource.v1',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  'io.k8s.apimachinery.pkg.apis.meta.v1',
];

/** The definitions of those groups and everything that they refer to, in name order. */
export function selectDefinitions(document: OpenApiDocument): Definitions {
  const chosen = new Map<string, Definition>();
  const queue = Object.keys(document.definitions).filter((name) =>
    modules.some((module) => name.startsWith(`${module}.`) && !name.slice(module.length + 1).includes('.')),
  );
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (chosen.has(name)) continue;
    const definition = document.definitions[name];
    if (definition === undefined) throw new Error(`definition ${name} is referred to but missing`);
    chosen.set(name, definition);
    for (const match of JSON.stringify(definition).matchAll(/"\$ref":"([^"]+)"/g))
      queue.push(refTarget(match[1] ?? ''));
  }
  return new Map([...chosen].sort(([a], [b]) => (a < b ? -1 : 1)));
}
