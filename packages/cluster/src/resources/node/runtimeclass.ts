import type { Toleration } from '../../api/generated/core-v1.ts';
import { runtimeclasses } from '../../api/generated/kinds.ts';
import type { RuntimeClass } from '../../api/generated/node-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { equal } from '../../base/equal.ts';
import { column } from '../columns.ts';
import { validateOverhead } from '../core/pod/validation/resources.ts';
import { validateTolerations } from '../core/pod/validation/scheduling.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { dnsLabel, labelIssues } from '../validation/names.ts';

export const runtimeclassDefinition: ResourceDefinition<RuntimeClass> = defineResource(runtimeclasses, {
  schema: 'io.k8s.api.node.v1.RuntimeClass',
  traits: { updatesUnconditionally: false, createsOnUpdate: true, qualifiesFinalizers: false },
  columns: [column('Handler', ({ handler }) => handler)],
  *validate({ handler, overhead, scheduling }, at) {
    yield* dnsLabel(handler ?? '', at('handler'));
    // Told of as if they were limits, as upstream does.
    if (overhead?.podFixed !== undefined) yield* validateOverhead(overhead.podFixed, () => at('overhead'));
    yield* labelIssues(scheduling?.nodeSelector, at('scheduling', 'nodeSelector'));
    yield* tolerationIssues(scheduling?.tolerations ?? [], at('scheduling', 'tolerations'));
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.handler, current.handler, at('handler'));
  },
});

/** The path of what is wrong within one says `tolerations` twice, as upstream's does. */
function* tolerationIssues(tolerations: readonly Toleration[], at: FieldPath): Iterable<Issue> {
  yield* validateTolerations(tolerations, () => at('tolerations'));
  for (const [index, toleration] of tolerations.entries())
    if (tolerations.slice(0, index).some((before) => equal(keyOf(before), keyOf(toleration))))
      yield at(index).duplicate(shownToleration(toleration));
}

/** For how long is no part of it. */
function keyOf({ key = '', operator = '', value = '', effect = '' }: Toleration): readonly string[] {
  return [key, operator, value, effect];
}

/** As a refusal shows it: all fields, by their names in Go. */
function shownToleration({ key = '', operator = '', value = '', effect = '', tolerationSeconds }: Toleration): object {
  return { Key: key, Operator: operator, Value: value, Effect: effect, TolerationSeconds: tolerationSeconds ?? null };
}
