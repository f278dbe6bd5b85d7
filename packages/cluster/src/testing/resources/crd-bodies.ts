/** CustomResourceDefinitions to begin with. For tests. */
import { type ResourceType, resourceType } from '../../api/gvk.ts';
import type { Body } from './judge.ts';

/** The type that `crdBody` defines. */
export const agents: ResourceType = resourceType({
  group: 'example.com',
  version: 'v1',
  resource: 'agents',
  kind: 'Agent',
  namespaced: true,
});

export function version(name: string, particulars: object = {}): Readonly<Record<string, unknown>> {
  const spec = { type: 'object', properties: { size: { type: 'integer', default: 1 }, color: { type: 'string' } } };
  const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    name,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
    ...particulars,
  };
}

export function crdBody(spec: object = {}, name = 'agents.example.com'): Body {
  return {
    metadata: { name },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'agents', kind: 'Agent' },
      versions: [version('v1')],
      ...spec,
    },
  };
}
