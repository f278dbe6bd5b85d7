import { isObject } from '../../api/record.ts';
import { badRequest, StatusError } from '../../api/status.ts';

/** Where the next page of a list starts. Opaque to clients; bound to one collection. */
export interface ContinueToken {
  /** The collection's prefix in the store. */
  readonly of: string;
  /** The revision that all pages show; undefined after the first revision expired: then the newest. */
  readonly revision: number | undefined;
  /** The last key that was looked at, relative to the prefix. */
  readonly after: string;
  /** How many objects follow, if that is known: pages of one revision need to be counted once. */
  readonly remaining: number | undefined;
}

export function encodeContinue({ of, revision, after, remaining }: ContinueToken): string {
  const content = { v: 'signalbox/1', of, rv: revision ?? -1, after, left: remaining };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Throws 400 for a token that this server did not give out for this collection. */
export function decodeContinue(text: string, prefix: string): ContinueToken {
  const token = parse(text);
  if (typeof token === 'string') throw notValid(token);
  if (token.of !== prefix) throw notValid('it is of another collection');
  return token;
}

function notValid(why: string): StatusError {
  return new StatusError(badRequest(`invalid continue token: continue key is not valid: ${why}`));
}

/** What it says, or why it says nothing. */
function parse(text: string): ContinueToken | string {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) return 'illegal base64 data';
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString());
  } catch {
    return 'it is no JSON';
  }
  const { v, of, rv, after, left } = isObject(content) ? content : {};
  if (v !== 'signalbox/1') return `server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`;
  if (typeof of !== 'string' || typeof after !== 'string' || typeof rv !== 'number') return 'something is missing';
  if (!Number.isSafeInteger(rv) || rv === 0 || rv < -1) return 'incorrect encoded start resourceVersion';
  const remaining = typeof left === 'number' && Number.isSafeInteger(left) && left > 0 ? left : undefined;
  return { of, revision: rv === -1 ? undefined : rv, after, remaining };
}
