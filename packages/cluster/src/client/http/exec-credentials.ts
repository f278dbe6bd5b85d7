import { spawn } from 'node:child_process';
import { isAbsolute, resolve } from 'node:path';
import { isObject, type JsonObject } from '../../api/record.ts';
import { type Clock, fromTimestamp } from '../../base/clock.ts';
import type { ClientCredentials, CredentialSource } from './connection.ts';

export interface ExecOptions {
  readonly userName: string;
  /** Where the kubeconfig lies: a command with a slash in it is relative to that. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The kubeconfig's cluster, for plugins that ask for it. */
  readonly cluster: JsonObject;
}

const apiVersions: ReadonlySet<string> = new Set([
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
]);

const pluginTimeoutMs = 60_000;
const outputBytesMax = 1024 * 1024;

interface Plugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly provideClusterInfo: boolean;
  readonly installHint: string | undefined;
}

/** Credentials that a program hands out (`users[].user.exec`), remembered until they expire or the server refuses them. */
export function createExecCredentials(exec: JsonObject, options: ExecOptions): CredentialSource {
  const plugin = pluginOf(exec, options);
  if (options.env['KUBERNETES_EXEC_INFO'] !== undefined)
    throw new Error(
      `user ${options.userName}: this program was itself started as a credential plugin; that would never end`,
    );
  let known: { readonly credentials: ClientCredentials; readonly expiresMs: number } | undefined;
  let asking: Promise<ClientCredentials> | undefined;
  const ask = async (): Promise<ClientCredentials> => {
    const status = statusOf(await run(plugin, options), plugin, options);
    const expiresMs = status.expirationTimestamp === undefined ? Infinity : fromTimestamp(status.expirationTimestamp);
    known = { credentials: credentialsOf(status), expiresMs: Number.isNaN(expiresMs) ? 0 : expiresMs };
    return known.credentials;
  };
  return {
    get({ refused }) {
      if (known !== undefined && !refused && options.clock.nowMs() < known.expiresMs)
        return Promise.resolve(known.credentials);
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
  };
}

function pluginOf(exec: JsonObject, { userName, folder }: ExecOptions): Plugin {
  const { apiVersion, command, args, env, interactiveMode, provideClusterInfo, installHint } = exec;
  if (typeof apiVersion !== 'string' || !apiVersions.has(apiVersion))
    throw new Error(`user ${userName}: exec needs apiVersion ${[...apiVersions].join(' or ')}`);
  if (typeof command !== 'string' || command === '') throw new Error(`user ${userName}: exec has no command`);
  if (interactiveMode === 'Always')
    throw new Error(
      `user ${userName}: the plugin ${command} wants to ask questions on a terminal; that is not supported`,
    );
  return {
    apiVersion,
    command: command.includes('/') && !isAbsolute(command) ? resolve(folder, command) : command,
    args: Array.isArray(args) ? args.map(String) : [],
    env: Object.fromEntries(variables(env)),
    provideClusterInfo: provideClusterInfo === true,
    installHint: typeof installHint === 'string' ? installHint : undefined,
  };
}

function* variables(env: unknown): Iterable<readonly [string, string]> {
  if (!Array.isArray(env)) return;
  for (const entry of env as readonly unknown[])
    if (isObject(entry) && typeof entry['name'] === 'string' && typeof entry['value'] === 'string')
      yield [entry['name'], entry['value']];
}

interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(plugin: Plugin, { env, clock, cluster, userName }: ExecOptions): Promise<Output> {
  const spec = { interactive: false, ...(plugin.provideClusterInfo && { cluster: clusterInfo(cluster) }) };
  const info = JSON.stringify({ apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec });
  return new Promise((resolveOutput, reject) => {
    const child = spawn(plugin.command, plugin.args, {
      env: { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: info },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let bytes = 0;
    const keep = (into: Buffer[]) => (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= outputBytesMax) into.push(chunk);
      else child.kill('SIGKILL');
    };
    child.stdout.on('data', keep(stdout));
    child.stderr.on('data', keep(stderr));
    const cancel = clock.after(pluginTimeoutMs, () => {
      child.kill('SIGKILL');
      reject(new Error(`user ${userName}: the plugin ${plugin.command} took longer than ${pluginTimeoutMs / 1000} s`));
    });
    child.on('error', (cause: NodeJS.ErrnoException) => {
      cancel();
      reject(new Error(spawnFailure(cause, plugin, userName), { cause }));
    });
    child.on('close', (code) => {
      cancel();
      resolveOutput({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() });
    });
  });
}

function spawnFailure(
  { code, message }: NodeJS.ErrnoException,
  { command, installHint }: Plugin,
  userName: string,
): string {
  const hint = installHint === undefined ? '' : `; ${installHint.replace(/\s+/g, ' ').trim()}`;
  const why = code === 'ENOENT' ? 'is not installed' : code === 'EACCES' ? 'may not be run' : `failed: ${message}`;
  return `user ${userName}: the plugin ${command} ${why}${hint}`;
}

/** The plugin's form of a kubeconfig's cluster. */
function clusterInfo(cluster: JsonObject): JsonObject {
  return {
    server: cluster['server'],
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'certificate-authority-data': cluster['certificate-authority-data'],
    config: execExtension(cluster['extensions']),
  };
}

function execExtension(extensions: unknown): unknown {
  if (!Array.isArray(extensions)) return undefined;
  const found = (extensions as readonly unknown[]).find(
    (entry) => isObject(entry) && entry['name'] === 'client.authentication.k8s.io/exec',
  );
  return isObject(found) ? found['extension'] : undefined;
}

interface ExecStatus {
  readonly token?: string;
  readonly expirationTimestamp?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
}

function statusOf({ code, stdout, stderr }: Output, plugin: Plugin, { userName }: ExecOptions): ExecStatus {
  const who = `user ${userName}: the plugin ${plugin.command}`;
  if (code !== 0) {
    const words = stderr.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';
    throw new Error(`${who} ended with ${code ?? 'a signal'}${words === '' ? '' : `: ${words}`}`);
  }
  // Its output holds a secret, so no message repeats any of it.
  const answer = parse(stdout);
  if (!isObject(answer) || answer['kind'] !== 'ExecCredential') throw new Error(`${who} printed no ExecCredential`);
  if (answer['apiVersion'] !== plugin.apiVersion)
    throw new Error(`${who} answered in ${JSON.stringify(answer['apiVersion'])} instead of ${plugin.apiVersion}`);
  const status = answer['status'];
  const { token, clientCertificateData: cert, clientKeyData: key } = (isObject(status) ? status : {}) as ExecStatus;
  if (typeof token !== 'string' && (typeof cert !== 'string' || typeof key !== 'string'))
    throw new Error(`${who} gave neither a token nor a certificate with its key`);
  return status as ExecStatus;
}

function parse(textOfJson: string): unknown {
  try {
    return JSON.parse(textOfJson);
  } catch {
    return undefined;
  }
}

function credentialsOf({ token, clientCertificateData: cert, clientKeyData: key }: ExecStatus): ClientCredentials {
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(cert !== undefined && key !== undefined && { certificate: { cert, key } }),
  };
}
