import { freeze } from '../../base/freeze.ts';
import type { Outcome } from '../operation.ts';
import type { Passed } from '../passing.ts';
import { failure, StatusError } from '../status.ts';
import { objectOf, warningsOf } from './answer.ts';
import { statusOf } from './refusal.ts';

export type PassedAnswer = Extract<Passed, { readonly is: 'answer' }>;

/** What came back of a request that asked for no other protocol. A refusal is thrown as a `StatusError`. */
export async function accepted(passed: Passed, server: string): Promise<PassedAnswer> {
  if (passed.is === 'taken') throw new StatusError(failure(502, 'InternalError', `${server} took the connection`));
  if (passed.code < 400) return passed;
  const retryAfter = Number(passed.headers['retry-after'] ?? Number.NaN);
  const text = await textOf(passed.body);
  const refusal = { code: passed.code, text, retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined };
  throw new StatusError(statusOf(refusal));
}

/** The same as a client in this process gets it. `server` is whom a complaint names. */
export async function outcomeOf(passed: Passed, server: string): Promise<Outcome> {
  const { code, headers, body } = await accepted(passed, server);
  const text = await textOf(body);
  const contentType = String(headers['content-type'] ?? '');
  return { code, object: freeze(objectOf({ contentType, text }, server)), warnings: warningsOf(headers['warning']) };
}

/** Nothing that anybody lists is larger. */
const answerBytesMax = 256 * 2 ** 20;

/** All of a body. Throws a `StatusError` when it is too much. */
export async function textOf(body: AsyncIterable<Buffer>, bytesMax: number = answerBytesMax): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > bytesMax)
      throw new StatusError(failure(500, 'InternalError', `an answer is larger than ${bytesMax} bytes; ask for pages`));
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
