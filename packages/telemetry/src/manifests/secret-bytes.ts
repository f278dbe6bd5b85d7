import type { KubeObject, New, Secret } from '@signalbox/cluster';
import type { Finding } from '../world/findings.ts';
import type { Gzip } from './gzip.ts';

/** Longer files are compressed; the config reloader notices by itself. */
const plainBytesMax = 102_400;
/** What a Secret may hold altogether. */
export const secretBytesMax = 1_048_576;

/** Base64 of the text, compressed when it is long. The same text always gives the same bytes. */
export function encodeConfig(
  pieces: readonly string[],
  { owner, gzip }: { readonly owner: string; readonly gzip: Gzip },
): string {
  const bytes = isLong(pieces) ? gzip(owner, pieces) : Buffer.from(pieces.join(''), 'utf8');
  return bytes.toString('base64');
}

function isLong(pieces: readonly string[]): boolean {
  let bytes = 0;
  return pieces.some((piece) => {
    bytes += Buffer.byteLength(piece, 'utf8');
    return bytes > plainBytesMax;
  });
}

/** An error when the content is more than a Secret can hold: the last one that fitted stays. */
export function tooLarge(secret: New<Secret>, regarding: KubeObject): Finding | undefined {
  const bytes = Object.values(secret.data ?? {}).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);
  if (bytes <= secretBytesMax) return undefined;
  return {
    severity: 'error',
    regarding,
    reason: 'SecretTooLarge',
    field: '',
    message: `Secret ${secret.metadata.name} would hold ${bytes} bytes of at most ${secretBytesMax}: spread the monitors over more roots`,
  };
}
