import type { FieldPath, Issue } from '../../api/issue.ts';

const percent = /^(\d+)%$/;
const percentText =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** A count that is not negative, or a percentage. More than 100% is fine here: see {@link validateAtMostAll}. */
export function* validateIntOrPercent(value: number | string, at: FieldPath): Iterable<Issue> {
  if (typeof value === 'number') {
    if (value < 0) yield at.invalid(value, 'must be greater than or equal to 0');
  } else if (!percent.test(value)) yield at.invalid(value, percentText);
}

/** Percentages of what there is end at 100. */
export function* validateAtMostAll(value: number | string, at: FieldPath): Iterable<Issue> {
  if (Number(percentOf(value) ?? 0) > 100) yield at.invalid(value, 'must not be greater than 100%');
}

/** Whether it is nothing, of however many: `0` or `0%`. Absent counts as nothing. */
export function isNothing(value: number | string | undefined): boolean {
  if (value === undefined || value === 0) return true;
  return typeof value === 'string' && Number(percentOf(value) ?? 1) === 0;
}

function percentOf(value: number | string): string | undefined {
  return typeof value === 'string' ? percent.exec(value)?.[1] : undefined;
}
