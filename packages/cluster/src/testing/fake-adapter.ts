/** Another server of the API, as an adapter of metrics is one: on the loopback, behind TLS, with a list of who asked what. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { User } from '../api/operation.ts';
import { systemClock } from '../base/clock.ts';
import { answerApis } from '../server/apis/answer.ts';
import { createIssuer, makeAuthority } from '../server/auth/certificates.ts';
import type { LocalApi } from '../server/context/local-api.ts';

export interface FakeAdapter {
  readonly port: number;
  /** PEM of who signed its certificate. */
  readonly ca: string;
  /** `GET /apis/… jane [dev] front-proxy-client`: the last is what the caller's certificate says. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export interface FakeAdapterOptions {
  readonly apis: readonly LocalApi[];
  /** What its certificate is made out to. */
  readonly names: readonly string[];
}

export async function createFakeAdapter({ apis, names }: FakeAdapterOptions): Promise<FakeAdapter> {
  const asked: string[] = [];
  const nowMs = systemClock.nowMs();
  const period = { notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 3_600_000 };
  const ca = await makeAuthority({ commonName: 'adapter-ca', ...period });
  const subject = { commonName: 'adapter', organizations: [] };
  const tls = await createIssuer(ca).makeCertificate({ ...period, subject, usage: 'server', names });
  const server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const { url = '', method = 'GET', headers } = request;
    const user: User = {
      name: String(headers['x-remote-user']),
      groups: String(headers['x-remote-group'] ?? '').split(', '),
    };
    const caller = (request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody';
    asked.push(`${method} ${url} ${user.name} [${user.groups.join(' ')}] ${String(caller)}`);
    if (url.includes('watch=true')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`${JSON.stringify({ type: 'ADDED', object: { kind: 'Rate', metadata: { name: 'a' } } })}\n`);
      return;
    }
    void answerApis(apis, { method, target: url, user, signal: new AbortController().signal }).then(
      ({ code, object }) => {
        response.writeHead(code, { 'content-type': 'application/json', 'x-answered-by': 'adapter' });
        response.end(JSON.stringify(object));
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    ca: ca.cert,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
