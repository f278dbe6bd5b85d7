/** A webhook as it stands in a cluster: a server of its own behind HTTPS, with a certificate that its bundle vouches for. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createIssuer, makeAuthority } from '../server/auth/certificates.ts';

export interface HookServer {
  readonly port: number;
  /** As it stands in a `caBundle`. */
  readonly caBundle: string;
  /** PEM. */
  readonly ca: string;
  /** What it shows itself. */
  readonly cert: string;
  /** How many connections there were so far. */
  connections(): number;
  close(): Promise<void>;
}

export interface HookRequest {
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface HookReply {
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface HookServerOptions {
  /** What its certificate bears. */
  readonly names: readonly string[];
  reply(request: HookRequest): HookReply | Promise<HookReply>;
}

const period = { notBeforeMs: Date.UTC(2020, 0, 1), notAfterMs: Date.UTC(2040, 0, 1) };

export async function startHookServer({ names, reply }: HookServerOptions): Promise<HookServer> {
  const authority = await makeAuthority({ commonName: 'hook-authority', ...period });
  const subject = { commonName: 'hooks', organizations: [] };
  const pair = await createIssuer(authority).makeCertificate({ subject, usage: 'server', names, ...period });
  let connections = 0;
  const server = createServer({ cert: pair.cert, key: pair.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
      Promise.resolve(reply(asked)).then(
        ({ code = 200, headers = {}, text }) => response.writeHead(code, headers).end(text),
        () => response.destroy(),
      );
    });
  });
  server.on('secureConnection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ca: authority.cert,
    cert: pair.cert,
    caBundle: Buffer.from(authority.cert).toString('base64'),
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
