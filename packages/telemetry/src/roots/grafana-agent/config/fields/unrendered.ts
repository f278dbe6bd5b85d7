import type { Place } from '../../../../scrape/checks.ts';
import { unrenderedFields } from '../../../../scrape/fields/unrendered.ts';

/** Warns of every field that is set and that nothing comes of: the definitions are younger than the agent. */
export function warnOfUnrendered(value: unknown, fields: object, { leaf, at }: Place): void {
  for (const field of unrenderedFields(value, fields, at))
    leaf.warn('UnsupportedField', field, 'the Grafana Agent has no such setting, so the field has no effect');
}
