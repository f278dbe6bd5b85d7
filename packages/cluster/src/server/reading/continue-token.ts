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
  if (token === undefined || token.of !== prefix) throw new StatusError(badRequest('continue key is not valid'));
  return token;
}

function parse(text: string): ContinueToken | undefined {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!isObject(content) || content.v !== 'signalbox/1') return undefined;
  const { of, rv, after, left } = content;
  if (typeof of !== 'string' || typeof after !== 'string' || typeof rv !== 'number') return undefined;
  if (!Number.isSafeInteger(rv) || rv === 0 || rv < -1) return undefined;
  const remaining = typeof left === 'number' && Number.isSafeInteger(left) && left > 0 ? left : undefined;
  return { of, revision: rv === -1 ? undefined : rv, after, remaining };
}
