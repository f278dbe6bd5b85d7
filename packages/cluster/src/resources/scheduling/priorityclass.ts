import { priorityclasses } from '../../api/generated/kinds.ts';
import type { PriorityClass } from '../../api/generated/scheduling-v1.ts';
import type { New } from '../../api/meta.ts';
import { ageColumn, booleanColumn, column, integerColumn, nameColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { oneOf, unchanged } from '../validation/fields.ts';

/** Values above are for the system's own classes. */
export const userPriorityMax = 1_000_000_000;
const systemPrefix = 'system-';

/** Present in every cluster from the start. */
export const builtinPriorityClasses: readonly New<PriorityClass>[] = [
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'system-cluster-critical' },
    value: 2_000_000_000,
    preemptionPolicy: 'PreemptLowerPriority',
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'system-node-critical' },
    value: 2_000_001_000,
    preemptionPolicy: 'PreemptLowerPriority',
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
];

export const priorityclassDefinition: ResourceDefinition<PriorityClass> = defineResource(priorityclasses, {
  schema: 'io.k8s.api.scheduling.v1.PriorityClass',
  traits: { counted: true, countedOnce: true },
  shortNames: ['pc'],
  columns: [
    nameColumn(),
    integerColumn('Value', ({ value }) => value ?? 0),
    booleanColumn('Global-Default', ({ globalDefault }) => globalDefault === true),
    ageColumn(),
    column('PreemptionPolicy', ({ preemptionPolicy }) => preemptionPolicy ?? ''),
  ],
  columnsComplete: true,
  defaults(priorityClass) {
    const { globalDefault, ...rest } = priorityClass;
    // False is what the field's absence says.
    const shown = globalDefault === false ? rest : priorityClass;
    return shown.preemptionPolicy === undefined ? { ...shown, preemptionPolicy: 'PreemptLowerPriority' } : shown;
  },
  // Whatever one is changed to, only what may not change is asked.
  *validateCreate(priorityClass, at) {
    const { metadata, value, preemptionPolicy } = priorityClass;
    if (metadata.name.startsWith(systemPrefix)) {
      const fault = systemFault(priorityClass);
      if (fault !== undefined)
        yield at('metadata', 'name').forbidden(
          `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${fault}`,
        );
    } else if (value > userPriorityMax)
      yield at('value').forbidden(`maximum allowed value of a user defined priority is ${userPriorityMax}`);
    if (!Number.isInteger(value) || value < -(2 ** 31) || value >= 2 ** 31)
      yield at('value').invalid(value, 'must be a 32-bit integer');
    yield* oneOf(preemptionPolicy, ['PreemptLowerPriority', 'Never'], at('preemptionPolicy'));
  },
  *validateUpdate(next, current, at) {
    if (next.value !== current.value) yield at('value').forbidden('may not be changed in an update.');
    yield* unchanged(next.preemptionPolicy, current.preemptionPolicy, at('preemptionPolicy'));
  },
});

function systemFault({ metadata, value, globalDefault }: PriorityClass): string | undefined {
  const known = builtinPriorityClasses.find((builtin) => builtin.metadata.name === metadata.name);
  if (known === undefined) return `${metadata.name} is not a known system priority class`;
  if (known.value !== value) return `value of ${metadata.name} PriorityClass must be ${known.value}`;
  return globalDefault === true ? `globalDefault of ${metadata.name} PriorityClass must be false` : undefined;
}
