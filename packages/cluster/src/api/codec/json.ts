import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '../../base/exact-json.ts';
import { badRequest, failure, StatusError } from '../status.ts';
import { duplicateFields, scanJson, tooManyValues } from './json-scan.ts';

export interface JsonLimits {
  /** The default is 3 MiB, upstream's limit for a request body. */
  readonly bytesMax?: number;
  /** The default is 512. */
  readonly depthMax?: number;
  /** How many values there may be, fields and items counted, those of very large objects several times; the default is no limit. */
  readonly valuesMax?: number;
  /** Whether to look for duplicate fields, which costs a second pass. `JSON.parse` keeps the last one silently. */
  readonly findDuplicates?: boolean;
}

export interface ParsedJson {
  readonly value: unknown;
  /** Paths of fields that stand there twice, e.g. `spec.replicas`; empty unless asked for. */
  readonly duplicates: readonly string[];
}

const bytesMaxDefault = 3 * 1024 * 1024;
const depthMaxDefault = 512;
/** With the flag `u` a pair of surrogates is one character, so this finds halves only. */
const loneSurrogate = /\p{Cs}/u;

/**
 * JSON, strictly. Throws 413 above the limits of size, and 400 for anything else that is wrong: syntax, depth, a byte order
 * mark, invalid UTF-8 or lone surrogates, numbers that a double cannot hold at all. 64-bit integers that it cannot hold exactly are bigints.
 */
export function parseJson(source: string | Buffer, limits: JsonLimits = {}): ParsedJson {
  const {
    bytesMax = bytesMaxDefault,
    depthMax = depthMaxDefault,
    valuesMax = Infinity,
    findDuplicates = false,
  } = limits;
  if (source.length > bytesMax) {
    throw tooLarge(String(bytesMax));
  }
  if (typeof source !== 'string' && !isUtf8(source)) throw unreadable('the text is not valid UTF-8');
  const text = typeof source === 'string' ? source : source.toString('utf8');
  if (text.charCodeAt(0) === 0xfeff) throw unreadable('the text starts with a byte order mark');
  if (typeof source === 'string' && loneSurrogate.test(text)) throw unreadable('the text has a lone surrogate');
  const problem = scanJson(text, { depthMax, valuesMax });
  if (problem === tooManyValues) throw tooLarge(`${valuesMax} values`);
  if (problem !== undefined) throw unreadable(problem);
  const value = parse(text);
  if (/\\u[dD][89a-fA-F]/.test(text) && hasLoneSurrogate(value)) throw unreadable('a string has a lone surrogate');
  return { value, duplicates: findDuplicates ? duplicateFields(text) : [] };
}

function tooLarge(limit: string): StatusError {
  return new StatusError(failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`));
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (cause) {
    if (text.trim() === '') throw unreadable('unexpected end of JSON input');
    throw unreadable(unreadableBecause(cause), cause);
  }
}

/** The engine's words without the piece of the text that it quotes: that may be part of a secret. */
export function unreadableBecause(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const at = /at position (\d+)/.exec(message);
  if (at !== null) return `invalid JSON at position ${at[1] ?? ''}`;
  return message.includes('end of JSON') ? 'unexpected end of JSON input' : 'invalid JSON';
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return loneSurrogate.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, part]) => loneSurrogate.test(key) || hasLoneSurrogate(part));
}

function unreadable(why: string, cause?: unknown): StatusError {
  return new StatusError(badRequest(`json parse error: ${why}`), cause === undefined ? {} : { cause });
}
