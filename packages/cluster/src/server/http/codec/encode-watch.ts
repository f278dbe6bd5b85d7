import type { KubeObject } from '../../../api/meta.ts';
import type { WatchEvent } from '../../../api/operation.ts';
import { negotiate } from './accept.ts';
import { type EncodingContext, type Presentation, partial } from './encode.ts';
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

/** Turns events into lines of JSON. Negotiates at once, so that a 406 comes before the stream starts. */
export function watchEncoder(presentation: Presentation, context: EncodingContext): (event: WatchEvent) => Line {
  const ranges = presentation.accept.filter(({ type }) => type !== 'application/yaml');
  const format = negotiate(ranges);
  const line = (type: WatchEvent['type'], object: object): Line => {
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
