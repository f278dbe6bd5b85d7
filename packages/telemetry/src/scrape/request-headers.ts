import type { Place } from './checks.ts';

/** What Prometheus and the agent set themselves, so that they refuse a file in which somebody else does. */
const reserved: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'user-agent',
  'www-authenticate',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
  'x-prometheus-remote-read-version',
  'x-prometheus-remote-write-version',
]);

/** Additional headers of requests: those that the file may not have, and those that no request can have. */
export function checkHeaders(headers: Readonly<Record<string, string>> | undefined, { leaf, at }: Place): void {
  for (const [name, value] of Object.entries(headers ?? {})) {
    const problem = nameProblem(name) ?? valueProblem(value);
    if (problem !== undefined) leaf.reject('InvalidField', `${at}[${name}]`, problem);
  }
}

function nameProblem(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower === 'authorization') return 'the ways to log in have fields of their own, such as authorization';
  if (reserved.has(lower)) return `"${name}" is set by the sender itself`;
  // The characters of a token: RFC 9110, 5.6.2.
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) ? undefined : `"${name}" is no name of a header`;
}

/** The value is not quoted: it may be a secret. */
function valueProblem(value: string): string | undefined {
  if (/[\r\n]/.test(value)) return 'its value may not have line breaks';
  // All but the tabulator, as Go has it; what is beyond ASCII passes, but for its control characters.
  return /(?!\t)\p{Cc}/u.test(value) ? 'its value may not have control characters' : undefined;
}
