import { deviceclasses } from '../../api/generated/kinds.ts';
import type { DeviceClass } from '../../api/generated/resource-v1.ts';
import { qualifiedNameProblems } from '../../api/names.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { atMost, opaqueIssues, selectorIssues } from './names.ts';

const configMax = 32;

export const deviceclassDefinition: ResourceDefinition<DeviceClass> = defineResource(deviceclasses, {
  schema: 'io.k8s.api.resource.v1.DeviceClass',
  traits: { counted: true, returnsDeleted: true },
  *validate({ spec }, at) {
    const { selectors, config = [], extendedResourceName: extended } = spec ?? {};
    yield* selectorIssues(selectors, at('spec', 'selectors'));
    for (const [index, { opaque }] of config.entries())
      yield* opaqueIssues(opaque, at('spec', 'config', index, 'opaque'));
    yield* atMost(config, configMax, at('spec', 'config'));
    if (extended !== undefined && !isExtendedResource(extended))
      yield at('spec', 'extendedResourceName').invalid(extended, 'must be a valid extended resource name');
  },
});

/** A name of a domain that is not Kubernetes' own, as containers ask for it. */
function isExtendedResource(name: string): boolean {
  const isForeign = name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
  return isForeign && qualifiedNameProblems(`requests.${name}`).length === 0;
}
