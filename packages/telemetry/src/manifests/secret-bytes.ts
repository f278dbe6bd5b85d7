import { gzipSync } from 'node:zlib';
import type { KubeObject, New, Secret } from '@signalbox/cluster';
import type { Finding } from '../world/findings.ts';

/** Longer files are compressed; the config reloader notices by itself. */
const plainBytesMax = 102_400;
/** What a Secret may hold altogether. */
export const secretBytesMax = 1_048_576;

/** Base64 of the text, compressed when it is long. The same text always gives the same bytes. */
export function encodeConfig(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  return (bytes.length > plainBytesMax ? compressed(bytes) : bytes).toString('base64');
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

/** The same bytes always give the same bytes: without a time, and without the name of the system. */
export function compressed(bytes: Buffer): Buffer {
  const zipped = gzipSync(bytes);
  // The header names the system that wrote it, which must not make a difference: 255 is "unknown".
  zipped[9] = 255;
  return zipped;
}
