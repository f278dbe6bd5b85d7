import { fromStrictTimestamp } from '../../base/clock.ts';
import { remember } from '../../base/remember.ts';
import { canonicalQuantity, quantityMessage } from '../quantity.ts';
import type { SchemaNode } from './node.ts';

/** What is wrong with one value: its type, or a sentence. */
export interface Problem {
  readonly problem: string;
  readonly found: unknown;
}

/** Checks a value that is neither object nor list, and brings it into the form the API shows. */
export function checkScalar(value: unknown, node: SchemaNode): { readonly value: unknown } | Problem {
  if (node.intOrString === true) {
    return typeof value === 'string' || isInteger(value, 'int32') ? { value } : wrongType(value);
  }
  if (node.quantity === true) return checkQuantity(value);
  switch (node.type) {
    case 'integer':
      return isInteger(value, node.format) ? { value } : wrongType(value);
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? { value } : wrongType(value);
    case 'boolean':
      return typeof value === 'boolean' ? { value } : wrongType(value);
    default:
      return typeof value === 'string' ? checkText(value, node) : wrongType(value);
  }
}

function wrongType(found: unknown): Problem {
  return { problem: 'type', found };
}

/** A bigint is a 64-bit integer that no double can hold: the decoders make no others. */
function isInteger(value: unknown, format: string | undefined): boolean {
  if (typeof value === 'bigint') return format !== 'int32';
  if (!Number.isSafeInteger(value)) return false;
  return format !== 'int32' || (value as number) === ((value as number) | 0);
}

function checkQuantity(value: unknown): { readonly value: unknown } | Problem {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
    return { problem: quantityMessage, found: value };
  const canonical = canonicalQuantity(typeof value === 'string' ? value.trim() : String(value));
  return canonical === undefined ? { problem: quantityMessage, found: value } : { value: canonical };
}

function checkText(text: string, node: SchemaNode): { readonly value: unknown } | Problem {
  // Schemas of custom resources have their formats checked by `validateValue`.
  if (node.nullIsAbsent !== true) return { value: text };
  switch (node.format) {
    case 'date-time':
      return node.definition?.endsWith('.MicroTime') === true ? checkMicroTime(text) : checkSecond(text);
    case 'byte': {
      const bad = base64Problem(text);
      return bad === undefined ? { value: text } : { problem: `illegal base64 data at input byte ${bad}`, found: text };
    }
    default:
      return { value: text };
  }
}

const seconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;
/** With six digits, no more and no fewer. */
const microLayout = '2006-01-02T15:04:05.000000Z07:00';
const rfc3339 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

type Answer = { readonly value: unknown } | Problem;

// What is written in one second carries the same few times.
const checkSecond = remember((text): Answer => checkTime(text, false));
const checkMicroTime = (text: string): Answer => checkTime(text, true);

/** Whether it is a MicroTime in the form in which all are shown. */
export function isMicroTime(text: string): boolean {
  const answer = checkMicroTime(text);
  return 'value' in answer && answer.value === text;
}

/** Times are shown in UTC, in whole seconds, or with six digits when the type is MicroTime. */
function checkTime(text: string, micro: boolean): Answer {
  const parts = rfc3339.exec(text);
  const ms = parts === null ? Number.NaN : fromStrictTimestamp(`${parts[1] ?? ''}${parts[3] ?? ''}`);
  if (parts === null || Number.isNaN(ms)) {
    const layout = micro ? microLayout : '2006-01-02T15:04:05Z07:00';
    return { problem: timeProblem(text, layout), found: text };
  }
  if (micro && parts[2]?.length !== 7) {
    const rest = text.slice((parts[1] ?? '').length);
    return { problem: `parsing time "${text}" as "${microLayout}": cannot parse "${rest}" as ".000000"`, found: text };
  }
  if (!micro && seconds.test(text)) return { value: text };
  const whole = new Date(ms).toISOString().slice(0, -5);
  const fraction = (parts[2] ?? '').slice(1, 7).padEnd(6, '0');
  return { value: micro ? `${whole}.${fraction}Z` : `${whole}Z` };
}

/** The parts of a layout, and what each takes. */
const timeParts: readonly (readonly [name: string, takes: RegExp, what?: string, max?: number])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d{2}/, 'month', 12],
  ['-', /^-/],
  ['02', /^\d{2}/, 'day', 31],
  ['T', /^T/],
  ['15', /^\d{2}/, 'hour', 23],
  [':', /^:/],
  ['04', /^\d{2}/, 'minute', 59],
  [':', /^:/],
  ['05', /^\d{2}(?:[.,]\d+)?/, 'second', 59],
  ['Z07:00', /^(?:Z|[+-]\d{2}:\d{2})/],
];

/** Why a text is no time, in the words of Go: which part of the layout does not fit, and what stands there. */
function timeProblem(text: string, layout: string): string {
  let rest = text;
  for (const [name, takes, what = '', max = Number.POSITIVE_INFINITY] of timeParts) {
    const taken = takes.exec(rest)?.[0];
    if (taken === undefined) return `parsing time "${text}" as "${layout}": cannot parse "${rest}" as "${name}"`;
    const value = Number(taken);
    if (value > max || (value === 0 && (what === 'month' || what === 'day')))
      return `parsing time "${text}": ${what} out of range`;
    rest = rest.slice(taken.length);
  }
  return rest === '' ? `parsing time "${text}": day out of range` : `parsing time "${text}": extra text: "${rest}"`;
}

/** The index of the first character that is no base64; line breaks are allowed. */
export function base64Problem(text: string): number | undefined {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const lines = text.replace(/[\r\n]/g, '');
  if (lines.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(lines)) return undefined;
  const first = lines.search(/[^A-Za-z0-9+/]/);
  // What is left over of the last four begins there.
  return first < 0 ? lines.length - (lines.length % 4) : first;
}

/** What Go puts where a list or map holds null. */
export function zeroOf(node: SchemaNode): unknown {
  if (node.intOrString === true) return 0;
  switch (node.type) {
    case 'object':
      return {};
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    default:
      return node.quantity === true ? '0' : node.format === 'date-time' ? null : '';
  }
}
