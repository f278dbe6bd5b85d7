import { readFile, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { SourceError } from '../../api/codec/source.ts';
import { parseYamlDocuments } from '../../api/codec/yaml.ts';
import { isObject, type JsonObject } from '../../api/record.ts';
import type { Clock } from '../../base/clock.ts';
import { type ClientTls, type Connection, type CredentialSource, fixedCredentials } from './connection.ts';
import { createExecCredentials } from './exec-credentials.ts';

export interface LoadKubeconfigOptions {
  /** One file, instead of `KUBECONFIG` and `~/.kube/config`. */
  readonly path?: string;
  /** Instead of the current context. */
  readonly context?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

export interface LoadedKubeconfig {
  readonly connection: Connection;
  /** The context's name; undefined inside a cluster. */
  readonly context: string | undefined;
  /** The context's namespace, or that of the pod. */
  readonly namespace: string | undefined;
  /** What the user should know: a file that others may read. */
  readonly warnings: readonly string[];
}

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Finds the API server and the credentials as kubectl does: the given file; else the files of `KUBECONFIG`, merged; else
 * `~/.kube/config`; else the service account of the pod that this runs in. Throws an Error of one line that names the mend.
 */
export async function loadKubeconfig(options: LoadKubeconfigOptions): Promise<LoadedKubeconfig> {
  const { paths, mustExist } = candidates(options);
  const files = (await Promise.all(paths.map(readConfig))).filter((file) => file !== undefined);
  const [first] = files;
  if (first === undefined) {
    if (mustExist) throw new Error(`kubeconfig ${paths.join(', ')} does not exist`);
    return await inCluster(options);
  }
  const merged = merge(files);
  const name = options.context ?? merged.currentContext;
  if (name === undefined) throw new Error(`kubeconfig ${first.path} has no current-context; choose one with --context`);
  const context = named(merged.contexts, name, 'context');
  const cluster = named(merged.clusters, text(context, 'cluster') ?? '', 'cluster');
  const user =
    text(context.value, 'user') === undefined ? undefined : named(merged.users, text(context, 'user') ?? '', 'user');
  const warnings = files.flatMap(({ path, isShared }) =>
    isShared ? [`kubeconfig ${path} can be read by everybody; chmod 600 it`] : [],
  );
  return {
    connection: await connectionOf({ cluster, user }, options),
    context: name,
    namespace: text(context, 'namespace'),
    warnings,
  };
}

interface Candidates {
  readonly paths: readonly string[];
  /** The user named the files, so a missing one is no reason to look elsewhere. */
  readonly mustExist: boolean;
}

function candidates({ path, env }: LoadKubeconfigOptions): Candidates {
  if (path !== undefined) return { paths: [path], mustExist: true };
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((entry) => entry !== '');
  if (listed.length > 0) return { paths: listed, mustExist: true };
  const home = env['HOME'];
  return { paths: home === undefined || home === '' ? [] : [join(home, '.kube', 'config')], mustExist: false };
}

interface ConfigFile {
  readonly path: string;
  readonly value: JsonObject;
  readonly isShared: boolean;
}

async function readConfig(path: string): Promise<ConfigFile | undefined> {
  let content: string;
  let mode: number;
  try {
    [content, { mode }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const why = code === 'EACCES' ? 'may not be read by this user' : code === 'EISDIR' ? 'is a folder' : message;
    throw new Error(`kubeconfig ${path} ${why}`, { cause });
  }
  const value = parseConfig(content, path);
  if (value['kind'] !== undefined && value['kind'] !== 'Config')
    throw new Error(`kubeconfig ${path} is a ${JSON.stringify(value['kind'])}, not a Config`);
  return { path, value, isShared: (mode & 0o004) !== 0 };
}

function parseConfig(content: string, path: string): JsonObject {
  let value: unknown;
  try {
    value = parseYamlDocuments(content, { source: path })[0]?.value ?? {};
  } catch (cause) {
    if (!(cause instanceof SourceError)) throw cause;
    throw new Error(`kubeconfig ${withoutQuotes(cause)}`);
  }
  if (!isObject(value)) throw new Error(`kubeconfig ${path} is no mapping`);
  return value;
}

/** What the reader of YAML quotes may be a token that nobody put into quotes; nor may the cause be shown. */
function withoutQuotes({ source, line, column, reason }: SourceError): string {
  const [first = ''] = reason.split('\n', 1);
  return `${source}:${line}:${column}: ${first.replace(/"[^"]*"?|!?<[^>]*>?/g, '…')}`;
}

/** One entry of a list of named things; paths inside are relative to its file. */
interface Entry {
  readonly name: string;
  readonly value: JsonObject;
  readonly path: string;
}

interface Merged {
  readonly currentContext: string | undefined;
  readonly clusters: readonly Entry[];
  readonly users: readonly Entry[];
  readonly contexts: readonly Entry[];
}

/** Of two entries with one name the first counts, as in kubectl. */
function merge(files: readonly ConfigFile[]): Merged {
  const entries = (list: string, member: string): readonly Entry[] =>
    files.flatMap((file) => entriesOf(file, list, member));
  return {
    currentContext: files
      .map(({ value }) => value['current-context'])
      .find((name) => typeof name === 'string' && name !== '') as string | undefined,
    clusters: entries('clusters', 'cluster'),
    users: entries('users', 'user'),
    contexts: entries('contexts', 'context'),
  };
}

function entriesOf({ path, value }: ConfigFile, list: string, member: string): readonly Entry[] {
  const items = value[list];
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown) => {
    if (!isObject(item) || typeof item['name'] !== 'string') return [];
    const inner = item[member];
    return [{ name: item['name'], value: isObject(inner) ? inner : {}, path }];
  });
}

function named(entries: readonly Entry[], name: string, what: string): Entry {
  const found = entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const known = [...new Set(entries.map((entry) => entry.name))];
  const hint = known.length === 0 ? `there is no ${what} at all` : `there are: ${known.join(', ')}`;
  throw new Error(`kubeconfig has no ${what} ${JSON.stringify(name)}; ${hint}`);
}

function text(of: Entry | JsonObject, key: string): string | undefined {
  const value = isEntry(of) ? of.value[key] : of[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isEntry(of: Entry | JsonObject): of is Entry {
  return isObject(of['value']) && typeof of['path'] === 'string';
}

interface Chosen {
  readonly cluster: Entry;
  readonly user: Entry | undefined;
}

async function connectionOf({ cluster, user }: Chosen, options: LoadKubeconfigOptions): Promise<Connection> {
  const server = text(cluster, 'server');
  if (server === undefined || !URL.canParse(server))
    throw new Error(`kubeconfig ${cluster.path}: cluster ${cluster.name} has no valid server URL`);
  const { username, password } = new URL(server);
  // Every message that names the server would tell it.
  if (username !== '' || password !== '')
    throw new Error(
      `kubeconfig ${cluster.path}: the server URL of cluster ${cluster.name} holds a user or a password; give them to the user as username and password`,
    );
  if (text(cluster, 'proxy-url') !== undefined)
    throw new Error(
      `kubeconfig ${cluster.path}: cluster ${cluster.name} uses proxy-url, which is not supported; reach the server directly`,
    );
  const ca = await pem(cluster, 'certificate-authority');
  const serverName = text(cluster, 'tls-server-name');
  const tls: ClientTls = {
    ...(ca !== undefined && { ca }),
    ...(cluster.value['insecure-skip-tls-verify'] === true && { insecureSkipVerify: true }),
    ...(serverName !== undefined && { serverName }),
  };
  const credentials =
    user === undefined ? fixedCredentials({}) : await credentialsOf(user, { cluster, server, options });
  if (new URL(server).protocol !== 'https:' && user !== undefined && Object.keys(user.value).length > 0)
    throw new Error(
      `kubeconfig ${cluster.path}: ${server} is not encrypted, so no credentials are sent there; use https`,
    );
  return { server, tls, credentials };
}

/** `<key>-data` in base64, or a file's content at `<key>`. */
async function pem(entry: Entry, key: string): Promise<string | undefined> {
  const embedded = text(entry, `${key}-data`);
  if (embedded !== undefined) return decodePem(embedded, { entry, key });
  const file = text(entry, key);
  return file === undefined ? undefined : await readNear(entry, file, key);
}

function decodePem(embedded: string, { entry, key }: { readonly entry: Entry; readonly key: string }): string {
  const decoded = Buffer.from(embedded, 'base64').toString('utf8');
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(embedded) || !decoded.includes('-----BEGIN'))
    throw new Error(`kubeconfig ${entry.path}: ${key}-data of ${entry.name} is no base64 of a PEM`);
  return decoded;
}

async function readNear(entry: Entry, file: string, key: string): Promise<string> {
  const path = isAbsolute(file) ? file : resolve(dirname(entry.path), file);
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`kubeconfig ${entry.path}: ${key} of ${entry.name} cannot be read: ${path}: ${code ?? 'error'}`, {
      cause,
    });
  }
}

interface Around {
  readonly cluster: Entry;
  readonly server: string;
  readonly options: LoadKubeconfigOptions;
}

async function credentialsOf(user: Entry, { cluster, server, options }: Around): Promise<CredentialSource> {
  if (user.value['auth-provider'] !== undefined)
    throw new Error(
      `kubeconfig ${user.path}: user ${user.name} uses auth-provider, which is gone since Kubernetes 1.26; use exec`,
    );
  if (user.value['as'] !== undefined)
    throw new Error(
      `kubeconfig ${user.path}: user ${user.name} uses as, which is not supported; take that user's own credentials`,
    );
  const [cert, key] = await Promise.all([pem(user, 'client-certificate'), pem(user, 'client-key')]);
  if ((cert === undefined) !== (key === undefined))
    throw new Error(`kubeconfig ${user.path}: user ${user.name} needs both client-certificate and client-key`);
  const certificate = cert !== undefined && key !== undefined ? { certificate: { cert, key } } : {};
  const token = text(user, 'token');
  const tokenFile = text(user, 'tokenFile');
  if (token !== undefined && tokenFile === undefined)
    return fixedCredentials({ ...certificate, authorization: `Bearer ${token}` });
  if (tokenFile !== undefined) {
    const path = isAbsolute(tokenFile) ? tokenFile : resolve(dirname(user.path), tokenFile);
    return fileCredentials(path, { clock: options.clock, certificate });
  }
  const { username, password, exec } = user.value;
  if (typeof username === 'string') {
    const pair = Buffer.from(`${username}:${typeof password === 'string' ? password : ''}`).toString('base64');
    return fixedCredentials({ ...certificate, authorization: `Basic ${pair}` });
  }
  if (!isObject(exec)) return fixedCredentials(certificate);
  return createExecCredentials(exec, {
    userName: user.name,
    folder: dirname(user.path),
    env: options.env,
    clock: options.clock,
    cluster: { server, ...cluster.value },
  });
}

/** Tokens in files are replaced now and then (those of pods every hour), so they are read again every minute. */
const tokenAgeMsMax = 60_000;

function fileCredentials(
  path: string,
  { clock, certificate }: { readonly clock: Clock; readonly certificate: object },
): CredentialSource {
  let known: { readonly authorization: string; readonly readMs: number } | undefined;
  return {
    async get({ refused }) {
      if (known === undefined || refused || clock.nowMs() - known.readMs > tokenAgeMsMax) {
        const token = (await readToken(path)).trim();
        known = { authorization: `Bearer ${token}`, readMs: clock.nowMs() };
      }
      return { ...certificate, authorization: known.authorization };
    },
  };
}

async function readToken(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`the token file ${path} cannot be read: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
}

async function inCluster({ env, clock }: LoadKubeconfigOptions): Promise<LoadedKubeconfig> {
  const host = env['KUBERNETES_SERVICE_HOST'];
  if (host === undefined || host === '')
    throw new Error('no kubeconfig found; name one with --kubeconfig, or set KUBECONFIG');
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443';
  const [ca, namespace] = await Promise.all([
    readServiceAccount('ca.crt'),
    readServiceAccount('namespace').catch(() => undefined),
  ]);
  const credentials = fileCredentials(join(serviceAccountFolder, 'token'), { clock, certificate: {} });
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { connection: { server, tls: { ca }, credentials }, context: undefined, namespace, warnings: [] };
}

async function readServiceAccount(file: string): Promise<string> {
  const path = join(serviceAccountFolder, file);
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new Error(`this looks like a pod, but ${path} cannot be read; does it have a service account?`, { cause });
  }
}
