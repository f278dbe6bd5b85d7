import type { KubeList, KubeObject } from '../../../api/meta.ts';
import { encodeMessage, envelopeHead, frameHead, itemHead, type Kind, listHead } from '../protobuf/encode.ts';
import type { Format } from './accept.ts';
import type { Encodings } from './encodings.ts';
import { pieceBytes } from './list-text.ts';

/** About what an item of a long list takes while it is on its way. */
export const protobufItemBytes = 1024;

/** An object with what says its kind. */
export function protobufObject(object: Kind, encodings: Encodings): Buffer {
  const message = encodings.protobuf(object);
  return Buffer.concat([envelopeHead(object, message.length), message]);
}

interface ListOptions {
  readonly as: Pick<Format, 'as' | 'version'>;
  readonly encodings: Encodings;
}

/**
 * A list in pieces. How long all of it is stands at its beginning, so everything is encoded before the first byte goes out: an
 * empty piece each time that others should get their turn.
 */
export function* protobufPieces({ items, ...list }: KubeList, { as, encodings }: ListOptions): Generator<Buffer, void> {
  const isPartial = as.as === 'partial';
  const kind = isPartial ? { apiVersion: `meta.k8s.io/${as.version}`, kind: 'PartialObjectMetadataList' } : list;
  const of = isPartial ? partialMessage : encodings.protobuf;
  const head = listHead(list.metadata);
  const parts: Buffer[] = [];
  let total = head.length;
  let sinceTurn = 0;
  for (const item of items) {
    const message = of(item);
    const before = itemHead(message.length);
    parts.push(before, message);
    total += before.length + message.length;
    sinceTurn += message.length;
    if (sinceTurn < pieceBytes) continue;
    sinceTurn = 0;
    yield Buffer.alloc(0);
  }
  yield* joined([envelopeHead(kind, total), head, ...parts]);
}

function* joined(parts: readonly Buffer[]): Generator<Buffer, void> {
  let gathered: Buffer[] = [];
  let size = 0;
  for (const part of parts) {
    gathered.push(part);
    size += part.length;
    if (size < pieceBytes) continue;
    yield Buffer.concat(gathered);
    gathered = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(gathered);
}

function partialMessage({ metadata }: KubeObject): Buffer {
  return encodeMessage({ metadata }, { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' });
}

/** One event of a watch. */
export function protobufFrame(type: string, object: Kind, encodings: Encodings): readonly Buffer[] {
  const message = encodings.protobuf(object);
  const envelope = envelopeHead(object, message.length);
  const parts = [frameHead(type, envelope.length + message.length), envelope, message];
  return message.length < pieceBytes ? [Buffer.concat(parts)] : parts;
}
