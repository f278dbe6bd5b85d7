import { type GroupVersionResource, resourceName } from './gvk.ts';
import type { Issue } from './issue.ts';
import type { ListMeta } from './meta.ts';

/** The API's answer when there is no object to answer with (meta/v1 Status). */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: ListMeta;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code: number;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServerTimeout'
  | 'ServiceUnavailable'
  | 'Timeout'
  | 'StoreReadError'
  | 'InsufficientStorage';

/** The API refused. Carries the Status that goes on the wire. */
export class StatusError extends Error {
  readonly status: Status;
  /** What the user is told besides. */
  readonly warnings: readonly string[];

  constructor(
    status: Status,
    { warnings = [], ...options }: ErrorOptions & { readonly warnings?: readonly string[] } = {},
  ) {
    super(status.message ?? status.reason ?? 'unknown', options);
    this.name = 'StatusError';
    this.status = status;
    this.warnings = warnings;
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): StatusReason | undefined {
    return this.status.reason;
  }
}

/** Whoever is refused is told the warnings as well: they may say why. */
export function refusedWith(error: unknown, warnings: readonly string[]): unknown {
  if (!(error instanceof StatusError) || error.warnings.length > 0 || warnings.length === 0) return error;
  return new StatusError(error.status, { warnings, cause: error });
}

export function failure(code: number, reason: StatusReason, message: string, details?: StatusDetails): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details !== undefined && { details }),
    code,
  };
}

export type Named = Pick<GroupVersionResource, 'group' | 'resource'>;

function detailsOf({ group, resource }: Named, name: string): StatusDetails {
  return { ...(name !== '' && { name }), ...(group !== '' && { group }), kind: resource };
}

export function notFound(resource: Named, name: string): Status {
  return failure(404, 'NotFound', `${resourceName(resource)} "${name}" not found`, detailsOf(resource, name));
}

export function alreadyExists(resource: Named, name: string): Status {
  return failure(409, 'AlreadyExists', `${resourceName(resource)} "${name}" already exists`, detailsOf(resource, name));
}

export function conflict(resource: Named, name: string, why: string): Status {
  return failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${resourceName(resource)} "${name}": ${why}`,
    detailsOf(resource, name),
  );
}

/** What a write gets that was based on an older version of the object. */
export const modifiedMeanwhile: string =
  'the object has been modified; please apply your changes to the latest version and try again';

/** A refusal names so many; half a megabyte of mistakes would otherwise make thirty megabytes of words. */
export const issuesMax = 100;

export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  issues: readonly Issue[],
): Status {
  const named = issues.slice(0, issuesMax);
  const text = named.map(({ field, message }) => `${field}: ${message}`);
  if (issues.length > named.length) text.push('and more');
  const shown = text.length === 1 ? (text[0] ?? '') : `[${text.join(', ')}]`;
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  return failure(422, 'Invalid', `${qualified} "${name}" is invalid: ${shown}`, {
    ...(name !== '' && { name }),
    ...(kind.group !== '' && { group: kind.group }),
    ...(kind.kind !== '' && { kind: kind.kind }),
    causes: named.map(({ reason, field, message }) => ({ reason, message, field })),
  });
}

export function badRequest(message: string): Status {
  return failure(400, 'BadRequest', message);
}

export function forbidden(resource: Named, name: string, why: string, causes?: readonly StatusCause[]): Status {
  const subject = name === '' ? resourceName(resource) : `${resourceName(resource)} "${name}"`;
  const details = detailsOf(resource, name);
  return failure(
    403,
    'Forbidden',
    `${subject} is forbidden: ${why}`,
    causes === undefined ? details : { ...details, causes },
  );
}

export function methodNotAllowed(resource: Named, verb: string): Status {
  return failure(405, 'MethodNotAllowed', `${verb} is not supported on resources of kind "${resourceName(resource)}"`, {
    ...(resource.group !== '' && { group: resource.group }),
    kind: resource.resource,
  });
}

/** No such request can be made there, whatever it says. */
export function noSuchMethod(): Status {
  return failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

/** A resource version or continue token that compaction has passed. */
export function expired(message: string): Status {
  return failure(410, 'Expired', message);
}

export function internalError(message: string): Status {
  return failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

export function isStatusError(error: unknown, reason?: StatusReason): error is StatusError {
  return error instanceof StatusError && (reason === undefined || error.reason === reason);
}

/** What the API finds, or undefined when it answers that there is no such thing. Other failures stay failures. */
export async function ifFound<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return undefined;
    throw error;
  }
}
