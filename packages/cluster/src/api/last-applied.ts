import { formatExactJson } from '../base/exact-json.ts';
import { isObject } from './record.ts';

/** Where `kubectl apply` keeps what it was last given; sharing it lets several tools work on one object. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * As Go's encoder writes a map: keys sorted, what HTML could mistake escaped, a line feed at the end. Other letters for
 * the same declaration would be a change to kubectl, and ours to it, in turns for ever.
 */
export function goJson(object: object): string {
  const escaped = sortedJson(object).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${escaped}\n`;
}

/** Written by hand because an object of JavaScript keeps keys that look like numbers in an order of its own. */
function sortedJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (!isObject(value)) return formatExactJson(value);
  let members = '';
  for (const key of Object.keys(value).sort()) {
    const inner = value[key];
    if (inner !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${sortedJson(inner)}`;
  }
  return `{${members}}`;
}
