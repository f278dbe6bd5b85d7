import { failure, StatusError } from '../../../api/status.ts';

/** How the client wants an object written. */
export interface Format {
  readonly encoding: 'json' | 'yaml';
  readonly as: 'object' | 'table' | 'partial';
  /** Version of meta.k8s.io for `table` and `partial`. */
  readonly version: 'v1' | 'v1beta1';
}

/** One clause of an `Accept` header. */
export interface MediaRange {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const protobufV2: ReadonlySet<string> = new Set([
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
]);

/** The client's preferences, best first. An absent or empty header means anything. */
export function parseAccept(header: string | undefined): readonly MediaRange[] {
  if (header === undefined || header.trim() === '') return [{ type: '*/*', parameters: {} }];
  return header
    .split(',')
    .map(parseRange)
    .filter(({ type, quality }) => type !== '' && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ type, parameters }) => ({ type, parameters }));
}

function parseRange(text: string): MediaRange & { readonly quality: number } {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters: Record<string, string> = Object.create(null);
  for (const part of rest) {
    const equals = part.indexOf('=');
    if (equals > 0) parameters[part.slice(0, equals).toLowerCase()] = part.slice(equals + 1).replace(/^"(.*)"$/, '$1');
  }
  const quality = parameters['q'] === undefined ? 1 : Number(parameters['q']);
  return { type: type.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 0 };
}

/**
 * The best form that we write. A client that would rather have protobuf gets JSON when it takes that too. `tables` says
 * whether a table can be made of this answer; without one the client's next choice counts.
 */
export function negotiate(
  ranges: readonly MediaRange[],
  { tables = true }: { readonly tables?: boolean } = {},
): Format {
  for (const range of ranges) {
    const encoding = encodingOf(range.type);
    if (encoding === undefined) continue;
    const transform = transformOf(range.parameters);
    if (transform === undefined || (transform.as === 'table' && !tables)) continue;
    return { encoding, ...transform };
  }
  throw notAcceptable('application/json, application/yaml');
}

function encodingOf(type: string): 'json' | 'yaml' | undefined {
  switch (type) {
    case '*/*':
    case 'application/*':
    case 'application/json':
      return 'json';
    case 'application/yaml':
    case 'application/x-yaml':
    case 'text/yaml':
      return 'yaml';
    default:
      return undefined;
  }
}

function transformOf({ as, g, v }: MediaRange['parameters']): Pick<Format, 'as' | 'version'> | undefined {
  if (as === undefined) return { as: 'object', version: 'v1' };
  if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined;
  if (as === 'Table') return { as: 'table', version: v };
  if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return { as: 'partial', version: v };
  return undefined;
}

/** Which discovery document the client prefers at `/api` and `/apis`. */
export function negotiateDiscovery(ranges: readonly MediaRange[]): 'legacy' | 'v2' | 'v2beta1' {
  for (const { type, parameters } of ranges) {
    if (encodingOf(type) !== 'json') continue;
    const { as, g, v } = parameters;
    if (as === undefined) return 'legacy';
    if (as === 'APIGroupDiscoveryList' && g === 'apidiscovery.k8s.io' && (v === 'v2' || v === 'v2beta1')) return v;
  }
  throw notAcceptable('application/json');
}

export function negotiateOpenapi2(ranges: readonly MediaRange[]): 'json' | 'protobuf' {
  for (const { type } of ranges) {
    if (protobufV2.has(type)) return 'protobuf';
    if (encodingOf(type) === 'json') return 'json';
  }
  throw notAcceptable('application/json, application/com.github.proto-openapi.spec.v2@v1.0+protobuf');
}

function notAcceptable(accepted: string): StatusError {
  return new StatusError(failure(406, 'NotAcceptable', `only the following media types are accepted: ${accepted}`));
}
