import { constants, crc32, deflateRawSync } from 'node:zlib';
import { combinedCrc } from './crc.ts';

/** Makes one file of gzip from a text in pieces: the same pieces always give the same bytes, whoever asks. */
export type Gzip = (owner: string, pieces: readonly string[]) => Buffer;

/** Some pieces on end, compressed. A reader meets it in the middle of a file, where it refers to the piece before. */
interface Part {
  readonly before: string;
  readonly pieces: readonly string[];
  readonly bytes: Buffer;
  readonly crc: number;
  /** Of the text. */
  readonly length: number;
}

/** More owners than this compress anew each time. */
const rememberedMax = 64;

/**
 * Remembers the parts of each owner's last text: of ten thousand jobs one has changed, and all that is compressed anew is
 * the part that it stands in. Where a part ends is told by its last piece, so a piece that comes or goes leaves the parts
 * behind it as they are.
 */
export function createGzip(): Gzip {
  const last = new Map<string, ReadonlyMap<string, Part>>();
  return (owner, pieces) => {
    const known = last.get(owner);
    const parts = inParts(pieces).map((range, index, all) => {
      const before = all[index - 1]?.at(-1) ?? '';
      const part = known?.get(range[0] ?? '');
      return part !== undefined && isSame(part, { before, pieces: range }) ? part : compressed(before, range);
    });
    if (last.size >= rememberedMax && known === undefined) last.clear();
    last.set(owner, new Map(parts.map((part) => [part.pieces[0] ?? '', part])));
    return fileOf(parts);
  };
}

/** One in so many pieces ends its part. */
const piecesPerPart = 64;

function inParts(pieces: readonly string[]): readonly (readonly string[])[] {
  const parts: (readonly string[])[] = [];
  let start = 0;
  for (const [index, piece] of pieces.entries())
    if (index === pieces.length - 1 || endsPart(piece)) {
      parts.push(pieces.slice(start, index + 1));
      start = index + 1;
    }
  return parts;
}

/** By its first line, which names the job: what else changes in a piece moves no border. FNV-1a. */
function endsPart(piece: string): boolean {
  let hash = 0x811c9dc5;
  for (let index = 0; index < piece.length; index++) {
    const code = piece.charCodeAt(index);
    if (code === lineBreak) break;
    hash = Math.imul(hash ^ code, 0x01000193);
  }
  return (hash >>> 8) % piecesPerPart === 0;
}

const lineBreak = 10;

function isSame(part: Part, { before, pieces }: Pick<Part, 'before' | 'pieces'>): boolean {
  return (
    part.before === before &&
    part.pieces.length === pieces.length &&
    part.pieces.every((piece, index) => piece === pieces[index])
  );
}

function compressed(before: string, pieces: readonly string[]): Part {
  const text = Buffer.from(pieces.join(''), 'utf8');
  const dictionary = Buffer.from(before, 'utf8').subarray(-windowBytes);
  // Ends at a whole byte, and leaves the file open for the next part.
  const bytes = deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH, ...(before !== '' && { dictionary }) });
  return { before, pieces, bytes, crc: crc32(text), length: text.length };
}

/** As far as a compressed file looks back. */
const windowBytes = 32_768;

// RFC 1952: no time, and an unknown system, which must not make a difference.
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** A last block with nothing in it. */
const end = Buffer.from([3, 0]);

function fileOf(parts: readonly Part[]): Buffer {
  let [crc, length] = [0, 0];
  for (const part of parts) {
    crc = combinedCrc(crc, part.crc, part.length);
    length += part.length;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  return Buffer.concat([header, ...parts.map(({ bytes }) => bytes), end, trailer]);
}
