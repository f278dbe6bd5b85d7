import type { TLSSocket } from 'node:tls';
import { dialFailure, dialTls } from '../../passing/dial.ts';
import { type Call, type Called, requestOver } from '../../passing/request.ts';
import { addressOf, type Door, isLoopback } from './door.ts';

/** What the API server shows to kubelets, and by what it knows theirs. All PEM, read at each call: they are renewed. */
export interface KubeletCredentials {
  pem(): string;
  kubeletClient?(): { readonly cert: string; readonly key: string };
}

const unknownAuthority = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';

/** One request over a connection of its own. Rejects with the system's error, or with one that says who was met there. */
export async function callKubelet(
  door: Door,
  call: Call,
  credentials: KubeletCredentials | undefined,
): Promise<Called> {
  const socket = await dial(door, call.signal, credentials);
  return requestOver(socket, { call, host: addressOf(door) });
}

/**
 * Whoever shows a certificate of the cluster's authority is a kubelet of the cluster. Anybody else counts as one only on this
 * machine: upstream does not check at all unless it is told to.
 */
function dial(door: Door, signal: AbortSignal, credentials: KubeletCredentials | undefined): Promise<TLSSocket> {
  const ca = credentials?.pem();
  return dialTls({
    ...{ host: door.host, port: door.port, signal, address: addressOf(door) },
    tls: { rejectUnauthorized: false, ...(ca !== undefined && { ca }), ...credentials?.kubeletClient?.() },
    judge: (socket) =>
      socket.authorized || isLoopback(socket.remoteAddress ?? '') ? undefined : new Error(unknownAuthority),
  });
}

/** As upstream's server tells what its own request to the kubelet met. */
export function failureText(error: unknown, door: Door): string {
  return dialFailure(error, addressOf(door));
}
