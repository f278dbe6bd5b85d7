import { mergeConditions } from '../../api/conditions.ts';
/** Decides which names a CustomResourceDefinition gets and whether it is served. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
} from '../../api/generated/apiextensions-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import { equal } from '../../base/equal.ts';

/** The names of a kind that the server itself serves, in the same shape as a definition's. */
export interface TakenNames {
  readonly group: string;
  readonly names: CustomResourceDefinitionNames;
}

export interface EstablishOptions {
  /** Kinds that are built in; their names are taken. */
  readonly builtin?: readonly TakenNames[];
  /** When conditions change; the definition's creation when absent. */
  readonly nowMs?: number;
}

/**
 * The definition with its accepted names and the conditions `NamesAccepted` and `Established`. The same reference when
 * nothing changes. Names that another definition of the group has are refused one by one; a definition that is
 * established stays so.
 */
export function establish(
  definition: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
  { builtin = [], nowMs }: EstablishOptions = {},
): CustomResourceDefinition {
  const taken = takenBy(definition, others, builtin);
  const { accepted, conflict } = decideNames(definition, taken);
  const status = definition.status ?? {};
  const at = nowMs === undefined ? definition.metadata.creationTimestamp : toTimestamp(nowMs);
  const namesAccepted: CustomResourceDefinitionCondition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict };
  const said = [namesAccepted, establishedCondition(definition, conflict === undefined)];
  const conditions = mergeConditions(status.conditions, said, at);
  const next = { ...status, acceptedNames: accepted, conditions };
  return equal(next, status) ? definition : { ...definition, status: next };
}

type Field = 'plural' | 'singular' | 'shortNames' | 'kind' | 'listKind';

interface Taken {
  /** Plurals, singulars and short names share one space of words. */
  readonly words: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function takenBy(
  { metadata, spec }: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
  builtin: readonly TakenNames[],
): Taken {
  const words = new Set<string>();
  const kinds = new Set<string>();
  const take = (names: CustomResourceDefinitionNames | undefined): void => {
    for (const word of [names?.plural, names?.singular, ...(names?.shortNames ?? [])]) if (word) words.add(word);
    for (const kind of [names?.kind, names?.listKind]) if (kind) kinds.add(kind);
  };
  for (const { group, names } of builtin) if (group === spec.group) take(names);
  for (const other of others)
    if (other.spec.group === spec.group && other.metadata.name !== metadata.name) take(other.status?.acceptedNames);
  return { words, kinds };
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

function decideNames(
  { spec, status }: CustomResourceDefinition,
  { words, kinds }: Taken,
): { readonly accepted: CustomResourceDefinitionNames; readonly conflict: Conflict | undefined } {
  const requested = spec.names;
  const before = status?.acceptedNames;
  const refused = new Map<Field, string>();
  for (const field of ['plural', 'singular'] as const)
    if (words.has(requested[field] ?? '')) refused.set(field, requested[field] ?? '');
  const shortName = requested.shortNames?.find((name) => words.has(name));
  if (shortName !== undefined) refused.set('shortNames', shortName);
  for (const field of ['kind', 'listKind'] as const)
    if (kinds.has(requested[field] ?? '')) refused.set(field, requested[field] ?? '');
  const kept = Object.fromEntries(
    [...refused.keys()].flatMap((field) => (before?.[field] === undefined ? [] : [[field, before[field]]])),
  );
  const wanted = Object.fromEntries(Object.entries(requested).filter(([field]) => !refused.has(field as Field)));
  const [last] = [...refused].reverse();
  return {
    accepted: { plural: '', kind: '', ...wanted, ...kept },
    conflict: last === undefined ? undefined : conflictOf(...last),
  };
}

function conflictOf(field: Field, name: string): Conflict {
  return {
    reason: `${field.slice(0, 1).toUpperCase()}${field.slice(1)}Conflict`,
    message: `${JSON.stringify(name)} is already in use`,
  };
}

function establishedCondition(
  { status }: CustomResourceDefinition,
  accepted: boolean,
): CustomResourceDefinitionCondition {
  const before = status?.conditions?.find(({ type }) => type === 'Established');
  if (before?.status === 'True') return before;
  return accepted
    ? {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      }
    : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}
