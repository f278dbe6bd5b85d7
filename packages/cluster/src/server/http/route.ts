import type { User } from '../../api/operation.ts';
import { assert } from '../../base/assert.ts';
import type { ServedApi } from '../context/served-api.ts';
import type { Answer } from './codec/answer.ts';
import { wrongMethod } from './codec/decode.ts';
import { limitOf, type Query } from './codec/query.ts';
import type { Target } from './codec/target.ts';

/** What the listener answers beside the API: a value in its list. Who may ask, the authorizer says, by path and method. */
export interface Route {
  /** As discovery names it: `/readyz`. */
  readonly path: string;
  /** `below`: everything under the path as well, such as `/readyz/ping`. */
  readonly covers: 'path' | 'below';
  /** Other methods get a 405. */
  readonly methods: readonly ('GET' | 'HEAD' | 'POST')[];
  /**
   * `read`: it counts against the limits and the time of reads until its answer has begun. `none`: it is answered also when
   * the server is full, so it must be cheap.
   */
  readonly seat: 'read' | 'none';
  /** Whether `GET /` names it. The default is that it does. */
  readonly isListed?: boolean;
  /** Refusals are thrown as `StatusError`. */
  answer(request: RouteRequest): Answer | Promise<Answer>;
}

export interface RouteRequest {
  /** One of the route's. */
  readonly method: string;
  /** What stands below the path, decoded: `ping` of `/readyz/ping`. */
  readonly below: readonly string[];
  readonly query: Query;
  readonly user: User;
  /** Aborts when the client has gone away or the listener closes; a stream ends by it. */
  readonly signal: AbortSignal;
}

/** A request that a route answers. */
export interface Routed {
  readonly asks: 'route';
  readonly method: string;
  readonly route: Route;
  readonly below: readonly string[];
  readonly query: Query;
  readonly timeoutMs?: number;
}

/** Finds the route of a request: undefined when it is for the API. Throws a 400 or 405 `StatusError`. */
export type RouteOf = (method: string, target: Target) => Routed | undefined;

/** Where the API is. */
const taken: ReadonlySet<string> = new Set(['api', 'apis', 'openapi', 'version']);

export function createRoutes(routes: readonly Route[]): RouteOf {
  const table = routes.map((route) => ({ route, path: route.path.slice(1).split('/') }));
  for (const [index, { route, path }] of table.entries()) {
    assert(route.path.startsWith('/') && path.every((segment) => segment !== ''), 'a route has a path', {
      path: route.path,
    });
    assert(!taken.has(path[0] ?? ''), 'a route is beside the API', { path: route.path });
    assert(
      table.slice(0, index).every((earlier) => !covers(earlier, path) && !covers({ route, path }, earlier.path)),
      'no two routes answer one path',
      { path: route.path },
    );
  }
  const firsts = new Set(table.map(({ path }) => path[0]));
  return (method, { segments, query }) => {
    // Nearly all requests are for the API.
    if (segments[0] === undefined || !firsts.has(segments[0])) return undefined;
    const found = table.find((entry) => covers(entry, segments));
    if (found === undefined) return undefined;
    const { route, path } = found;
    const limit = limitOf(query);
    if (!route.methods.some((each) => each === method)) throw wrongMethod();
    return { asks: 'route', method, route, below: segments.slice(path.length), query, ...limit };
  };
}

function covers(
  { route, path }: { readonly route: Route; readonly path: readonly string[] },
  segments: readonly string[],
): boolean {
  if (route.covers === 'path' && segments.length !== path.length) return false;
  return path.every((segment, index) => segments[index] === segment);
}

/** The API with routes in the list of paths (`GET /`). */
export function withRoutePaths(
  api: Pick<ServedApi, 'document'>,
  routes: readonly Route[],
): Pick<ServedApi, 'document'> {
  const made = new WeakMap<object, object>();
  const listed = routes.filter(({ isListed = true }) => isListed).map(({ path }) => path);
  return {
    document(request) {
      const document = api.document(request);
      if (request.what !== 'paths' || document === undefined) return document;
      // The same object for the same list: its bytes and its ETag are made once.
      const known = made.get(document);
      if (known !== undefined) return known;
      const { paths } = document as { readonly paths: readonly string[] };
      const all = { paths: [...paths, ...listed].sort() };
      made.set(document, all);
      return all;
    },
  };
}
