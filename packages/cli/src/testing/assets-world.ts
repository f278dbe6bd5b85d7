/** The programs of `signalbox test-assets`, started and asked as envtest does: with certificates of its own, made for clients and servers. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadServingPki, type Pki } from '@signalbox/cluster';
import { freePorts } from '@signalbox/cluster/testing';
import { run } from '../run.ts';
import { createTestIo, type TestIo } from './io.ts';
import { programsFolder } from './process.ts';

export interface AssetsWorld {
  /** What `test-assets` printed. */
  readonly assets: string;
  /** Gone at the end; `certs` below it has what envtest writes there. */
  readonly folder: string;
  readonly io: TestIo;
  /** An administrator, and `viewer` of the group `team`. */
  readonly pki: Pki;
  start(name: string, options: Starting): Program;
  /** An API server that answers, with more flags than envtest gives. */
  startApi(options?: Partial<Starting>): Promise<Api>;
  ask(asking: Asking): Promise<Asked>;
  close(): Promise<void>;
}

export interface Starting {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Program {
  readonly exited: Promise<number | null>;
  readonly said: () => string;
  stop(): void;
}

export interface Api extends Program {
  readonly port: number;
}

export interface Asking {
  readonly port: number;
  readonly path: string;
  readonly who?: { readonly cert: string; readonly key: string };
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export interface Asked {
  readonly code: number;
  readonly text: string;
}

export async function createAssetsWorld(): Promise<AssetsWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-envtest-'));
  const created = await createTestIo({
    env: { XDG_CACHE_HOME: join(folder, 'cache'), PATH: process.env['PATH'] ?? '' },
  });
  const io: TestIo = { ...created, install: { node: process.execPath, programs: programsFolder() } };
  if ((await run(['test-assets'], io)) !== 0) throw new Error(io.err());
  const assets = io.out().trim();
  const pki = await writeCertificates(join(folder, 'certs'));
  const ask = (asking: Asking): Promise<Asked> => askServer(asking, pki);
  const start = (name: string, options: Starting): Program => startProgram(join(assets, name), options);
  return {
    ...{ assets, folder, io, pki, start, ask },
    async startApi({ argv = [], env = {} } = {}) {
      const [port = 0] = await freePorts(1);
      const program = start('kube-apiserver', { argv: [...envtestFlags(port, folder), ...argv], env });
      await untilListening(program, () => ask({ port, path: '/healthz' }));
      return { ...program, port };
    },
    async close() {
      await io.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function writeCertificates(folder: string): Promise<Pki> {
  const further = [
    {
      ...({ file: 'viewer', usage: 'client', names: [] } as const),
      subject: { commonName: 'viewer', organizations: ['team'] },
    } as const,
  ];
  const pki = (await loadServingPki({ further })).current();
  await mkdir(folder);
  const files = {
    'apiserver.crt': pki.server.cert,
    'apiserver.key': pki.server.key,
    'ca.crt': pki.ca,
    'sa.key': pki.tokenKey,
  };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  return pki;
}

function startProgram(path: string, { argv, env = {} }: Starting): Program {
  const child = spawn(path, argv, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
  let said = '';
  child.stderr.on('data', (data: Buffer) => {
    said += data.toString();
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { exited, said: () => said, stop: () => void child.kill('SIGTERM') };
}

async function askServer({ port, path, who, headers = {}, body }: Asking, { ca }: Pki): Promise<Asked> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const json = { 'content-type': 'application/json', ...headers };
    const options = { host: '127.0.0.1', port, path, ca, ...who, headers: json, agent: false };
    const sent = httpsRequest({ ...options, method: body === undefined ? 'GET' : 'POST' }, resolve);
    sent.once('error', reject).end(body === undefined ? '' : JSON.stringify(body));
  });
  let text = '';
  for await (const piece of response) text += String(piece);
  return { code: response.statusCode ?? 0, text };
}

/** Nobody shows a certificate, as when envtest asks: where nobody is let in without, any answer is one. */
async function untilListening(program: Program, look: () => Promise<Asked>): Promise<void> {
  for (;;) {
    const answered = await look().catch(() => undefined);
    if (answered?.code === 200 || answered?.code === 401) return;
    const ended = await Promise.race([
      program.exited,
      new Promise<'runs'>((resolve) => setTimeout(resolve, 50, 'runs')),
    ]);
    if (ended !== 'runs') throw new Error(program.said());
  }
}

function envtestFlags(port: number, folder: string): readonly string[] {
  const certs = join(folder, 'certs');
  return [
    ...['--etcd-servers=http://127.0.0.1:1', '--bind-address=127.0.0.1', `--secure-port=${port}`],
    ...['--authorization-mode=RBAC', '--disable-admission-plugins=ServiceAccount', '--allow-privileged=true'],
    ...[`--cert-dir=${certs}`, `--client-ca-file=${certs}/ca.crt`],
    ...[`--service-account-signing-key-file=${certs}/sa.key`, `--service-account-issuer=https://127.0.0.1:${port}/`],
  ];
}
