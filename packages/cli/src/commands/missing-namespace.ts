/** Why an object is not there where its namespace is not. Undefined: it is, or nobody knows which there are. */
export function missingNamespace(
  what: string,
  { namespace, known }: { readonly namespace: string; readonly known: readonly string[] },
): string | undefined {
  if (known.length === 0 || known.includes(namespace)) return undefined;
  const more = known.length > namedMax ? ` and ${known.length - namedMax} more` : '';
  return `there is no namespace ${namespace}, and so no ${what}; there are ${known.slice(0, namedMax).join(', ')}${more}`;
}

const namedMax = 5;
