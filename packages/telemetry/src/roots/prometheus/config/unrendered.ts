import type { Leaf } from '../../../scrape/leaf.ts';

/**
 * Which fields of an object something is rendered from. `true`: the whole field; a function: whether this value is (such
 * as the default of a choice); a record: these members of it, or of each item of a list.
 */
export type RenderedFields = true | ((value: unknown) => boolean) | { readonly [field: string]: RenderedFields };

/**
 * The fields that are set and that nothing comes of, in the object's own order: `spec.thanos`,
 * `spec.endpoints[0].proxyUrl`. Nothing that a user writes may be silently without effect.
 */
export function* unrenderedFields(value: unknown, rendered: RenderedFields, at: string): Generator<string> {
  if (rendered === true || isEmpty(value)) return;
  if (typeof rendered === 'function') {
    if (!rendered(value)) yield at;
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* unrenderedFields(item, rendered, `${at}[${index}]`);
    return;
  }
  if (typeof value !== 'object') return;
  for (const [field, member] of Object.entries(value as object)) {
    if (isEmpty(member)) continue;
    const inner = Object.hasOwn(rendered, field) ? rendered[field] : undefined;
    if (inner === undefined) yield `${at}.${field}`;
    else yield* unrenderedFields(member, inner, `${at}.${field}`);
  }
}

/** Warns of every such field of an object's spec. */
export function warnOfUnrendered(spec: unknown, rendered: RenderedFields, leaf: Leaf): void {
  for (const field of unrenderedFields(spec, rendered, 'spec'))
    leaf.warn('UnsupportedField', field, 'is not rendered by this operator yet, so the field has no effect');
}

/** One of the values that mean what happens anyway. */
export function only(...values: readonly unknown[]): (value: unknown) => boolean {
  return (value) => values.includes(value);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}
