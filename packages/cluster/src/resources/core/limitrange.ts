import type { LimitRange } from '../../api/generated/core-v1.ts';
import { limitranges } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { qualifiedNameProblems } from '../../api/names.ts';
import { canonicalQuantity, parseQuantity } from '../../api/quantity.ts';
import { createdAtColumn, nameColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { qualifiedName } from '../validation/names.ts';
import { containerResources, standardResources } from './pod/validation/resources.ts';

type LimitRangeItem = LimitRange['spec']['limits'][number];

export const limitrangeDefinition: ResourceDefinition<LimitRange> = defineResource(limitranges, {
  schema: 'io.k8s.api.core.v1.LimitRange',
  traits: { createsOnUpdate: true, namesItself: true },
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
      yield* itemIssues(item, place);
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

function* itemIssues(item: LimitRangeItem, at: FieldPath): Iterable<Issue> {
  const { type, max, min } = item;
  if (type === 'Pod')
    for (const field of ['default', 'defaultRequest'] as const)
      if (Object.keys(item[field] ?? {}).length > 0)
        yield at(field).forbidden("may not be specified when `type` is 'Pod'");
  if (type === 'PersistentVolumeClaim' && max?.['storage'] === undefined && min?.['storage'] === undefined)
    yield at('limits').required('either minimum or maximum storage value is required, but neither was provided');
  const nameIssues = type === 'Pod' || type === 'Container' ? containerNameIssues : anyNameIssues;
  for (const field of amountFields)
    for (const name of Object.keys(item[field] ?? {})) yield* nameIssues(name, at(field).key(name));
  yield* orderIssues(item, at);
  yield* ratioIssues(item, at('maxLimitRequestRatio'));
}

/** Names without a domain are those that everybody knows. */
function* anyNameIssues(name: string, at: FieldPath): Iterable<Issue> {
  yield* qualifiedName(name, at);
  if (!name.includes('/') && !standardResources.has(name))
    yield at.invalid(name, 'must be a standard resource type or fully qualified');
}

function* containerNameIssues(name: string, at: FieldPath): Iterable<Issue> {
  yield* qualifiedName(name, at);
  if (!name.includes('/') && !containerResources.has(name) && !name.startsWith('hugepages-'))
    yield at.invalid(name, 'must be a standard resource for containers');
}

const amountFields = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

const words = { min: 'min', max: 'max', default: 'default', defaultRequest: 'default request' } as const;

/** min ≤ defaultRequest ≤ default ≤ max, as far as they are given: what is smaller, what greater, and whose mistake it is. */
const ascending = [
  { low: 'min', high: 'max', told: 'min', shown: 'min', words: words.max },
  { low: 'min', high: 'defaultRequest', told: 'defaultRequest', shown: 'defaultRequest', words: words.defaultRequest },
  { low: 'defaultRequest', high: 'max', told: 'defaultRequest', shown: 'defaultRequest', words: words.max },
  { low: 'defaultRequest', high: 'default', told: 'defaultRequest', shown: 'defaultRequest', words: 'default limit' },
  { low: 'min', high: 'default', told: 'default', shown: 'min', words: words.default },
  { low: 'default', high: 'max', told: 'default', shown: 'max', words: words.max },
] as const;

function* orderIssues(item: LimitRangeItem, at: FieldPath): Iterable<Issue> {
  for (const { low, high, told, shown, words: upper } of ascending)
    for (const [name, value] of Object.entries(item[low] ?? {})) {
      const bound = item[high]?.[name];
      if (bound === undefined || amountOf(value) <= amountOf(bound)) continue;
      const [small, great] = [canonicalQuantity(value), canonicalQuantity(bound)];
      yield at(told)
        .key(name)
        .invalid(
          canonicalQuantity(item[shown]?.[name] ?? ''),
          `${words[low]} value ${small} is greater than ${upper} value ${great}`,
        );
    }
}

const unit = 1_000_000_000n;

/** A limit is at least the request, and at most so much of it as the greatest is of the least. */
function* ratioIssues({ maxLimitRequestRatio = {}, min, max }: LimitRangeItem, at: FieldPath): Iterable<Issue> {
  for (const [name, given] of Object.entries(maxLimitRequestRatio)) {
    const [ratio, text] = [amountOf(given), canonicalQuantity(given)];
    if (ratio < unit) yield at.key(name).invalid(text, `ratio ${text} is less than 1`);
    const [least, greatest] = [amountOf(min?.[name] ?? '0'), amountOf(max?.[name] ?? '0')];
    if (least <= 0n || greatest <= 0n) continue;
    const bound = Number(greatest) / Number(least);
    if (Number(ratio) / Number(unit) > bound)
      yield at.key(name).invalid(text, `ratio ${text} is greater than max/min = ${bound.toFixed(6)}`);
  }
}

/** What is no amount has been refused before. */
function amountOf(text: string): bigint {
  return parseQuantity(text) ?? 0n;
}
