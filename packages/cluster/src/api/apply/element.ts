import { formatExactJson, parseExactJson } from '../../base/exact-json.ts';
import { isObject, type JsonObject } from '../record.ts';

/* One step of a path to a field, as FieldsV1 spells it. */

const remembered = new Map<string, string>();
/** Schemas have some thousand names of fields; labels may have any number. */
const rememberedMax = 8_192;

/** The step to a field or to an entry of a map. */
export function fieldStep(name: string): string {
  let step = remembered.get(name);
  if (step === undefined) {
    step = `f:${name}`;
    if (remembered.size < rememberedMax) remembered.set(name, step);
  }
  return step;
}

/** The step to a value of a set. */
export function valueStep(value: unknown): string {
  return `v:${canonicalJson(value)}`;
}

/** The step to an element of a list by its keys, which must be in the order of their names. */
export function keyStep(keys: readonly (readonly [name: string, value: unknown])[]): string {
  let text = '';
  for (const [name, value] of keys)
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${typeof value === 'string' ? JSON.stringify(value) : formatExactJson(value)}`;
  return `k:{${text}}`;
}

/** The name that a step goes to; undefined for an element of a list. */
export function nameOfStep(step: string): string | undefined {
  return step.startsWith('f:') ? step.slice(2) : undefined;
}

/** As upstream's messages show it: `.spec`, `[name="web"]`, `[="a"]`, `[0]`. */
export function showStep(step: string): string {
  const rest = step.slice(2);
  switch (step[0]) {
    case 'f':
      return `.${rest}`;
    case 'k': {
      const keys = Object.entries(parseExactJson(rest) as JsonObject);
      return `[${keys.map(([name, value]) => `${name}=${shown(value)}`).join(',')}]`;
    }
    case 'v':
      return `[=${rest}]`;
    default:
      return `[${rest}]`;
  }
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(',')}]`;
  if (!isObject(value)) return formatExactJson(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}=${shown(part)}`)
    .join('');
}

/** What somebody else has written, as we write it. Undefined for no step at all; `unknown` for a kind that newer servers may have. */
export function readStep(text: string): { readonly step: string } | 'unknown' | undefined {
  if (text === '.') return { step: text };
  if (text[1] !== ':') return undefined;
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return { step: text };
    case 'i':
      return /^-?\d+$/.test(rest) ? { step: `i:${Number(rest)}` } : undefined;
    case 'v': {
      const value = parsed(rest);
      return value === undefined ? undefined : { step: valueStep(value) };
    }
    case 'k': {
      const keys = parsed(rest);
      if (!isObject(keys) || Object.keys(keys).length === 0) return undefined;
      return { step: keyStep(Object.entries(keys).sort(([a], [b]) => (a < b ? -1 : 1))) };
    }
    default:
      return 'unknown';
  }
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return formatExactJson(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(',')}}`;
}

const kinds = '.fkvi';

/** Fields first, then elements by key, by value, by place. */
export function deepOrder(a: string, b: string): number {
  const byKind = kinds.indexOf(a[0] ?? '') - kinds.indexOf(b[0] ?? '');
  if (byKind !== 0) return byKind;
  if (a[0] === 'i') return Number(a.slice(2)) - Number(b.slice(2));
  return a < b ? -1 : a > b ? 1 : 0;
}
