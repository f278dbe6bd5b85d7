import type { Operation, Outcome, WatchEvent, WatchOperation } from '../../api/operation.ts';
import type { Passed, Passing } from '../../api/passing.ts';
import { failure, StatusError } from '../../api/status.ts';
import { objectOf, warningsOf } from '../../api/wire/answer.ts';
import { encodeRequest, encodeWatch, type WireRequest } from '../../api/wire/encode-request.ts';
import { splitLines } from '../../api/wire/lines.ts';
import { statusOf } from '../../api/wire/refusal.ts';
import { parseExactJson } from '../../base/exact-json.ts';
import { freeze } from '../../base/freeze.ts';
import type { OtherApi } from '../context/other-apis.ts';

interface Waiting {
  readonly signal: AbortSignal;
}

/** What a client in this process asks of an API that is answered elsewhere: the request as it would come over the wire. */
export async function performElsewhere(api: OtherApi, operation: Operation, { signal }: Waiting): Promise<Outcome> {
  const answer = await ask(api, { request: encodeRequest(operation), user: operation.user, signal });
  const text = await textOf(answer.body);
  const contentType = String(answer.headers['content-type'] ?? '');
  const object = objectOf({ contentType, text }, `the API ${nameOf(api)}`);
  return { code: answer.code, object: freeze(object), warnings: warningsOf(answer.headers['warning']) };
}

export async function* watchElsewhere(
  api: OtherApi,
  operation: WatchOperation,
  { signal }: Waiting,
): AsyncGenerator<WatchEvent> {
  const { body } = await ask(api, { request: encodeWatch(operation), user: operation.user, signal });
  for await (const line of splitLines(body)) yield freeze(parseExactJson(line.toString('utf8')) as WatchEvent);
}

interface Asking extends Waiting {
  readonly request: WireRequest;
  readonly user: Operation['user'];
}

async function ask(
  api: OtherApi,
  { request, user, signal }: Asking,
): Promise<Extract<Passed, { readonly is: 'answer' }>> {
  const { method, target, contentType, body = '' } = request;
  const [path = '', query = ''] = target.split('?', 2);
  const passing: Passing = {
    ...{ method, path, query, signal, upgrades: false },
    headers: { accept: 'application/json', ...(contentType !== undefined && { 'content-type': contentType }) },
    body: async () => Buffer.from(body),
  };
  const passed = await api.pass(passing, user);
  if (passed.is === 'taken') throw new StatusError(failure(502, 'InternalError', `${nameOf(api)} took the connection`));
  if (passed.code < 400) return passed;
  const retryAfter = Number(passed.headers['retry-after'] ?? Number.NaN);
  const text = await textOf(passed.body);
  const refusal = { code: passed.code, text, retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined };
  throw new StatusError(statusOf(refusal));
}

/** Nothing that anybody lists is larger. */
const answerBytesMax = 256 * 2 ** 20;

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > answerBytesMax)
      throw new StatusError(
        failure(500, 'InternalError', `an answer is larger than ${answerBytesMax} bytes; ask for pages`),
      );
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function nameOf({ group, version }: OtherApi): string {
  return `${version}.${group}`;
}
