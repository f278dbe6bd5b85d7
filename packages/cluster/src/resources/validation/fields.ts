/** Rules that many kinds share: amounts, choices, what may not change. */

import type { FieldPath, Issue } from '../../api/issue.ts';
import { qualifiedNameProblems } from '../../api/names.ts';
import { parseQuantity, quantityMessage } from '../../api/quantity.ts';
import { equal } from '../../base/equal.ts';

export function* unchanged(next: unknown, current: unknown, at: FieldPath): Iterable<Issue> {
  if (!equal(next, current)) yield at.invalid(next, 'field is immutable');
}

/** `supported` in the order the message lists them. An absent value is left to {@link requiredOneOf}. */
export function* oneOf(value: string | undefined, supported: readonly string[], at: FieldPath): Iterable<Issue> {
  if (value !== undefined && !supported.includes(value)) yield at.notSupported(value, supported);
}

export function* requiredOneOf(
  value: string | undefined,
  supported: readonly string[],
  at: FieldPath,
): Iterable<Issue> {
  if (value === undefined || value === '') yield at.required();
  else if (!supported.includes(value)) yield at.notSupported(value, supported);
}

export function* notNegative(value: number | undefined, at: FieldPath): Iterable<Issue> {
  if (value !== undefined && value < 0) yield at.invalid(value, 'must be greater than or equal to 0');
}

export function* quantity(value: string | number, at: FieldPath): Iterable<Issue> {
  const nano = parseQuantity(value);
  if (nano === undefined) yield at.invalid(value, quantityMessage);
  else if (nano < 0n) yield at.invalid(value, 'must be greater than or equal to 0');
}

export function* positiveQuantity(value: string | number, at: FieldPath): Iterable<Issue> {
  const nano = parseQuantity(value);
  if (nano === undefined) yield at.invalid(value, quantityMessage);
  else if (nano <= 0n) yield at.invalid(value, 'must be greater than zero');
}

/** Amounts by resource name: `capacity`, `requests`, `hard`. */
export function* resourceAmounts(
  amounts: Readonly<Record<string, string>> | undefined,
  at: FieldPath,
): Iterable<Issue> {
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    for (const problem of qualifiedNameProblems(name)) yield at.key(name).invalid(name, problem);
    yield* quantity(amount, at.key(name));
  }
}

/** A count, or a percentage of one between 0% and 100%. */
export function* countOrPercent(value: number | string, at: FieldPath): Iterable<Issue> {
  if (typeof value === 'number') {
    yield* notNegative(value, at);
    return;
  }
  const percent = /^(\d+)%$/.exec(value);
  if (percent === null)
    yield at.invalid(
      value,
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    );
  else if (Number(percent[1]) > 100) yield at.invalid(value, 'must not be greater than 100%');
}
