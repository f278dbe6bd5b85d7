import { failure, type Status, type StatusReason } from '../status.ts';

/** What the server answered, when it is no object. */
export interface Refusal {
  readonly code: number;
  readonly text: string;
  /** `Retry-After` in seconds. */
  readonly retryAfter: number | undefined;
}

const reasons: Readonly<Record<number, StatusReason>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const textCharactersMax = 512;

/** The server's own Status, or one made of what a proxy in between said. */
export function statusOf({ code, text, retryAfter }: Refusal): Status {
  const status = parseStatus(text) ?? failure(code, reasons[code] ?? 'InternalError', describe(code, text), {});
  if (retryAfter === undefined || status.details?.retryAfterSeconds !== undefined) return status;
  return { ...status, details: { ...status.details, retryAfterSeconds: retryAfter } };
}

function parseStatus(text: string): Status | undefined {
  try {
    const value = JSON.parse(text) as Partial<Status> | null;
    return value?.kind === 'Status' && typeof value.code === 'number' ? (value as Status) : undefined;
  } catch {
    return undefined;
  }
}

function describe(code: number, text: string): string {
  const words = text.replace(/\s+/g, ' ').trim().slice(0, textCharactersMax);
  return words === '' ? `the server answered ${code}` : `the server answered ${code}: ${words}`;
}
