/** Somebody behind a node's door: shows what it is asked, by whom, and echoes what is upgraded. */
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '../base/clock.ts';
import { makeAuthority } from '../server/auth/certificates.ts';

export interface FakeKubelet {
  /** For the node's annotation. */
  readonly url: string;
  /** `GET /healthz kube-apiserver-kubelet-client`, in order. */
  readonly asked: readonly string[];
  close(): void;
}

export async function createFakeKubelet(): Promise<FakeKubelet> {
  const asked: string[] = [];
  const nowMs = systemClock.nowMs();
  const tls = await makeAuthority({ commonName: 'kubelet', notBeforeMs: nowMs - 1_000, notAfterMs: nowMs + 3_600_000 });
  const note = (request: IncomingMessage): void => {
    const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject ?? {};
    asked.push(`${request.method} ${request.url} ${String(CN)}`);
  };
  const server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    note(request);
    if (request.url?.includes('/broken/') === true) {
      response.writeHead(400).end('container "main" in pod "broken" is waiting to start: ContainerCreating');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/x-echo', 'x-credentials': String(request.headers.authorization) });
    request.pipe(response);
    if (request.method === 'GET') response.write('one\ntwo\n');
  });
  server.on('upgrade', (request: IncomingMessage, socket, head: Buffer) => {
    note(request);
    const { upgrade = '', 'sec-websocket-protocol': protocol = '' } = request.headers;
    socket.on('error', () => undefined);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\nX-Spoken: ${protocol}\r\n\r\n`,
    );
    socket.write(head);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
