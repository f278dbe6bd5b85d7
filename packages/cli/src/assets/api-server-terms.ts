import { join } from 'node:path';
import { choosePlugins, type FurtherPlugin, type RequestHeaderTerms } from '@signalbox/cluster';
import type { FlagValues } from './given-flags.ts';

/** What a test wants of its API server, from the flags of kube-apiserver. */
export interface ApiServerTerms {
  readonly host: string;
  readonly port: number;
  readonly advertise: string | undefined;
  /** Files. Absent: made. */
  readonly cert: string;
  readonly key: string;
  /** A missing one is made: it was not named. */
  readonly makesCertificate: boolean;
  readonly clientCa: string | undefined;
  readonly tokenFile: string | undefined;
  /** Files of the private key that signs tokens of service accounts, and of more that they are checked with. */
  readonly signingKey: string | undefined;
  readonly checkingKeys: readonly string[];
  /** The first one signs. */
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  readonly serviceCidr: string;
  readonly withoutAdmission: readonly string[];
  readonly furtherAdmission: readonly FurtherPlugin[];
  /** The file that configures rules of admission. */
  readonly admissionConfig: string | undefined;
  /** A proxy in front that says who asks; `ca` is a file. */
  readonly requestHeader: RequestHeaderTerms | undefined;
  /** What the server shows to other servers of the API; files. */
  readonly proxyClient: { readonly cert: string; readonly key: string } | undefined;
  /** How many requests may run at once, fairly shared out or not; undefined: as many as usual, fairly. */
  readonly atOnce: { readonly seats: number } | { readonly reads: number; readonly writes: number } | undefined;
  readonly allowsAll: boolean;
  readonly allowsAnonymous: boolean;
  /** What was given and changes nothing here, where one might think that it does. */
  readonly notes: readonly string[];
}

/** In one sentence. */
export class FlagRefusal extends Error {}

const cidrDefault = '10.0.0.0/24';
const portDefault = 6443;
const certFolderDefault = '/var/run/kubernetes';

/** Whoever asks for these would find everybody let in, or nobody. */
const beyond: readonly string[] = [
  'authentication-config',
  'authentication-token-webhook-config-file',
  'authorization-config',
  'authorization-policy-file',
  'authorization-webhook-config-file',
  'oidc-issuer-url',
  'service-account-signing-endpoint',
];

/** What a test might rely on. Everything else that changes nothing here is about speed, logs and other programs. */
const noted: readonly string[] = [
  'audit-log-path',
  'audit-policy-file',
  'audit-webhook-config-file',
  'cors-allowed-origins',
  'disable-http2-serving',
  'egress-selector-config-file',
  'encryption-provider-config',
  'event-ttl',
  'feature-gates',
  'request-timeout',
  'runtime-config',
  'service-account-max-token-expiration',
  'service-node-port-range',
  'tls-cipher-suites',
  'tls-min-version',
  'tls-sni-cert-key',
];

/** Throws a {@link FlagRefusal}. Pure. */
export function apiServerTerms(values: FlagValues): ApiServerTerms {
  const last = (name: string): string | undefined => values.get(name)?.at(-1) || undefined;
  const listed = (name: string): readonly string[] => (values.get(name) ?? []).flatMap(commas);
  if (listed('etcd-servers').length === 0) throw new FlagRefusal('--etcd-servers must be specified');
  const refused = beyond.find((name) => last(name) !== undefined);
  if (refused !== undefined) throw new FlagRefusal(`--${refused} is nothing that Signalbox does; leave it out`);
  const folder = last('cert-dir') ?? certFolderDefault;
  const [cert, key] = [last('tls-cert-file'), last('tls-private-key-file')];
  return {
    host: last('bind-address') ?? '127.0.0.1',
    port: portFrom(last('secure-port')),
    advertise: last('advertise-address'),
    cert: cert ?? join(folder, 'apiserver.crt'),
    key: key ?? join(folder, 'apiserver.key'),
    makesCertificate: cert === undefined && key === undefined,
    clientCa: last('client-ca-file'),
    tokenFile: last('token-auth-file'),
    signingKey: last('service-account-signing-key-file'),
    checkingKeys: values.get('service-account-key-file') ?? [],
    issuers: values.get('service-account-issuer') ?? [],
    audiences: listed('api-audiences'),
    serviceCidr: cidrFrom(listed('service-cluster-ip-range')[0]),
    ...admissionOf(listed),
    admissionConfig: last('admission-control-config-file'),
    requestHeader: requestHeaderOf(values, last('requestheader-client-ca-file')),
    proxyClient: pairOf(last('proxy-client-cert-file'), last('proxy-client-key-file')),
    atOnce: atOnceFrom(last),
    allowsAll: allowsAll(listed('authorization-mode')),
    allowsAnonymous: last('anonymous-auth') !== 'false',
    notes: noted.filter((name) => values.has(name)).map((name) => `--${name} changes nothing here`),
  };
}

function admissionOf(
  listed: (name: string) => readonly string[],
): Pick<ApiServerTerms, 'withoutAdmission' | 'furtherAdmission'> {
  const enable = listed('enable-admission-plugins');
  const choice = choosePlugins({ enable, disable: listed('disable-admission-plugins') });
  if (choice.is === 'refused') throw new FlagRefusal(choice.message);
  return { withoutAdmission: choice.without, furtherAdmission: choice.further };
}

/** Without the authorities of its certificate nobody is believed, as upstream. */
function requestHeaderOf(values: FlagValues, ca: string | undefined): RequestHeaderTerms | undefined {
  const named = (name: string): readonly string[] => {
    const words = (values.get(name) ?? []).flatMap((text) => text.split(','));
    if (words.some((word) => word.trim() === '')) throw new FlagRefusal(`empty value in "${name}"`);
    return words;
  };
  const terms = {
    allowedNames: (values.get('requestheader-allowed-names') ?? []).flatMap(commas),
    usernameHeaders: named('requestheader-username-headers'),
    uidHeaders: named('requestheader-uid-headers'),
    groupHeaders: named('requestheader-group-headers'),
    extraPrefixes: named('requestheader-extra-headers-prefix'),
  };
  return ca === undefined ? undefined : { ca, ...terms };
}

function pairOf(cert: string | undefined, key: string | undefined): ApiServerTerms['proxyClient'] {
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

function commas(text: string): readonly string[] {
  return text.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));
}

function portFrom(text: string | undefined): number {
  if (text === undefined) return portDefault;
  const port = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (port === undefined)
    throw new FlagRefusal(
      `invalid argument "${text}" for "--secure-port" flag: strconv.ParseInt: parsing "${text}": invalid syntax`,
    );
  if (port > 65_535) throw new FlagRefusal(`--secure-port ${text} must be between 0 and 65535, inclusive`);
  return port;
}

/** Upstream's defaults, for whoever names one of the two. */
const inflightDefault = { all: '400', mutating: '200' } as const;

/** As upstream: fairness shares out the sum of both; without it each is a limit of its own, or none. */
function atOnceFrom(last: (name: string) => string | undefined): ApiServerTerms['atOnce'] {
  const [all, mutating] = [last('max-requests-inflight'), last('max-mutating-requests-inflight')];
  const reads = inflightFrom(all ?? inflightDefault.all, 'max-requests-inflight');
  const writes = inflightFrom(mutating ?? inflightDefault.mutating, 'max-mutating-requests-inflight');
  if (last('enable-priority-and-fairness') === 'false') return { reads, writes };
  if (reads + writes === 0)
    throw new FlagRefusal(
      'invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; they must add up to something positive',
    );
  return all === undefined && mutating === undefined ? undefined : { seats: reads + writes };
}

function inflightFrom(text: string, name: string): number {
  if (!/^[+-]?\d{1,9}$/.test(text))
    throw new FlagRefusal(
      `invalid argument "${text}" for "--${name}" flag: strconv.ParseInt: parsing "${text}": invalid syntax`,
    );
  if (Number(text) < 0) throw new FlagRefusal(`--${name} can not be negative value`);
  return Number(text);
}

/** The API gives services IPv4 addresses only. */
function cidrFrom(text: string = cidrDefault): string {
  if (!/^(\d{1,3}\.){3}\d{1,3}\/\d{1,2}$/.test(text))
    throw new FlagRefusal(`--service-cluster-ip-range ${text} is no range of IPv4 addresses such as ${cidrDefault}`);
  return text;
}

function allowsAll(modes: readonly string[]): boolean {
  for (const mode of modes)
    if (!['AlwaysAllow', 'RBAC', 'Node'].includes(mode))
      throw new FlagRefusal(
        `--authorization-mode ${mode} is nothing that Signalbox does; it has RBAC, Node and AlwaysAllow`,
      );
  // As upstream: without a mode, everything is allowed.
  return modes.length === 0 || modes.includes('AlwaysAllow');
}
