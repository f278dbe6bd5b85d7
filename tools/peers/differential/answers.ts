import type { JsonObject } from '@signalbox/cluster';
import type { Answered } from '../plane/requests.ts';

/** What is compared of an answer: without what chance, the time and the number of writes have decided. */
export interface Said {
  readonly code: number;
  readonly warnings: string;
  readonly body: unknown;
}

export function saidBy({ code, headers, text }: Answered): Said {
  const { warning } = headers;
  const warnings = typeof warning === 'string' ? warning : (warning ?? []).join(', ');
  return { code, warnings, body: plain(parsed(withoutMadeUp(text))) };
}

/** A refusal tells what prefix the end of a name was made up for. */
function withoutMadeUp(text: string): string {
  const prefix =
    /metadata\.generateName: Invalid value: \\"((?:[^"\\]|\\\\.)*)\\"/.exec(text)?.[1] ??
    /"generateName":"([\w.-]+)"/.exec(text)?.[1];
  if (prefix === undefined || prefix === '') return text;
  const escaped = prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replaceAll(new RegExp(`(${escaped})[a-z0-9]{5}(?=\\\\?")`, 'g'), '$1<any>');
}

/** What a watch has told until now, as a list. */
export function sentBy(text: string): unknown {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return plain(whole.filter((line) => line !== '').map(parsed));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const chosen: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'clusterIP',
  'clusterIPs',
  'nodePort',
  'healthCheckNodePort',
  'selfLink',
  // Of a TokenRequest, when it ends.
  'expirationTimestamp',
]);

const patterns: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\bkube-api-access-[a-z0-9]{5}\b/g, 'kube-api-access-<any>'],
  // Each has certificates of its own.
  [/\bX509SHA256=[0-9a-f]{64}\b/g, 'X509SHA256=<digest>'],
  [/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [
    /(ResourceVersion in object meta: |ResourceVersion in record \(|ResourceVersion in the precondition \(|resourceVersion\\?":\\?")\d+/g,
    '$1<any>',
  ],
  [/\b(?:eyJ2Ijoi)[\w-]+/g, '<continue>'],
  // Ages of rows.
  [/^\d+[smh](?:\d+s)?$/g, '<age>'],
  [/^10\.(?:9[6-9]|10\d|11[01])\.\d+\.\d+$/g, '<address of a service>'],
  [/X509SHA256=[0-9a-f]{64}/g, '<certificate>'],
  [/\beyJhbGciOi[\w.-]+/g, '<token>'],
  [/\bchosen-[a-z0-9]{5}\b/g, 'chosen-<any>'],
  // Ports of nodes, in a row of services.
  [/:3[0-2]\d{3}\/(?=TCP|UDP|SCTP)/g, ':<port>/'],
  [/\bdefault-token-[a-z0-9]{5}\b/g, 'default-token-<any>'],
];

function plain(value: unknown): unknown {
  if (typeof value === 'string') return patterns.reduce((text, [pattern, word]) => text.replace(pattern, word), value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value as JsonObject).filter(([name]) => !chosen.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]));
}
