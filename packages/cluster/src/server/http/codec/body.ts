import { isUtf8 } from 'node:buffer';
import { type JsonLimits, parseJson } from '../../../api/codec/json.ts';
import { SourceError } from '../../../api/codec/source.ts';
import { parseYamlDocuments, type YamlDocument } from '../../../api/codec/yaml.ts';
import { yamlWork } from '../../../api/codec/yaml-work.ts';
import type { PatchType } from '../../../api/operation.ts';
import { badRequest, failure, StatusError } from '../../../api/status.ts';
import { decodeProtobufObject } from '../protobuf/decode.ts';

export const bodyBytesMax: number = 3 * 1024 * 1024;

export interface Body {
  readonly value: unknown;
  /** What the text says twice, in upstream's words; the last one counts. */
  readonly flaws: readonly string[];
}

export type BodyFormat = 'json' | 'yaml' | 'protobuf';

const patchTypes: Readonly<Record<string, { readonly patchType: PatchType; readonly format: BodyFormat }>> = {
  'application/json-patch+json': { patchType: 'json', format: 'json' },
  'application/merge-patch+json': { patchType: 'merge', format: 'json' },
  'application/strategic-merge-patch+json': { patchType: 'strategic', format: 'json' },
  'application/apply-patch+yaml': { patchType: 'apply', format: 'yaml' },
};

const objectTypes: Readonly<Record<string, BodyFormat>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/x-yaml': 'yaml',
  'text/yaml': 'yaml',
  'application/vnd.kubernetes.protobuf': 'protobuf',
};

/** How an object in a request's body is written. No content type means JSON, as upstream. Throws a 415. */
export function objectFormat(contentType: string | undefined): BodyFormat {
  const type = mediaType(contentType);
  const format = type === '' ? 'json' : Object.hasOwn(objectTypes, type) ? objectTypes[type] : undefined;
  if (format === undefined)
    throw unsupported('application/json, application/yaml, application/vnd.kubernetes.protobuf');
  return format;
}

/** Which kind of patch a body is, from its content type. Throws a 415. */
export function patchFormat(
  contentType: string | undefined,
  { isCustom }: { isCustom(): boolean },
): { readonly patchType: PatchType; readonly format: BodyFormat } {
  const type = mediaType(contentType);
  const found = Object.hasOwn(patchTypes, type) ? patchTypes[type] : undefined;
  if (found !== undefined) return found;
  // Fields of custom resources have no keys to merge by.
  const accepted = Object.keys(patchTypes).filter((each) => !isCustom() || patchTypes[each]?.patchType !== 'strategic');
  throw unsupported(accepted.join(', '));
}

function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function unsupported(accepted: string): StatusError {
  return new StatusError(
    failure(
      415,
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
    ),
  );
}

/*
 * All requests share one thread: a body that takes long to read, or to make an object of, holds up everybody
 * (docs/decisions/0460-no-body-holds-up-others.md). Real ones are far below: the largest definition of the Prometheus Operator has
 * 10,000 values in 20,000 lines.
 */
const valuesMax = 80_000;
const jsonLimits: JsonLimits = { findDuplicates: true, valuesMax };
const yamlWorkMax = 120_000;

const nothing: Body = { value: null, flaws: [] };

/** What is applied, where nothing is an answer of its own: who applies it is told in the order of all that is wrong. */
export function parseApplied(bytes: Buffer): Body {
  const isNothing = bytes.length < 16 && /^\s*(?:null|~)?\s*$/.test(bytes.toString('utf8'));
  return isNothing ? nothing : parseBody(bytes, 'yaml');
}

/** Throws a `StatusError`: 400 that says where the text breaks, 413 for what would take too long to read. */
export function parseBody(bytes: Buffer, format: BodyFormat): Body {
  if (bytes.length === 0) throw new StatusError(badRequest('the request needs a body'));
  if (format === 'protobuf') return { value: decodeProtobufObject(bytes, { valuesMax }), flaws: [] };
  if (format === 'json') return parseJsonBody(bytes);
  // Most of what is called YAML is JSON, which is read faster and stricter.
  if (/^\s*[{[]/.test(bytes.toString('utf8', 0, 64))) {
    try {
      const body = parseJsonBody(bytes);
      // What stands twice is told as YAML tells it, by the line.
      if (body.flaws.length === 0) return body;
    } catch (error) {
      // What is JSON, but too much of it, is no smaller as YAML.
      if (!(error instanceof StatusError) || error.status.code === 413) throw error;
    }
  }
  if (!isUtf8(bytes)) throw new StatusError(badRequest('yaml parse error: the text is not valid UTF-8'));
  const text = bytes.toString('utf8');
  if (yamlWork(text, yamlWorkMax) > yamlWorkMax) throw tooMuchYaml();
  const { value, duplicates = [] } = parseYamlDocument(text);
  return { value, flaws: duplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${duplicates.join('\n  ')}`] };
}

function parseJsonBody(bytes: Buffer): Body {
  const { value, duplicates } = parseJson(bytes, jsonLimits);
  return { value, flaws: duplicates.map((path) => `duplicate field "${path}"`) };
}

function parseYamlDocument(text: string): YamlDocument {
  let documents: ReturnType<typeof parseYamlDocuments>;
  try {
    documents = parseYamlDocuments(text, { source: 'body', keepsLast: true });
  } catch (cause) {
    if (!(cause instanceof SourceError)) throw cause;
    throw new StatusError(badRequest(`yaml parse error: ${cause.message}`), { cause });
  }
  const [first, second] = documents;
  if (first === undefined) throw new StatusError(badRequest('the request needs a body'));
  if (second !== undefined)
    throw new StatusError(badRequest('yaml parse error: the body holds more than one document'));
  return first;
}

function tooMuchYaml(): StatusError {
  return new StatusError(
    failure(
      413,
      'RequestEntityTooLarge',
      'Request entity too large: the YAML holds too many lines and values; send it as JSON, as kubectl does, or in smaller objects',
    ),
  );
}

export function tooLarge(): StatusError {
  return new StatusError(
    failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${bodyBytesMax}`, {}),
  );
}
