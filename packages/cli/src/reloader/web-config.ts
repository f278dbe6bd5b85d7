import { dirname, resolve } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { loadAll } from 'js-yaml';

/** How the reloader serves: what Prometheus' `--web.config.file` says, as far as the operators write it. */
export interface WebConfig {
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: without TLS. */
  readonly tls: WebTls | undefined;
}

export interface WebTls {
  readonly clients: ClientAuth;
  /** Reads certificate and key anew: both change while the server runs. */
  context(): SecureContextOptions;
}

const clientAuths = [
  'NoClientCert',
  'RequestClientCert',
  'RequireAnyClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const;
export type ClientAuth = (typeof clientAuths)[number];

/** Text of a file, or the system's error. */
export type ReadText = (path: string) => string;

/** Throws with what is wrong, also when certificate and key cannot be read. */
export function readWebConfig(path: string, read: ReadText): WebConfig {
  const text = read(path);
  // The operators mount it empty where nothing is asked for.
  const [document] = loadAll(text, { filename: path });
  const top = sectionOf(document ?? {}, { at: path, known: ['tls_server_config', 'http_server_config'] });
  const http = sectionOf(top['http_server_config'] ?? {}, { at: 'http_server_config', known: ['http2', 'headers'] });
  const headers = Object.entries((http['headers'] ?? {}) as object).map(([name, value]) => [name, String(value)]);
  const tls = top['tls_server_config'];
  return {
    headers: Object.fromEntries(headers) as Record<string, string>,
    tls: tlsFrom(tls ?? {}, { folder: dirname(path), read }),
  };
}

type Section = Readonly<Record<string, unknown>>;

/** Who asks for what this does not do must not believe to be protected. */
function sectionOf(value: unknown, { at, known }: { readonly at: string; readonly known: readonly string[] }): Section {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${at} is no map`);
  for (const key of Object.keys(value))
    if (!known.includes(key)) throw new Error(`${at}: ${key} is not supported here; it knows ${known.join(', ')}`);
  return value as Section;
}

const tlsKeys = [
  'cert',
  'cert_file',
  'key',
  'key_file',
  'client_ca',
  'client_ca_file',
  'client_auth_type',
  'min_version',
  'max_version',
  'cipher_suites',
  'curve_preferences',
  'prefer_server_cipher_suites',
] as const;

function tlsFrom(
  value: unknown,
  { folder, read }: { readonly folder: string; readonly read: ReadText },
): WebTls | undefined {
  const section = sectionOf(value, { at: 'tls_server_config', known: tlsKeys });
  if (!Object.keys(section).some((key) => /^(cert|key|client)/.test(key))) return undefined;
  const pem = (name: 'cert' | 'key' | 'client_ca'): string | undefined => {
    const path = textOf(section, `${name}_file`);
    return path === undefined ? textOf(section, name) : read(resolve(folder, path));
  };
  const clients = clientAuthOf(textOf(section, 'client_auth_type') ?? 'NoClientCert');
  const fixed = fixedOptions(section);
  const context = (): SecureContextOptions => {
    const [cert, key, ca] = [pem('cert'), pem('key'), pem('client_ca')];
    if (cert === undefined) throw new Error('tls_server_config: missing one of cert or cert_file');
    if (key === undefined) throw new Error('tls_server_config: missing one of key or key_file');
    if (ca !== undefined && clients === 'NoClientCert')
      throw new Error("client CA's have been configured without a Client Auth Policy: set client_auth_type");
    return { ...fixed, cert, key, ...(ca !== undefined && { ca }) };
  };
  context();
  return { clients, context };
}

function textOf(section: Section, name: string): string | undefined {
  const value = section[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new Error(`tls_server_config.${name} is no text`);
  return value;
}

function clientAuthOf(text: string): ClientAuth {
  const found = clientAuths.find((each) => each === (text === 'RequireClientCert' ? 'RequireAnyClientCert' : text));
  if (found === undefined) throw new Error(`invalid ClientAuth: ${text}; use one of ${clientAuths.join(', ')}`);
  return found;
}

const versions = { TLS10: 'TLSv1', TLS11: 'TLSv1.1', TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;
const curves: Readonly<Record<string, string>> = {
  CurveP256: 'P-256',
  CurveP384: 'P-384',
  CurveP521: 'P-521',
  X25519: 'X25519',
};

function fixedOptions(section: Section): SecureContextOptions {
  const suites = listOf(section, 'cipher_suites')
    .map(opensslName)
    .filter((name) => name !== undefined);
  // Go has curves that OpenSSL lacks; what remains of the choice counts.
  const chosen = listOf(section, 'curve_preferences').flatMap((name) => curves[name] ?? []);
  return {
    minVersion: versionOf(section, 'min_version') ?? 'TLSv1.2',
    maxVersion: versionOf(section, 'max_version') ?? 'TLSv1.3',
    honorCipherOrder: section['prefer_server_cipher_suites'] !== false,
    ...(suites.length > 0 && { ciphers: suites.join(':') }),
    ...(chosen.length > 0 && { ecdhCurve: chosen.join(':') }),
  };
}

function versionOf(section: Section, name: string): (typeof versions)[keyof typeof versions] | undefined {
  const text = textOf(section, name);
  if (text === undefined) return undefined;
  const found = Object.entries(versions).find(([key]) => key === text);
  if (found === undefined)
    throw new Error(`unknown TLS version: ${text}; use one of ${Object.keys(versions).join(', ')}`);
  return found[1];
}

function listOf(section: Section, name: string): readonly string[] {
  const value = section[name] ?? [];
  if (!Array.isArray(value)) throw new Error(`tls_server_config.${name} is no list`);
  return value.map(String);
}

/** `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` is `ECDHE-RSA-AES128-GCM-SHA256`. Those of TLS 1.3 cannot be chosen in Go either. */
function opensslName(suite: string): string | undefined {
  if (/^TLS_(AES|CHACHA20)_/.test(suite)) return undefined;
  const [, exchange = '', cipher = '', mode = '', digest = ''] =
    /^TLS_(.+)_WITH_(AES_128|AES_256|CHACHA20)_(GCM|CBC|POLY1305)_(SHA\d*)$/.exec(suite) ?? [];
  if (exchange === '') throw new Error(`unknown cipher: ${suite}`);
  const prefix = exchange === 'RSA' ? '' : `${exchange.replaceAll('_', '-')}-`;
  if (cipher === 'CHACHA20') return `${prefix}CHACHA20-POLY1305`;
  return `${prefix}${cipher.replace('_', '')}-${mode === 'GCM' ? 'GCM-' : ''}${digest}`;
}
