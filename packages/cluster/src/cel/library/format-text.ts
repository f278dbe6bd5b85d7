import { valuesOf } from '../values/collections.ts';
import { formatDouble } from '../values/double.ts';
import { describe } from '../values/equality.ts';
import { typeNameOf } from '../values/kind.ts';
import { compareTexts } from '../values/text.ts';
import { Duration, formatDuration, formatTimestamp, Timestamp } from '../values/time.ts';
import { Uint } from '../values/uint.ts';
import { EvaluationError, List, Mapping, TypeName, type Value } from '../values/value.ts';

const clause = /%(?:%|(?:\.(\d*))?(.?))/gsu;

/** `'%s has %d'.format([a, b])` */
export function formatText(template: string, values: readonly Value[]): string {
  let next = 0;
  return template.replace(clause, (whole: string, precision: string | undefined, verb: string | undefined) => {
    if (whole === '%%') return '%';
    if (verb === undefined || verb === '') throw new EvaluationError('unexpected end of string');
    const value = values[next];
    if (value === undefined) throw new EvaluationError(`index ${next} out of range`);
    next++;
    return formatOne(value, { verb, digits: precision === undefined ? undefined : Number(precision) });
  });
}

interface Clause {
  readonly verb: string;
  readonly digits: number | undefined;
}

function formatOne(value: Value, { verb, digits }: Clause): string {
  switch (verb) {
    case 's':
      return shown(value);
    case 'd':
      return decimal(value);
    case 'f':
      return fixed(value, digits ?? 6);
    case 'e':
      return scientific(value, digits ?? 6);
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : integer(value, 'binary clause').toString(2);
    case 'x':
      return hex(value);
    case 'X':
      return hex(value).toUpperCase();
    case 'o':
      return integer(value, 'octal clause').toString(8);
    default:
      throw new EvaluationError(
        `could not parse formatting clause: unrecognized formatting clause ${JSON.stringify(verb)}`,
      );
  }
}

function shown(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatDouble(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof List) return `[${valuesOf(value).map(literal).join(', ')}]`;
  if (value instanceof Mapping) {
    const parts = [...value.keys()].map((key) => [literal(key), literal(value.get(key) ?? null)] as const);
    parts.sort(([x], [y]) => compareTexts(x, y));
    return `{${parts.map((part) => part.join(':')).join(', ')}}`;
  }
  if (value === null || typeof value !== 'object' || value instanceof Uint || value instanceof TypeName)
    return describe(value);
  throw wrong('string clause', value);
}

/** Within lists and maps, values are written as the language writes them. */
function literal(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value.toFixed(6) : JSON.stringify(formatDouble(value));
  if (value instanceof Uint8Array) return `b${JSON.stringify(shown(value))}`;
  if (value instanceof Duration) return `duration(${JSON.stringify(shown(value))})`;
  if (value instanceof Timestamp) return `timestamp(${JSON.stringify(shown(value))})`;
  return shown(value);
}

function wrong(where: string, value: Value): EvaluationError {
  return new EvaluationError(
    `error during formatting: ${where} can only be used on other types, was given ${typeNameOf(value)}`,
  );
}

function decimal(value: Value): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint) return String(value.amount);
  if (typeof value === 'number' && !Number.isFinite(value)) return special(value);
  throw new EvaluationError(
    `error during formatting: decimal clause can only be used on integers, was given ${typeNameOf(value)}`,
  );
}

function special(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

function number(value: Value, where: string): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && ['NaN', 'Infinity', '-Infinity'].includes(value)) return Number(value);
  throw new EvaluationError(
    `error during formatting: ${where} clause can only be used on doubles, was given ${typeNameOf(value)}`,
  );
}

/** With commas between thousands: numbers are written in English. */
function fixed(value: Value, digits: number): string {
  const amount = number(value, 'fixed-point');
  if (!Number.isFinite(amount)) return special(amount);
  const [whole = '', fraction] = amount.toFixed(Math.min(100, digits)).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction.padEnd(digits, '0')}`;
}

const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** `1.5×10⁰³` */
function scientific(value: Value, digits: number): string {
  const amount = number(value, 'scientific');
  if (!Number.isFinite(amount)) return special(amount);
  const [factor = '', exponent = ''] = amount.toExponential(Math.min(100, digits)).split('e');
  const power = exponent.replace(/^[+-]/, '').padStart(2, '0');
  const sign = exponent.startsWith('-') ? '⁻' : '';
  return `${factor}×10${sign}${power.replace(/\d/g, (digit) => raised[Number(digit)] ?? digit)}`;
}

function integer(value: Value, where: string): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.amount;
  throw new EvaluationError(
    `error during formatting: ${where} can only be used on integers, was given ${typeNameOf(value)}`,
  );
}

function hex(value: Value): string {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integer(value, 'hex clause').toString(16);
}
