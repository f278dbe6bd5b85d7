import { unrenderedFields } from '../../../../scrape/fields/unrendered.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';

/** Warns of every field of an object's spec that is set and that nothing comes of. */
export function warnOfUnrendered(spec: unknown, fields: object, leaf: Leaf): void {
  for (const field of unrenderedFields(spec, fields, 'spec'))
    leaf.warn('UnsupportedField', field, 'is not rendered by this operator yet, so the field has no effect');
}
