import { runtimeclasses } from '../../api/generated/kinds.ts';
import type { RuntimeClass } from '../../api/generated/node-v1.ts';
import { column } from '../columns.ts';
import { validateOverhead } from '../core/pod/validation/resources.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { dnsLabel, labelIssues } from '../validation/names.ts';

export const runtimeclassDefinition: ResourceDefinition<RuntimeClass> = defineResource(runtimeclasses, {
  schema: 'io.k8s.api.node.v1.RuntimeClass',
  traits: { updatesUnconditionally: false, createsOnUpdate: true },
  columns: [column('Handler', ({ handler }) => handler)],
  *validate({ handler, overhead, scheduling }, at) {
    yield* dnsLabel(handler ?? '', at('handler'));
    yield* validateOverhead(overhead?.podFixed ?? {}, () => at('overhead', 'limits'));
    yield* labelIssues(scheduling?.nodeSelector, at('scheduling', 'nodeSelector'));
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.handler, current.handler, at('handler'));
  },
});
