import type { PodTemplate } from '../../../api/generated/core-v1.ts';
import { podtemplates } from '../../../api/generated/kinds.ts';
import { column, formatLabels, nameColumn } from '../../columns.ts';
import { defineResource, type ResourceDefinition } from '../../resource.ts';
import { containerImages, containerNames } from './container-columns.ts';
import { amendPart } from './fill.ts';
import { defaultPodTemplate, validatePodTemplate } from './template.ts';
import { templateWarnings } from './warnings.ts';

/** A pod template as an object of its own. Nothing in the cluster acts on it. */
export const podtemplateDefinition: ResourceDefinition<PodTemplate> = defineResource(podtemplates, {
  schema: 'io.k8s.api.core.v1.PodTemplate',
  traits: { counted: true, returnsDeleted: true },
  columnsComplete: true,
  columns: [
    nameColumn(),
    column('Containers', ({ template }) => containerNames(template)),
    column('Images', ({ template }) => containerImages(template)),
    column('Pod Labels', ({ template }) => formatLabels(template?.metadata?.labels)),
  ],
  defaults: (object) => amendPart(object, 'template', defaultPodTemplate),
  *validate({ template }, at) {
    yield* validatePodTemplate(template, at('template'));
  },
  warnings: (next, current) => templateWarnings(next.template, { path: 'template', next, current }),
});
