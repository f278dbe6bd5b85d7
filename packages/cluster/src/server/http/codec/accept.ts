import { failure, StatusError } from '../../../api/status.ts';

export type Encoding = 'json' | 'yaml' | 'protobuf';

/** How the client wants an object written. */
export interface Format {
  readonly encoding: Encoding;
  readonly as: 'object' | 'table' | 'partial';
  /** Version of meta.k8s.io for `table` and `partial`. */
  readonly version: 'v1' | 'v1beta1';
  /** Of `partial`, whether a list of them is wanted. */
  readonly ofList?: boolean;
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

/** In which forms an answer exists. Of what has none of them the client's next choice counts. */
export interface Forms {
  /** Whether a table can be made of it. The default is that it can. */
  readonly tables?: boolean;
  /** What of it has a form in protobuf: custom resources have none, but what all objects have. The default is nothing. */
  readonly protobuf?: 'all' | 'partial' | 'none';
}

/** The best form that we write. Throws a 406. */
export function negotiate(ranges: readonly MediaRange[], { tables = true, protobuf = 'none' }: Forms = {}): Format {
  for (const range of ranges) {
    const encoding = encodingOf(range.type);
    if (encoding === undefined) continue;
    const transform = transformOf(range.parameters);
    if (transform === undefined || (transform.as === 'table' && !tables)) continue;
    if (
      encoding === 'protobuf' &&
      !(transform.as === 'partial' ? protobuf !== 'none' : isWhole(transform.as, protobuf))
    )
      continue;
    return { encoding, ...transform };
  }
  throw notAcceptable(`application/json, application/yaml, ${protobufType}`);
}

/** Tables are never written so, as upstream. */
function isWhole(as: Format['as'], protobuf: Forms['protobuf']): boolean {
  return as === 'object' && protobuf === 'all';
}

export const protobufType = 'application/vnd.kubernetes.protobuf';

function encodingOf(type: string): Encoding | undefined {
  switch (type) {
    case '*/*':
    case 'application/*':
    case 'application/json':
      return 'json';
    case 'application/yaml':
    case 'application/x-yaml':
    case 'text/yaml':
      return 'yaml';
    case protobufType:
      return 'protobuf';
    default:
      return undefined;
  }
}

function transformOf({ as, g, v }: MediaRange['parameters']): Omit<Format, 'encoding'> | undefined {
  if (as === undefined) return { as: 'object', version: 'v1' };
  if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined;
  if (as === 'Table') return { as: 'table', version: v };
  if (as === 'PartialObjectMetadata') return { as: 'partial', version: v, ofList: false };
  if (as === 'PartialObjectMetadataList') return { as: 'partial', version: v, ofList: true };
  return undefined;
}

/** Which discovery document the client prefers at `/api` and `/apis`. */
export function negotiateDiscovery(ranges: readonly MediaRange[]): 'legacy' | 'v2' | 'v2beta1' {
  for (const { type, parameters } of ranges) {
    const encoding = encodingOf(type);
    const { as, g, v } = parameters;
    if (as === undefined && (encoding === 'json' || encoding === 'protobuf')) return 'legacy';
    if (encoding !== 'json') continue;
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

/** Whether some of what the API writes is taken, in whatever form. */
export function takesAny(ranges: readonly MediaRange[]): boolean {
  return ranges.some(({ type }) => encodingOf(type) !== undefined);
}

/** The 406 that comes before anything else of a request is looked at. */
export function nothingTaken({ isList }: { readonly isList: boolean }): StatusError {
  const forms = ['application/json', 'application/yaml', protobufType];
  const streams = isList ? ['application/json;stream=watch', `${protobufType};stream=watch`] : [];
  const message = `406: Not Acceptable\n\nAvailable representations: ${[...forms, ...streams].join(', ')}`;
  return new StatusError(failure(406, 'NotAcceptable', message));
}

function notAcceptable(accepted: string): StatusError {
  return new StatusError(failure(406, 'NotAcceptable', `only the following media types are accepted: ${accepted}`));
}
