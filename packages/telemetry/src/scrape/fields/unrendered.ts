/**
 * The fields that are set and that nothing comes of, in the object's own order: `spec.thanos`,
 * `spec.endpoints[0].proxyUrl`. Nothing that a user writes may be silently without effect; that is said of fields, too,
 * which no table has since they are older or younger than all definitions here.
 */
export function* unrenderedFields(value: unknown, fields: object, at: string): Generator<string> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* unrenderedFields(item, fields, `${at}[${index}]`);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value))
    if (!isEmpty(member))
      yield* unrenderedIn(
        member,
        Object.hasOwn(fields, name) ? fields[name as keyof object] : undefined,
        `${at}.${name}`,
      );
}

function* unrenderedIn(
  value: unknown,
  field: { readonly members?: object; readonly only?: readonly unknown[] } | string | undefined,
  at: string,
): Generator<string> {
  if (field === undefined || field === 'no effect') yield at;
  else if (typeof field === 'string') return;
  else if (field.members !== undefined) yield* unrenderedFields(value, field.members, at);
  else if (field.only?.includes(value) === false) yield at;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}
