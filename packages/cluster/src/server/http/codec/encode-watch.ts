import type { KubeObject } from '../../../api/meta.ts';
import type { WatchEvent } from '../../../api/operation.ts';
import type { Kind } from '../protobuf/encode.ts';
import { type Format, negotiate, protobufType } from './accept.ts';
import { type EncodingContext, type Presentation, partial } from './encode.ts';
import { protobufFrame } from './encode-protobuf.ts';
import { pieceBytes } from './list-text.ts';

const lineEnd: Buffer = Buffer.from('}\n');
const lineStarts: Readonly<Record<WatchEvent['type'], Buffer>> = {
  ADDED: lineStart('ADDED'),
  MODIFIED: lineStart('MODIFIED'),
  DELETED: lineStart('DELETED'),
  BOOKMARK: lineStart('BOOKMARK'),
  ERROR: lineStart('ERROR'),
};

function lineStart(type: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":`);
}

/** A line in pieces: one, or where the object is large its shared bytes and what stands around them. */
type Line = readonly Buffer[];

export interface WatchEncoder {
  readonly contentType: string;
  encode(event: WatchEvent): Line;
}

/** Turns events into lines of JSON, or into frames of protobuf. Negotiates at once, so that a 406 comes before the stream starts. */
export function watchEncoder(presentation: Presentation, context: EncodingContext): WatchEncoder {
  const ranges = presentation.accept.filter(({ type }) => type !== 'application/yaml');
  const isCustom = context.api.facts(presentation.resource)?.custom === true;
  const format = negotiate(ranges, { protobuf: isCustom ? 'partial' : 'all' });
  const isProtobuf = format.encoding === 'protobuf';
  return {
    contentType: isProtobuf ? `${protobufType};stream=watch` : 'application/json',
    encode: eventEncoder({ format, presentation, context }),
  };
}

interface Encoding {
  readonly format: Format;
  readonly presentation: Presentation;
  readonly context: EncodingContext;
}

function eventEncoder({ format, presentation, context }: Encoding): WatchEncoder['encode'] {
  const line = (type: WatchEvent['type'], object: Kind): Line => {
    if (format.encoding === 'protobuf') return protobufFrame(type, object, context.encodings);
    const parts = [lineStarts[type], context.encodings.json(object), lineEnd];
    return (parts[1]?.length ?? 0) < pieceBytes ? [Buffer.concat(parts)] : parts;
  };
  if (format.as === 'object') return ({ type, object }) => line(type, object);
  if (format.as === 'partial')
    return (event) =>
      event.type === 'ERROR'
        ? line('ERROR', event.object)
        : line(event.type, partial(event.object as KubeObject, format.version));
  let first = true;
  return (event) => {
    if (event.type === 'ERROR') return line('ERROR', event.object);
    const { resource, includeObject } = presentation;
    const isBookmark = event.type === 'BOOKMARK';
    const options = { version: format.version, includeObject, isBookmark };
    const table = context.api.table(resource, event.object, options);
    if (table === undefined) return line(event.type, event.object);
    // Only the first event carries the columns, as upstream.
    const shown = first ? table : { ...table, columnDefinitions: null };
    first = false;
    return line(event.type, shown);
  };
}
