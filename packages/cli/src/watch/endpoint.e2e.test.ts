import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { makeAuthority, type PemPair, systemClock } from '@signalbox/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Endpoint, type EndpointOptions, serveEndpoint } from './endpoint.ts';

let folder: string;
let endpoint: Endpoint | undefined;
let warnings: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-endpoint-'));
  warnings = [];
});
afterEach(async () => {
  endpoint?.close();
  endpoint = undefined;
  await rm(folder, { recursive: true });
});

let isWell = true;
async function serve(more: Partial<EndpointOptions> = {}): Promise<number> {
  endpoint = await serveEndpoint({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    tokenFile: undefined,
    warn: (message, error) => void warnings.push(`${message}: ${(error as Error).message}`),
    pages: {
      metrics: async () => ({ type: 'text/plain; version=0.0.4; charset=utf-8', text: 'up 1\n' }),
      probe: (name, { isVerbose }) => ({ isWell, text: isVerbose ? `all of ${name}` : isWell ? 'ok' : 'no' }),
    },
    ...more,
  });
  return endpoint.address.port;
}

interface Answer {
  readonly code: number;
  readonly text: string;
  readonly type: string;
  /** Of the certificate that was shown. */
  readonly subject: string;
}

interface Asking {
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  readonly token?: string;
  readonly isSecure?: boolean;
}

function ask({ port, path, method = 'GET', token, isSecure = false }: Asking): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const terms = { host: '127.0.0.1', port, path, method, headers, agent: false, rejectUnauthorized: false };
    const asked = (isSecure ? secure : plain)(terms, (response) => {
      const subject = isSecure ? String((response.socket as TLSSocket).getPeerCertificate().subject.CN) : '';
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ code: response.statusCode ?? 0, text, type: response.headers['content-type'] ?? '', subject }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}

test('metrics, and probes that can fail', async () => {
  const port = await serve();
  expect(await ask({ port, path: '/metrics' })).toMatchObject({
    code: 200,
    text: 'up 1\n',
    type: 'text/plain; version=0.0.4; charset=utf-8',
  });
  expect(await ask({ port, path: '/healthz' })).toMatchObject({ code: 200, text: 'ok' });
  expect(await ask({ port, path: '/readyz?verbose' })).toMatchObject({ code: 200, text: 'all of readyz' });
  isWell = false;
  expect(await ask({ port, path: '/readyz' })).toMatchObject({ code: 503, text: 'no' });
  isWell = true;
  expect(await ask({ port, path: '/metrics', method: 'POST' })).toMatchObject({ code: 405 });
  expect(await ask({ port, path: '/secrets' })).toMatchObject({ code: 404 });
});

test('with a token only who shows it reads metrics, a new one at once; probes need none', async () => {
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, 'first\n');
  const port = await serve({ tokenFile });
  const code = async (token?: string): Promise<number> =>
    (await ask({ port, path: '/metrics', ...(token !== undefined && { token }) })).code;
  expect([await code(), await code('second'), await code('first')]).toEqual([401, 401, 200]);
  await writeFile(tokenFile, 'second\n');
  expect([await code('first'), await code('second')]).toEqual([401, 200]);
  expect((await ask({ port, path: '/healthz' })).code).toBe(200);
});

async function pair(name: string): Promise<PemPair> {
  const nowMs = systemClock.nowMs();
  return makeAuthority({ commonName: name, notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 3_600_000 });
}

test('a new certificate is shown from the next connection on; one that cannot be read leaves the old one', async () => {
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const write = async ({ cert, key }: PemPair): Promise<void> => {
    await writeFile(certFile, cert);
    await writeFile(keyFile, key);
  };
  await write(await pair('first'));
  const port = await serve({ tls: { certFile, keyFile } });
  const shown = async (): Promise<string> => (await ask({ port, path: '/healthz', isSecure: true })).subject;
  expect(await shown()).toBe('first');
  await write(await pair('second'));
  expect(await shown()).toBe('second');
  await rm(keyFile);
  expect(await shown()).toBe('second');
  expect(warnings).toEqual([expect.stringMatching(/^cannot read the certificate anew, the old one stays: .*tls\.key/)]);
});

test('what cannot work is told with the mend', async () => {
  const busy = createServer();
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  const { port } = busy.address() as { readonly port: number };
  await expect(serve({ port })).rejects.toThrow(`--listen 127.0.0.1:${port}: another process has this port`);
  busy.close();
  await expect(serve({ host: '192.0.2.1', port: 80 })).rejects.toThrow(/this machine has no such address; use :80/);
  await expect(serve({ tokenFile: join(folder, 'none') })).rejects.toThrow(
    /--metrics-token-file .*none: no such file or folder/,
  );
  await writeFile(join(folder, 'empty'), '\n');
  await expect(serve({ tokenFile: join(folder, 'empty') })).rejects.toThrow(/it is empty; write the token into it/);
  const files = { certFile: join(folder, 'none'), keyFile: join(folder, 'empty') };
  await expect(serve({ tls: files })).rejects.toThrow(/--tls-cert-file .*none: no such file/);
  await writeFile(join(folder, 'none'), 'no certificate');
  await expect(serve({ tls: files })).rejects.toThrow(/--tls-cert-file and --tls-private-key-file.*: /);
});
