import type { LimitRange } from '../../api/generated/core-v1.ts';
import { limitranges } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { qualifiedNameProblems } from '../../api/names.ts';
import { parseQuantity } from '../../api/quantity.ts';
import { createdAtColumn, nameColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { resourceAmounts } from '../validation/fields.ts';
import { standardResources } from './pod/validation/resources.ts';

type LimitRangeItem = LimitRange['spec']['limits'][number];

export const limitrangeDefinition: ResourceDefinition<LimitRange> = defineResource(limitranges, {
  schema: 'io.k8s.api.core.v1.LimitRange',
  traits: { createsOnUpdate: true },
  shortNames: ['limits'],
  columns: [nameColumn(), createdAtColumn()],
  columnsComplete: true,
  defaults(range) {
    const { spec } = range;
    return spec?.limits === undefined ? range : { ...range, spec: { ...spec, limits: spec.limits.map(defaulted) } };
  },
  *validate({ spec }, at) {
    const types = new Set<string>();
    for (const [index, item] of (spec?.limits ?? []).entries()) {
      const place = at('spec', 'limits', index);
      yield* limitType(item.type ?? '', place('type'));
      if (types.has(item.type)) yield place('type').duplicate(item.type);
      types.add(item.type);
      for (const field of amountFields) yield* amountIssues(item[field], place(field));
      yield* orderIssues(item, place);
    }
  },
});

/** What a container may have at most is its limit, its limit its request, and what it needs at least as well: unless they are given. */
function defaulted(item: LimitRangeItem): LimitRangeItem {
  if (item.type !== 'Container') return item;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  return {
    ...item,
    ...(Object.keys(limits).length > 0 && { default: limits }),
    ...(Object.keys(requests).length > 0 && { defaultRequest: requests }),
  };
}

function* limitType(type: string, at: FieldPath): Iterable<Issue> {
  const problems = qualifiedNameProblems(type);
  for (const problem of problems) yield at.invalid(type, problem);
  if (problems.length === 0 && !type.includes('/') && !limitTypes.has(type))
    yield at.invalid(type, 'must be a standard limit type or fully qualified');
}

const limitTypes: ReadonlySet<string> = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);

/** Names without a domain are those that everybody knows. */
function* amountIssues(amounts: LimitRangeItem['max'], at: FieldPath): Iterable<Issue> {
  for (const name of Object.keys(amounts ?? {}))
    if (!name.includes('/') && qualifiedNameProblems(name).length === 0 && !standardResources.has(name))
      yield at.key(name).invalid(name, 'must be a standard resource type or fully qualified');
  yield* resourceAmounts(amounts, at);
}

const amountFields = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** min ≤ defaultRequest ≤ default ≤ max, as far as they are given. */
const ascending = [
  ['min', 'max'],
  ['min', 'defaultRequest'],
  ['defaultRequest', 'max'],
  ['min', 'default'],
  ['default', 'max'],
  ['defaultRequest', 'default'],
] as const;

function* orderIssues(item: LimitRangeItem, at: FieldPath): Iterable<Issue> {
  for (const [low, high] of ascending) {
    const values = item[low] ?? {};
    for (const [name, value] of Object.entries(values)) {
      const upper = item[high]?.[name];
      if (upper === undefined || !isGreater(value, upper)) continue;
      yield at(low).key(name).invalid(value, `${low} value ${value} is greater than ${high} value ${upper}`);
    }
  }
}

function isGreater(a: string, b: string): boolean {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  return left !== undefined && right !== undefined && left > right;
}
