/** What went wrong on the other side of the socket: its words, and the code where it has one (`ECONNREFUSED`, `NotFound`). */
export class InsideFailure extends Error {
  readonly code: string;
  constructor(message: string, { code, cause }: { readonly code: string; readonly cause?: unknown }) {
    super(message, { cause });
    this.name = 'InsideFailure';
    this.code = code;
  }
}

export interface FailureBody {
  readonly message: string;
  readonly code: string;
}

/** `NotFound`: no such pod or container. `Invalid`: a name or value that is refused. `Expired`: events that are forgotten. */
export type KnownCode = 'NotFound' | 'Invalid' | 'Expired';

const statuses: Readonly<Record<string, number>> = { NotFound: 404, Invalid: 400, Expired: 410 };

export function notFound(what: string): InsideFailure {
  return new InsideFailure(`there is no ${what} inside`, { code: 'NotFound' });
}

export function invalid(message: string): InsideFailure {
  return new InsideFailure(message, { code: 'Invalid' });
}

export function encodeFailure(error: unknown): { readonly status: number; readonly body: FailureBody } {
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  return { status: statuses[code] ?? 500, body: { message, code } };
}

export function decodeFailure(text: string, cause?: unknown): InsideFailure {
  const body = parsed(text);
  return new InsideFailure(body.message, { code: body.code, ...(cause === undefined ? {} : { cause }) });
}

function parsed(text: string): FailureBody {
  try {
    const { message, code } = JSON.parse(text) as Partial<FailureBody>;
    return { message: String(message), code: String(code) };
  } catch {
    return { message: text === '' ? 'no answer from inside' : text, code: 'Unknown' };
  }
}

export function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : 'Unknown';
}
