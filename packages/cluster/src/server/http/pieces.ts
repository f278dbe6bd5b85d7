/** The pieces of a body as they come. A client that sends it byte by byte must not make an object of each byte. */
export interface Pieces {
  add(piece: Buffer): void;
  all(): Buffer;
}

/** As many may be small; later ones are copied together. */
const smallPiecesMax = 16;
const smallBytesMax = 4 * 1024;
const blockBytes = 64 * 1024;

export function createPieces(): Pieces {
  const pieces: Buffer[] = [];
  let block: Buffer | undefined;
  let used = 0;
  const closeBlock = (): void => {
    if (block !== undefined) pieces.push(block.subarray(0, used));
    block = undefined;
    used = 0;
  };
  return {
    add(piece) {
      if (piece.length > smallBytesMax || pieces.length < smallPiecesMax) {
        closeBlock();
        pieces.push(piece);
        return;
      }
      if (used + piece.length > blockBytes) closeBlock();
      block ??= Buffer.allocUnsafeSlow(blockBytes);
      used += piece.copy(block, used);
    },
    all() {
      closeBlock();
      const [only] = pieces;
      return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
    },
  };
}
