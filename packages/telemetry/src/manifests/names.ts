import { createHash } from 'node:crypto';

/** The first eight hexadecimal digits of the text's SHA-256. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

export const labelLengthMax = 63;

/** The longest name of a StatefulSet whose pods can carry its revisions, `NAME-0123456789`, as a label. */
export const statefulSetNameMax: number = labelLengthMax - '-0123456789'.length;

/** `text` as a DNS label: lower case, other characters become `-`, at most 63 of them. */
export function dnsLabel(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^-a-z0-9]/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
}

/** Like {@link dnsLabel}, but never one of `taken`: then a hash of the text tells it apart. */
export function uniqueDnsLabel(text: string, taken: ReadonlySet<string>): string {
  const label = dnsLabel(text);
  return taken.has(label) ? `${label.slice(0, 54)}-${shortHash(text)}` : label;
}
