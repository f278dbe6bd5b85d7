import {
  boolYaml11Tag,
  DUMP_SCHEMA,
  defineScalarTag,
  intCoreTag,
  intYaml11Tag,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
  nullYaml11Tag,
  type ScalarTagDefinition,
  Schema,
  seqTag,
  strTag,
} from 'js-yaml';
import { exactBigint } from '../../base/exact-json.ts';

/*
 * YAML as kubectl reads it (go-yaml v2): the booleans of YAML 1.1 with `y` and `n`, octal by a leading zero, `_` in
 * numbers, merge keys; but neither sexagesimal numbers nor timestamps. Checked against kubectl 1.32.
 */
const integer = /^[-+]?(?:0x[0-9a-fA-F]+|0b[01]+|0o?[0-7]*|[1-9]\d*)$/;
const float = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
/** A double holds nothing longer, so it is text, and whoever wrote megabytes of digits does not keep everybody waiting. */
const numberCharactersMax = 400;
const firstChars = '0123456789+-.'.split('');

const int: ScalarTagDefinition<number | bigint> = defineScalarTag('tag:yaml.org,2002:int', {
  implicit: true,
  implicitFirstChars: firstChars,
  resolve: (source) => {
    if (source.length > numberCharactersMax) return NOT_RESOLVED;
    const plain = source.replaceAll('_', '');
    return integer.test(plain) ? integerOf(plain) : NOT_RESOLVED;
  },
  identify: (value: unknown) => typeof value === 'bigint' || Number.isInteger(value),
});

/** `010` is 8, `08` is no octal and therefore a float. */
function integerOf(text: string): number | bigint {
  const negative = text.startsWith('-');
  const digits = text.replace(/^[-+]/, '');
  const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
  return exactBigint(negative ? -BigInt(octal) : BigInt(octal));
}

/** A number that a double cannot hold stays a string, as it does for kubectl; JSON has no infinity anyway. */
const floating: ScalarTagDefinition<number> = defineScalarTag('tag:yaml.org,2002:float', {
  implicit: true,
  implicitFirstChars: firstChars,
  resolve: (source) => {
    if (source.length > numberCharactersMax) return NOT_RESOLVED;
    const plain = source.replaceAll('_', '');
    const amount = float.test(plain) ? Number(plain) : Number.NaN;
    return Number.isFinite(amount) ? amount : NOT_RESOLVED;
  },
  identify: (value: unknown) => typeof value === 'number' && !Number.isInteger(value),
});

const single: ReadonlyMap<string, boolean> = new Map([
  ['y', true],
  ['Y', true],
  ['n', false],
  ['N', false],
]);

const bool: ScalarTagDefinition<boolean> = defineScalarTag('tag:yaml.org,2002:bool', {
  implicit: true,
  implicitFirstChars: 'yYnNtTfFoO'.split(''),
  resolve: (source, isExplicit, tagName) => single.get(source) ?? boolYaml11Tag.resolve(source, isExplicit, tagName),
  identify: (value: unknown) => typeof value === 'boolean',
});

/** `!!binary` holds text here: JSON has no bytes. */
const binary: ScalarTagDefinition<string> = defineScalarTag('tag:yaml.org,2002:binary', {
  resolve: (source) => Buffer.from(source, 'base64').toString('utf8'),
  identify: () => false,
});

export const kubernetesYaml: Schema = new Schema([
  strTag,
  seqTag,
  mapTag,
  nullYaml11Tag,
  bool,
  int,
  floating,
  binary,
  mergeTag,
]);

/** Writes what every version of YAML reads as the same thing, and integers of any length. */
export const dumpedYaml: Schema = DUMP_SCHEMA.withTags(
  defineScalarTag('tag:yaml.org,2002:int', {
    ...intYaml11Tag,
    resolve(source, isExplicit, tagName) {
      const found = intYaml11Tag.resolve(source, isExplicit, tagName);
      return found === NOT_RESOLVED ? intCoreTag.resolve(source, isExplicit, tagName) : found;
    },
    identify: (value: unknown) => typeof value === 'bigint' || intYaml11Tag.identify(value),
    represent: (value: unknown) => (typeof value === 'bigint' ? String(value) : intYaml11Tag.represent(value)),
  }),
);
