import { createHash } from 'node:crypto';
import { formatYaml } from '../../../api/codec/yaml.ts';
import { StatusError } from '../../../api/status.ts';
import { formatExactJson } from '../../../base/exact-json.ts';
import type { DocumentRequest, ServedApi } from '../../context/served-api.ts';
import { encodeMessage, envelopeHead, type Kind } from '../protobuf/encode.ts';
import { encodeOpenapi2 } from '../protobuf/openapi.ts';
import { type MediaRange, negotiate, negotiateOpenapi2, protobufType } from './accept.ts';
import { type Answer, bytesAnswer } from './answer.ts';
import { unknownPath } from './target.ts';

/** Answers with documents about the API. Each document is encoded and hashed once per form for as long as it lives. */
export interface Documents {
  answer(request: DocumentRequest, client: DocumentClient): Answer;
}

export interface DocumentClient {
  readonly accept: readonly MediaRange[];
  /** `If-None-Match`. */
  readonly knows: string | undefined;
}

interface Encoded {
  readonly bytes: Buffer;
  readonly etag: string;
}

type Form = 'json' | 'yaml' | 'protobuf';

export function createDocuments(api: Pick<ServedApi, 'document'>): Documents {
  const encoded: Readonly<Record<Form, WeakMap<object, Encoded>>> = {
    json: new WeakMap(),
    yaml: new WeakMap(),
    protobuf: new WeakMap(),
  };
  return {
    answer(request, { accept, knows }) {
      const form = formOf(request, accept);
      const document = api.document(request);
      if (document === undefined) throw new StatusError(unknownPath());
      const { bytes, etag } = remember(encoded[form], document, form);
      const headers = { 'content-type': contentType(request, form), etag, vary: 'Accept' };
      return knows === etag ? bytesAnswer(304, Buffer.alloc(0), headers) : bytesAnswer(200, bytes, headers);
    },
  };
}

function formOf(request: DocumentRequest, accept: readonly MediaRange[]): Form {
  if (request.what === 'openapi2') return negotiateOpenapi2(accept);
  // Discovery negotiated its form when the request was decoded.
  if (request.what === 'aggregated') return 'json';
  const protobuf = hasMessage.has(request.what) ? 'all' : 'none';
  return negotiate(
    accept.map(({ type }) => ({ type, parameters: {} })),
    { protobuf },
  ).encoding;
}

/** What discovery says group by group. */
const hasMessage: ReadonlySet<DocumentRequest['what']> = new Set(['coreVersions', 'groups', 'group', 'resources']);

function remember(known: WeakMap<object, Encoded>, document: object, form: Form): Encoded {
  const found = known.get(document);
  if (found !== undefined) return found;
  const bytes = encodeAs(form, document);
  const made = { bytes, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32).toUpperCase()}"` };
  known.set(document, made);
  return made;
}

function encodeAs(form: Form, document: object): Buffer {
  switch (form) {
    case 'json':
      return Buffer.from(formatExactJson(document));
    case 'yaml':
      return Buffer.from(formatYaml(document));
    case 'protobuf':
      return 'kind' in document ? encodeDiscovery(document as Kind) : encodeOpenapi2(document);
    default:
      return form satisfies never;
  }
}

function encodeDiscovery(document: Kind): Buffer {
  const message = encodeMessage(document, document);
  return Buffer.concat([envelopeHead(document, message.length), message]);
}

function contentType(request: DocumentRequest, form: Form): string {
  if (request.what === 'aggregated')
    return `application/json;g=apidiscovery.k8s.io;v=${request.version};as=APIGroupDiscoveryList`;
  if (form === 'protobuf' && request.what !== 'openapi2') return protobufType;
  // Not the spelling in which it is asked for: a media type must not hold an at sign, and Go's parser insists.
  if (form === 'protobuf') return 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
  return `application/${form}`;
}
