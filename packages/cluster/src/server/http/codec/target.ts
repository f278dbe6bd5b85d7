import { badRequest, failure, type Status, StatusError } from '../../../api/status.ts';
import { parseQuery, type Query } from './query.ts';

/** What stands in a request's first line, read once for whoever answers it. */
export interface Target {
  /** Of the path, decoded. */
  readonly segments: readonly string[];
  readonly query: Query;
  /** The path is one of those by which only watches were asked for, before there was a parameter for it. */
  readonly watches?: true;
}

/** `target` is the request target as it came. Throws a 400 or 404 `StatusError`. */
export function parseTarget(target: string): Target {
  const question = target.indexOf('?');
  const [path, asked] = question < 0 ? [target, ''] : [target.slice(0, question), target.slice(question + 1)];
  const segments = segmentsOf(path);
  if (!watchPath.test(path)) return { segments, query: parseQuery(asked) };
  return { segments, query: parseQuery(asked === '' ? 'watch=true' : `${asked}&watch=true`), watches: true };
}

/** `/api/v1/watch/pods`: deprecated for long, and served by upstream all the same. */
const watchPath = /^\/(?:api|apis\/[^/]+)\/[^/]+\/watch(?=\/[^/])/;

/** The answer to a path that means nothing. */
export function unknownPath(): Status {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** The path of what is no resource, as it is read; what cannot be read, as it came. */
export function plainPath(rawPath: string): string {
  try {
    return `/${segmentsOf(rawPath).join('/')}`;
  } catch {
    return rawPath;
  }
}

/** A request's path is read twice, once to judge the request and once to answer it. */
let last: { readonly rawPath: string; readonly segments: readonly string[] } = { rawPath: '/', segments: [] };

/** Decodes every segment exactly once, so that nothing that comes later can read the path differently. */
export function segmentsOf(rawPath: string): readonly string[] {
  if (rawPath !== last.rawPath) last = { rawPath, segments: Object.freeze(readSegments(rawPath)) };
  return last.segments;
}

function readSegments(rawPath: string): string[] {
  if (!rawPath.startsWith('/')) throw new StatusError(badRequest('the request target must be a path'));
  const path = rawPath.replace(watchPath, (front) => front.slice(0, -'/watch'.length));
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  return trimmed === '' ? [] : trimmed.split('/').map(decodeSegment);
}

function decodeSegment(raw: string): string {
  if (raw === '') throw new StatusError(unknownPath());
  let segment: string;
  try {
    segment = raw.includes('%') ? decodeURIComponent(raw) : raw;
  } catch (cause) {
    throw new StatusError(badRequest('the path holds a broken percent-encoding'), { cause });
  }
  if (segment === '.' || segment === '..' || /[\p{Cc}/\\]/u.test(segment))
    throw new StatusError(badRequest(`the path segment ${JSON.stringify(segment)} is not allowed`));
  return segment;
}
