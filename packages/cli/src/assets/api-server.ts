import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type Authorizer,
  type Clock,
  createCluster,
  type EventLimit,
  loadServingPki,
  type Problem,
  parseTokenFile,
  type RequestHeaderTerms,
  rbac,
  readAdmissionConfiguration,
  serveGiven,
  type TokenTerms,
} from '@signalbox/cluster';
import type { ApiServerTerms } from './api-server-terms.ts';
import type { Beside } from './controllers.ts';

export interface ApiServerStart {
  readonly terms: ApiServerTerms;
  readonly beside: Beside;
  readonly clock: Clock;
  readonly report: (problem: Problem) => void;
}

/** A cluster in memory behind the door of an upstream API server. Resolves once it answers. */
export async function startApiServer({
  terms,
  beside,
  clock,
  report,
}: ApiServerStart): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { host, port, advertise, serviceCidr, withoutAdmission, furtherAdmission } = terms;
  const [tls, tokens, tokenKey, checking, proxyClient, eventLimits] = await Promise.all([
    tlsOf(terms),
    textOf(terms.tokenFile, '--token-auth-file').then(parseTokenFile),
    textOf(terms.signingKey, '--service-account-signing-key-file'),
    Promise.all(terms.checkingKeys.map((path) => textOf(path, '--service-account-key-file'))),
    proxyClientOf(terms),
    readEventLimits(terms),
  ]);
  const cluster = await createCluster({
    ...{ clock, report, serviceCidr, withoutAdmission, furtherAdmission, eventLimits },
    parts: beside.parts,
    nodes: beside.nodes,
    serverAddress: () => `${host}:${port}`,
    certificateAuthority: {
      pem: () => tls.cert,
      onChange: () => () => undefined,
      ...(tokenKey !== '' && { tokenKey: () => tokenKey }),
      tokens: tokenTerms(terms, checking),
      ...(proxyClient !== undefined && { proxyClient: () => proxyClient }),
    },
    ...(terms.allowsAll && { authorizer: alwaysAllow }),
  });
  // Read now: a key that cannot be used is no surprise for the first token.
  cluster.api.tokens.publicKeys();
  const serving = await serveGiven(cluster, {
    ...{ host, port, tls, tokens, clock, report, anonymous: terms.allowsAnonymous, atOnce: terms.atOnce },
    ...(advertise !== undefined && { advertise }),
  });
  return {
    url: serving.url,
    async close() {
      await serving.close();
      await cluster.close();
    },
  };
}

function tokenTerms({ issuers, audiences }: ApiServerTerms, checking: readonly string[]): TokenTerms {
  const [issuer, ...formerIssuers] = issuers;
  const readers = audiences.length > 0 ? audiences : issuers;
  return {
    checking,
    formerIssuers,
    ...(issuer !== undefined && { issuer }),
    ...(readers.length > 0 && { audiences: readers }),
  };
}

async function proxyClientOf({ proxyClient }: ApiServerTerms): Promise<ClientPair | undefined> {
  if (proxyClient === undefined) return undefined;
  const [cert, key] = await Promise.all([
    textOf(proxyClient.cert, '--proxy-client-cert-file'),
    textOf(proxyClient.key, '--proxy-client-key-file'),
  ]);
  return { cert, key };
}

async function readEventLimits({ admissionConfig, furtherAdmission }: ApiServerTerms): Promise<readonly EventLimit[]> {
  const reading = {
    source: admissionConfig ?? '',
    read: (path: string) => readFile(resolve(dirname(admissionConfig ?? ''), path), 'utf8'),
  };
  const { eventLimits = [] } =
    admissionConfig === undefined
      ? {}
      : await readAdmissionConfiguration(await textOf(admissionConfig, '--admission-control-config-file'), reading);
  if (furtherAdmission.includes('EventRateLimit') && eventLimits.length === 0) throw new Error(noEventLimits);
  return eventLimits;
}

const noEventLimits =
  'failed to apply admission: couldn\'t init admission plugin "EventRateLimit": limits: Invalid value: null: must not be empty';

/** Empty: no file is named. */
async function textOf(path: string | undefined, flag: string): Promise<string> {
  if (path === undefined) return '';
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`${flag}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** As upstream: where nobody's signature would be trusted, nothing starts. */
async function certificatesOf(path: string | undefined, flag: string): Promise<string> {
  const text = await textOf(path, flag);
  if (path === undefined || text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new Error(`${flag} ${path}: there is no certificate in it`);
}

const alwaysAllow: Authorizer = {
  ...rbac,
  name: 'alwaysAllow',
  authorize: () => ({ allowed: true, reason: '' }),
};

interface ClientPair {
  readonly cert: string;
  readonly key: string;
}

interface GivenTls {
  readonly cert: string;
  readonly key: string;
  /** Who signs clients' certificates; empty: nobody. */
  readonly ca: string;
  readonly requestHeader?: RequestHeaderTerms;
}

/** As upstream: what is named must be there, what is not named is made. */
async function tlsOf({
  cert,
  key,
  makesCertificate,
  clientCa,
  host,
  requestHeader: proxy,
}: ApiServerTerms): Promise<GivenTls> {
  const ca = await certificatesOf(clientCa, '--client-ca-file');
  const proxyCa = await certificatesOf(proxy?.ca, '--requestheader-client-ca-file');
  const requestHeader = proxy && { requestHeader: { ...proxy, ca: proxyCa } };
  try {
    const [certText, keyText] = await Promise.all([readFile(cert, 'utf8'), readFile(key, 'utf8')]);
    return { cert: certText, key: keyText, ca, ...requestHeader };
  } catch (error) {
    if (!makesCertificate || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const { server } = (await loadServingPki({ host })).current();
    return { cert: server.cert, key: server.key, ca, ...requestHeader };
  }
}
