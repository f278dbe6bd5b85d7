import { badRequest, failure, type Status, StatusError } from '../../../api/status.ts';
import { parseQuery, type Query } from './query.ts';

/** What stands in a request's first line, read once for whoever answers it. */
export interface Target {
  /** Of the path, decoded. */
  readonly segments: readonly string[];
  readonly query: Query;
}

/** `target` is the request target as it came. Throws a 400 or 404 `StatusError`. */
export function parseTarget(target: string): Target {
  const question = target.indexOf('?');
  if (question < 0) return { segments: segmentsOf(target), query: parseQuery('') };
  return { segments: segmentsOf(target.slice(0, question)), query: parseQuery(target.slice(question + 1)) };
}

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
  const trimmed = rawPath.length > 1 && rawPath.endsWith('/') ? rawPath.slice(1, -1) : rawPath.slice(1);
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
