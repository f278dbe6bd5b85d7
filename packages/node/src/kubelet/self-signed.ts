import { type Clock, makeAuthority } from '@signalbox/cluster';

const yearMs = 365 * 24 * 60 * 60 * 1_000;
const earlyMs = 60 * 60 * 1_000;

/** What a door shows that nobody gave a certificate: the API server takes it on the loopback. It lasts ten years. */
export async function selfSigned(
  nodeName: string,
  clock: Clock,
): Promise<{ readonly certificate: string; readonly key: string }> {
  const nowMs = clock.nowMs();
  const period = { notBeforeMs: nowMs - earlyMs, notAfterMs: nowMs + 10 * yearMs };
  const { cert, key } = await makeAuthority({ commonName: `system:node:${nodeName}`, ...period });
  return { certificate: cert, key };
}
