import { formatExactJson } from '../../base/exact-json.ts';
import type { LocalApi } from '../context/local-api.ts';
import type { OtherApi } from '../context/other-apis.ts';
import { answerApis } from './answer.ts';

/** The place of metrics among the groups: below everything that people call by a short name. */
const priorityDefault = 100;

/** A part of this process among those that answer for groups of the API. */
export function localApi(api: LocalApi): OtherApi {
  const { group, version, groupPriority = priorityDefault, versionPriority = priorityDefault } = api;
  return {
    ...{ group, version, groupPriority, versionPriority },
    resources: () => api.resources(),
    async pass({ method, path, query, signal }, user) {
      const target = query === '' ? path : `${path}?${query}`;
      const { code, object } = await answerApis([api], { method, target, user, signal });
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' };
      return { is: 'answer', code, headers, body: once(Buffer.from(formatExactJson(object))) };
    },
  };
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
