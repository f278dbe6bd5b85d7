import type { APIService } from '../../api/apiservices.ts';
import type { User } from '../../api/operation.ts';
import type { Passed, Passing } from '../../api/passing.ts';
import { failure, isStatusError, StatusError } from '../../api/status.ts';
import { type Limit, limitTime } from '../../base/limit.ts';
import type { ServerContext } from '../context/context.ts';
import type { PassToServer } from '../context/other-apis.ts';
import { isWatch, parseQuery } from '../http/codec/query.ts';
import { destinationOf } from './destination.ts';
import { remoteHeaders } from './remote-headers.ts';

export interface Remote {
  readonly service: APIService;
  readonly context: ServerContext;
  readonly passToServer: PassToServer | undefined;
}

/** How long a request other than a watch may take, its answer included. */
const requestMs = 60_000;

/** Hands a request on to the server of an APIService. Throws 503 when nobody is reached, 504 when it takes too long. */
export async function passToRemote(remote: Remote, passing: Passing, user: User): Promise<Passed> {
  if (isLasting(passing)) return send(remote, passing, user);
  const { outsideClock: clock } = remote.context;
  const limit = limitTime(requestMs, { clock, signal: passing.signal, late: () => new StatusError(timedOut) });
  try {
    const passed = await send(remote, { ...passing, signal: limit.signal }, user);
    if (passed.is === 'answer') return { ...passed, body: limited(passed.body, limit) };
    limit.release();
    return passed;
  } catch (error) {
    limit.release();
    throw error;
  }
}

const timedOut = failure(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout', {});

function isLasting({ upgrades, query }: Passing): boolean {
  if (upgrades) return true;
  try {
    return isWatch(parseQuery(query));
  } catch {
    return false;
  }
}

async function* limited(body: AsyncIterable<Buffer>, limit: Limit): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } finally {
    limit.release();
  }
}

async function send({ service, context, passToServer }: Remote, passing: Passing, user: User): Promise<Passed> {
  const to = destinationOf(context, service);
  const adds = remoteHeaders(user);
  switch (to.is) {
    case 'nowhere':
      throw unreached(to.why);
    case 'address':
      if (passToServer === undefined) throw unreached('this server calls on nobody');
      return passToServer(to, passing, adds).catch((error: unknown) => {
        passing.signal.throwIfAborted();
        throw unreached(error instanceof Error ? error.message : String(error), error);
      });
    case 'pod': {
      const { nodeDoors } = context;
      if (nodeDoors === undefined) throw unreached('this server has no way to nodes');
      const place = [to.namespace, to.pod, 'https', String(to.port)].map(encodeURIComponent).join('/');
      const path = `/proxy/${place}${passing.path}${passing.query === '' ? '' : `?${passing.query}`}`;
      return nodeDoors({ node: to.node, path, what: 'services/proxy', adds }, passing).catch((error: unknown) => {
        passing.signal.throwIfAborted();
        throw isStatusError(error) ? unreached(error.message, error) : error;
      });
    }
    default:
      return to satisfies never;
  }
}

export const unreachedWords = 'error trying to reach service: ';

function unreached(why: string, cause?: unknown): StatusError {
  const status = failure(503, 'ServiceUnavailable', `${unreachedWords}${why}`, {});
  return new StatusError(status, { cause });
}
