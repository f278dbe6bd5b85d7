import { InvariantError } from '../base/assert.ts';

/**
 * Kubernetes quantities: `100m`, `1.5Gi`, `2e3`. Kept exactly, as an integer of nano units, because nano is the finest
 * step that the format knows (finer input is rounded away from zero, as upstream does). Amounts beyond 2^63 - 1 units
 * are capped there.
 */
export const quantityMessage: string =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** How a quantity is written; it survives canonicalisation. */
type QuantityFormat = 'decimal' | 'binary' | 'exponent';

const textLengthMax = 64;
const exponentMax = 64;
const unit = 1_000_000_000n;
const nanoMax = (2n ** 63n - 1n) * unit;
const syntax = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d{1,4})?$/;
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

/** The amount in nano units; undefined when the text is no quantity. */
export function parseQuantity(text: string | number): bigint | undefined {
  const source = typeof text === 'number' ? String(text) : text;
  if (source.length > textLengthMax) return undefined;
  const parts = syntax.exec(source);
  if (parts === null) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = parts;
  if (whole === '' && fraction === '') return undefined;
  const scale = scaleOf(suffix);
  if (scale === undefined) return undefined;
  const digits = BigInt(whole + fraction) * scale.factor;
  const exponent = 9 + scale.exponent - fraction.length;
  const nano = exponent >= 0 ? digits * 10n ** BigInt(exponent) : divideUp(digits, 10n ** BigInt(-exponent));
  const capped = nano > nanoMax ? nanoMax : nano;
  return sign === '-' ? -capped : capped;
}

function scaleOf(suffix: string): { readonly factor: bigint; readonly exponent: number } | undefined {
  if (suffix.endsWith('i')) return { factor: 1024n ** BigInt(binarySuffixes.indexOf(suffix)), exponent: 0 };
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { factor: 1n, exponent: (decimal - 3) * 3 };
  const exponent = Number(suffix.slice(1));
  return Math.abs(exponent) > exponentMax ? undefined : { factor: 1n, exponent };
}

function divideUp(amount: bigint, by: bigint): bigint {
  return amount < 0n ? -((-amount + by - 1n) / by) : (amount + by - 1n) / by;
}

/** Thousandths, rounded up: what CPU is counted in. Throws when the text is no quantity: check at the door. */
export function milliValue(text: string | number): number {
  return milliValues(text);
}

/** Whole units, rounded up: what memory and counts are counted in. Throws when the text is no quantity. */
export function wholeValue(text: string | number): number {
  return wholeValues(text);
}

const milliValues = remembered((text) => Number(divideUp(amountOf(text), 1_000_000n)));
const wholeValues = remembered((text) => Number(divideUp(amountOf(text), unit)));

function amountOf(text: string | number): bigint {
  const nano = parseQuantity(text);
  if (nano === undefined) throw new InvariantError('quantities are checked before they are counted', { text });
  return nano;
}

/** A cluster knows few different quantities and asks for them millions of times. */
function remembered<T>(compute: (text: string | number) => T): (text: string | number) => T {
  const known = new Map<string | number, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = compute(text);
    if (known.size >= 10_000) known.clear();
    known.set(text, value);
    return value;
  };
}

/** `1500` ⇒ `1500m`, `2000` ⇒ `2`. */
export function formatMilli(milli: number): string {
  return formatQuantity(BigInt(Math.ceil(milli)) * 1_000_000n);
}

/** `1073741824` ⇒ `1Gi`, `1000` ⇒ `1k`. */
export function formatBinary(bytes: number): string {
  return formatQuantity(BigInt(Math.ceil(bytes)) * unit, 'Ki');
}

/**
 * The canonical text: no fraction, and the largest suffix that leaves none. `like` is a quantity whose way of writing
 * (decimal, binary or exponent) the result keeps.
 */
export function formatQuantity(nano: bigint, like: string | number = ''): string {
  if (nano === 0n) return '0';
  const format = formatOf(String(like));
  // Small or fractional amounts have no exact binary form, and are written in decimal.
  const whole = nano % unit === 0n;
  if (format === 'binary' && whole && (nano >= 1024n * unit || nano <= -1024n * unit)) return binary(nano / unit);
  return decimal(nano, format === 'exponent');
}

function formatOf(like: string): QuantityFormat {
  if (like.endsWith('i')) return 'binary';
  return /[eE][+-]?\d+$/.test(like) ? 'exponent' : 'decimal';
}

function binary(units: bigint): string {
  let rest = units;
  let power = 0;
  while (power < binarySuffixes.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${binarySuffixes[power] ?? ''}`;
}

function decimal(nano: bigint, asExponent: boolean): string {
  let rest = nano;
  let step = 0;
  while (step < decimalSuffixes.length - 1 && rest % 1000n === 0n) {
    rest /= 1000n;
    step++;
  }
  const exponent = (step - 3) * 3;
  if (asExponent) return exponent === 0 ? `${rest}` : `${rest}e${exponent}`;
  return `${rest}${decimalSuffixes[step] ?? ''}`;
}

/** The text as the API shows it: `0.1` ⇒ `100m`, `1024Mi` ⇒ `1Gi`; undefined when it is no quantity. */
export function canonicalQuantity(text: string | number): string | undefined {
  const known = canonicalTexts(text);
  return known === '' ? undefined : known;
}

const canonicalTexts = remembered((text) => {
  const nano = parseQuantity(text);
  return nano === undefined ? '' : formatQuantity(nano, text);
});
