/** A whole cluster behind its HTTPS door, and the programs of its users: kubectl, and requests made by hand. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '../base/clock.ts';
import { loadKubeconfig } from '../client/http/kubeconfig.ts';
import { type Cluster, createCluster } from '../cluster.ts';
import { loadServingPki, serveCluster } from '../serve.ts';
import type { KnownToken } from '../server/auth/authenticate.ts';
import type { PkiKeeper } from '../server/auth/pki-keeper.ts';

export interface ServedCluster {
  readonly cluster: Cluster;
  readonly pki: PkiKeeper;
  readonly url: string;
  /** A folder for manifests, gone at the end. */
  readonly folder: string;
  readonly kubectl: Kubectl;
  /** What the parts of the cluster reported as wrong. */
  readonly problems: readonly string[];
  ask(path: string, options?: AskOptions): Promise<Answer>;
  /** Writes a manifest and returns its path. */
  write(name: string, content: string): string;
  close(): Promise<void>;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Kubectl {
  /** Runs `kubectl <line>` in a shell; rejects unless it exits with 0. Resolves with what it printed, trimmed. */
  (line: string, options?: RunOptions): Promise<string>;
  /** The same, whatever the exit code. */
  run(line: string, options?: RunOptions): Promise<Ran>;
  /** Must fail; what it said on stderr. */
  refused(line: string, options?: RunOptions): Promise<string>;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without the client certificate. */
  readonly anonymous?: boolean;
  /** An object is sent as JSON. */
  readonly body?: string | Buffer | object;
}

export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** Undefined when the text is no JSON. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Another program than the one on the path, e.g. an older release. */
const program = process.env['KUBECTL'] ?? 'kubectl';

/** The minor version of the kubectl on this computer; undefined when there is none. */
export const kubectlMinor: number | undefined = findKubectl();

function findKubectl(): number | undefined {
  const { status, stdout } = spawnSync(program, ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const { clientVersion } = JSON.parse(stdout) as { readonly clientVersion: { readonly minor: string } };
  return Number.parseInt(clientVersion.minor, 10);
}

/** Whether tests with kubectl are left out. Where everything must be tested, a missing kubectl is a failure instead. */
export function withoutKubectl(): boolean {
  if (kubectlMinor !== undefined) return false;
  const message = 'kubectl is not installed: the tests that let it judge the cluster';
  if ((process.env['CI'] ?? '') !== '') throw new Error(`${message} cannot run`);
  process.stderr.write(`${message} are left out\n`);
  return true;
}

export interface ServedOptions {
  readonly nodes?: number;
  readonly tokens?: readonly KnownToken[];
}

export async function startServedCluster({ nodes = 3, tokens = [] }: ServedOptions = {}): Promise<ServedCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-e2e-'));
  const problems: string[] = [];
  const pki = await loadServingPki({});
  const cluster = await createCluster({
    nodes,
    certificateAuthority: pki,
    report: ({ component, message, error }) => problems.push(`${component}: ${message}: ${String(error)}`),
  });
  const kubeconfig = join(folder, 'kubeconfig');
  const serving = await serveCluster(cluster, {
    ...{ pki, port: 0, kubeconfig, tokens },
    report: ({ message, error }) => problems.push(`http: ${message}: ${String(error)}`),
  });
  const write = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  return {
    cluster,
    pki,
    url: serving.url,
    folder,
    problems,
    kubectl: kubectlWith({ KUBECONFIG: kubeconfig, HOME: folder }),
    ask: await askerOf(kubeconfig),
    write,
    async close() {
      await serving.close();
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function kubectlWith(environment: Readonly<Record<string, string>>): Kubectl {
  const run = (line: string, { stdin, env }: RunOptions = {}): Promise<Ran> =>
    new Promise((resolve, reject) => {
      const child = spawn('/bin/sh', ['-c', `exec ${program} ${line}`], {
        env: { ...process.env, ...environment, ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const text = { out: '', err: '' };
      child.stdout.on('data', (chunk: Buffer) => {
        text.out += chunk.toString();
      });
      child.stderr.on('data', (chunk: Buffer) => {
        text.err += chunk.toString();
      });
      child.on('error', reject);
      child.on('close', (code) => resolve({ code: code ?? -1, out: text.out.trimEnd(), err: text.err.trimEnd() }));
      child.stdin.on('error', () => undefined);
      child.stdin.end(stdin ?? '');
    });
  const succeed = async (line: string, options?: RunOptions): Promise<string> => {
    const { code, out, err } = await run(line, options);
    if (code !== 0) throw new Error(`kubectl ${line}: exit ${code}\n${err}\n${out}`);
    return out;
  };
  const refused = async (line: string, options?: RunOptions): Promise<string> => {
    const { code, out, err } = await run(line, options);
    if (code === 0) throw new Error(`kubectl ${line}: was not refused\n${out}`);
    return err;
  };
  return Object.assign(succeed, { run, refused });
}

async function askerOf(kubeconfig: string): Promise<ServedCluster['ask']> {
  const { connection } = await loadKubeconfig({ path: kubeconfig, env: {}, clock: systemClock });
  const { hostname, port } = new URL(connection.server);
  const { ca } = connection.tls;
  const { certificate } = await connection.credentials.get({ refused: false, signal: new AbortController().signal });
  return (path, { method = 'GET', headers = {}, body, anonymous = false } = {}) =>
    new Promise((resolve, reject) => {
      const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
      const request = httpsRequest(
        {
          host: hostname,
          port,
          path,
          method,
          headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
          agent: false,
          ...(ca !== undefined && { ca }),
          ...(!anonymous && certificate),
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => resolve(answerOf(response, Buffer.concat(chunks).toString())));
        },
      );
      request.on('error', reject);
      request.end(isJson ? JSON.stringify(body) : body);
    });
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, text: string): Answer {
  return { code: statusCode, headers, text, body: parsed(text) };
}

function parsed(text: string): Answer['body'] {
  try {
    return JSON.parse(text) as Answer['body'];
  } catch {
    return undefined;
  }
}

/** Asks until the answer is as expected; rejects with the last one after ten seconds. */
export async function until<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const { signal } = new AbortController();
  const endMs = systemClock.nowMs() + 10_000;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (systemClock.nowMs() > endMs) throw new Error(`it never came about; last: ${JSON.stringify(value)}`);
    await sleep(systemClock, 50, { signal });
  }
}
