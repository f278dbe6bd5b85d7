import type { Operation, Outcome, WatchEvent, WatchOperation } from '../../api/operation.ts';
import type { Passing } from '../../api/passing.ts';
import { encodeRequest, encodeWatch, type WireRequest } from '../../api/wire/encode-request.ts';
import { splitLines } from '../../api/wire/lines.ts';
import { accepted, outcomeOf, type PassedAnswer } from '../../api/wire/passed.ts';
import { parseExactJson } from '../../base/exact-json.ts';
import { freeze } from '../../base/freeze.ts';
import type { OtherApi } from '../context/other-apis.ts';

interface Waiting {
  readonly signal: AbortSignal;
}

/** What a client in this process asks of an API that is answered elsewhere: the request as it would come over the wire. */
export async function performElsewhere(api: OtherApi, operation: Operation, { signal }: Waiting): Promise<Outcome> {
  const answer = await ask(api, { request: encodeRequest(operation), user: operation.user, signal });
  return outcomeOf(answer, `the API ${nameOf(api)}`);
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

async function ask(api: OtherApi, { request, user, signal }: Asking): Promise<PassedAnswer> {
  const { method, target, contentType, body = '' } = request;
  const [path = '', query = ''] = target.split('?', 2);
  const passing: Passing = {
    ...{ method, path, query, signal, upgrades: false },
    headers: { accept: 'application/json', ...(contentType !== undefined && { 'content-type': contentType }) },
    body: async () => Buffer.from(body),
  };
  return accepted(await api.pass(passing, user), `the API ${nameOf(api)}`);
}

function nameOf({ group, version }: OtherApi): string {
  return `${version}.${group}`;
}
