import type { CapacityRequestPolicy, CapacityRequestPolicyRange } from '../../api/generated/resource-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { parseQuantity } from '../../api/quantity.ts';
import { atMost, once } from './names.ts';

const optionsMax = 10;

/** How much of a shared capacity may be asked for at once: some values, or a range in steps. `whole` is the capacity. */
export function* policyIssues(policy: CapacityRequestPolicy, at: FieldPath, whole: string): Iterable<Issue> {
  const { validValues = [], validRange } = policy;
  if (validValues.length > 0 && validRange !== undefined)
    yield at.forbidden(
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    );
  else if (validValues.length > 0) {
    if (policy.default === undefined) yield at('default').required('required when validValues is defined');
    else yield* valuesIssues(validValues, at('validValues'), { usual: policy.default, whole });
  } else if (validRange !== undefined) {
    if (policy.default === undefined) yield at('default').required('required when validRange is defined');
    else yield* rangeIssues(validRange, at('validRange'), { usual: policy.default, whole });
  }
}

interface Amounts {
  /** What is asked for where nothing is said. */
  readonly usual: string;
  readonly whole: string;
}

function* valuesIssues(values: readonly string[], at: FieldPath, { usual, whole }: Amounts): Iterable<Issue> {
  for (const [index, value] of values.entries()) {
    const next = values[index + 1];
    if (next !== undefined && of(value) > of(next))
      yield at(index + 1).invalid(next, 'values must be sorted in ascending order');
  }
  for (const [index, value] of values.entries())
    if (of(value) > of(whole)) yield at(index).invalid(value, `option is larger than capacity value: ${whole}`);
  yield* atMost(values, optionsMax, at);
  yield* once(
    values.map((value) => String(of(value))),
    at,
  );
  if (!values.some((value) => of(value) === of(usual)))
    yield at.invalid(usual, 'default value is not valid according to the requestPolicy');
}

function* rangeIssues(range: CapacityRequestPolicyRange, at: FieldPath, amounts: Amounts): Iterable<Issue> {
  const { min, max } = range;
  const { usual, whole } = amounts;
  if (min === undefined) {
    yield at('min').required('required when validRange is defined');
    return;
  }
  if (of(min) > of(whole)) yield at('min').invalid(min, `min is larger than capacity value: ${whole}`);
  if (of(usual) < of(min)) yield at('min').invalid(usual, `default is less than min: ${min}`);
  if (max !== undefined) {
    if (of(min) > of(max)) yield at('max').invalid(min, `min is larger than max: ${max}`);
    if (of(max) > of(whole)) yield at('max').invalid(max, `max is larger than capacity value: ${whole}`);
    if (of(usual) > of(max)) yield at('max').invalid(usual, `default is more than max: ${max}`);
  }
  yield* stepIssues(range, at('step'), amounts);
}

function* stepIssues({ min, max, step }: CapacityRequestPolicyRange, at: FieldPath, amounts: Amounts): Iterable<Issue> {
  if (step === undefined || of(step) <= 0n) return;
  if (of(min) + of(step) > of(amounts.whole))
    yield at.invalid(step, `one step ${step} is larger than capacity value: ${amounts.whole}`);
  for (const value of [amounts.usual, ...(max === undefined ? [] : [max])])
    if ((of(value) - of(min)) % of(step) !== 0n)
      yield at.invalid(value, `value is not a multiple of a given step (${step}) from (${min})`);
}

/** The schema has seen that they are quantities. */
function of(quantity: string): bigint {
  return parseQuantity(quantity) ?? 0n;
}
