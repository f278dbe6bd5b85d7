/** Byte fields on the wire: standard base64 with padding. */
import { badRequest, StatusError } from '../../api/status.ts';

const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/** Position of the first byte that is not base64; undefined when the text is fine. */
export function base64FaultAt(text: string): number | undefined {
  const plain = text.replace(/[\r\n]/g, '');
  if (plain.length % 4 === 0 && alphabet.test(plain)) return undefined;
  const foreign = plain.search(/[^A-Za-z0-9+/]/);
  return foreign < 0 ? plain.length - (plain.length % 4) : foreign;
}

/**
 * Upstream fails to decode such a request, so it is a 400 and no 422.
 * @throws StatusError naming the kind and the position, never the value
 */
export function assertBase64(values: Readonly<Record<string, string>> | undefined, kind: string): void {
  for (const value of Object.values(values ?? {})) {
    const faultAt = typeof value === 'string' ? base64FaultAt(value) : 0;
    if (faultAt !== undefined)
      throw new StatusError(
        badRequest(
          `${kind} in version "v1" cannot be handled as a ${kind}: illegal base64 data at input byte ${faultAt}`,
        ),
      );
  }
}

/** How many bytes the text stands for. */
export function decodedBytes(text: string): number {
  return Buffer.byteLength(text, 'base64');
}
