import { randomBytes } from 'node:crypto';
import { proxyClientName } from '../../api/front-proxy.ts';
import { groups } from '../../api/identities.ts';
import { administrator } from '../../api/system-identities.ts';
import { loadAuthorities } from './authority.ts';
import {
  type CertificateFacts,
  canonicalName,
  certificateFacts,
  createIssuer,
  type Issuer,
  type PemPair,
} from './certificates.ts';
import { common, dayMs, isWithin, renewalMs, startsEarly, type Window } from './lifetime.ts';
import { openPkiFiles, type PkiFiles, readPair, writePair } from './pki-files.ts';
import { loadTokenKey } from './token-key.ts';

/** Everything that server and administrator need to trust each other. All certificates and keys are PEM. */
export interface Pki {
  /** The authority that signs, then others that are to be trusted: its successor, or the one before it. */
  readonly ca: string;
  readonly server: PemPair;
  /** Client certificate of `admin` in `system:masters`. */
  readonly admin: PemPair;
  /** Client certificate by which the API server calls on kubelets. */
  readonly kubeletClient: PemPair;
  /** Client certificate by which other servers of the API know this one, and believe whom it says that asks. */
  readonly proxyClient: PemPair;
  /** Bearer token of the same administrator, for programs that take no certificates. */
  readonly token: string;
  /** The private key that signs tokens of service accounts. */
  readonly tokenKey: string;
  /** The public keys, as PEM, that tokens were signed with before. */
  readonly formerTokenKeys: string;
  /** Those that somebody asked for besides, by the names of their files. */
  readonly further: Readonly<Record<string, PemPair>>;
  /** Who signs what clients ask for. Nothing that it signs outlives it. */
  readonly authority: { readonly pair: PemPair; readonly endsMs: number };
  /** As long as the time is within, all of this stays as it is. */
  readonly window: Window;
  /** What people have to know about it, e.g. that copies of the kubeconfig will be refused. */
  readonly notices: readonly string[];
}

/** A certificate for a part that is a process of its own: the cluster's authority signs it, and it is renewed with the others. */
export interface FurtherCertificate {
  /** What its files in `pki/` are called, without `.crt` and `.key`; another one where anything of the rest is another. */
  readonly file: string;
  readonly subject: { readonly commonName: string; readonly organizations: readonly string[] };
  readonly usage: 'server' | 'client';
  /** DNS names and IP addresses that it is made out to. */
  readonly names: readonly string[];
}

export interface PkiOptions {
  /** Where the files are kept. Undefined keeps everything in memory. */
  readonly folder: string | undefined;
  /** The address that clients use besides the usual names, e.g. that of the listener. */
  readonly host: string;
  /** More names and addresses that clients use. */
  readonly names?: readonly string[];
  readonly further?: readonly FurtherCertificate[];
  readonly nowMs: number;
}

const certificateMs = 365 * dayMs;

const usualNames: readonly string[] = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  // The first of the addresses of services, at which pods find the API.
  '10.96.0.1',
];

/** Reads the certificates from the folder; makes what is missing, not valid (for long), unreadable, or has other names. */
export async function loadPki({ folder, host, names = [], further = [], nowMs }: PkiOptions): Promise<Pki> {
  return renewPki(await openPkiFiles(folder), { names: servingNames([host, ...names]), further, nowMs });
}

export interface RenewOptions {
  /** What the serving certificate is made out to. */
  readonly names: readonly string[];
  readonly further: readonly FurtherCertificate[];
  readonly nowMs: number;
}

/** The same, with files that are open already. */
export async function renewPki(files: PkiFiles, { names, further, nowMs }: RenewOptions): Promise<Pki> {
  const { signing: ca, endsMs, bundle, window, notices } = await loadAuthorities(files, nowMs);
  const signed = { ca, issuer: createIssuer(ca), endsMs, nowMs };
  // At once: each waits for its keys, its signature and the disk.
  const [server, admin, kubeletClient, proxyClient, tokenKey, bearer, ...others] = await Promise.all([
    issued(files, {
      ...{ ...signed, file: 'server', names, usage: 'server' },
      subject: { commonName: 'kube-apiserver', organizations: [] },
    }),
    issued(files, {
      ...{ ...signed, file: 'admin', names: [], usage: 'client' },
      subject: { commonName: administrator.user.name, organizations: [groups.masters] },
    }),
    issued(files, {
      ...{ ...signed, file: 'kubelet-client', names: [], usage: 'client' },
      subject: { commonName: 'kube-apiserver-kubelet-client', organizations: [groups.masters] },
    }),
    issued(files, {
      ...{ ...signed, file: 'front-proxy-client', names: [], usage: 'client' },
      subject: { commonName: proxyClientName, organizations: [] },
    }),
    loadTokenKey(files),
    token(files),
    ...further.map((each) => issued(files, { ...each, ...signed })),
  ]);
  return {
    ca: bundle,
    authority: { pair: ca, endsMs },
    server: server.pair,
    admin: admin.pair,
    kubeletClient: kubeletClient.pair,
    proxyClient: proxyClient.pair,
    token: bearer,
    tokenKey: tokenKey.pem,
    formerTokenKeys: tokenKey.former,
    further: Object.fromEntries(others.map(({ file, pair }) => [file, pair])),
    window: common([window, ...[server, admin, kubeletClient, proxyClient, ...others].map((each) => each.window)]),
    notices: [...notices, ...tokenKey.notices],
  };
}

/** What the serving certificate is made out to. An address that means "all of mine" is none that anybody could call. */
export function servingNames(hosts: readonly string[]): readonly string[] {
  const named = hosts.map(canonicalName).filter((host) => !isWildcard(host));
  return [...new Set([...usualNames, ...named])];
}

/** Whether listening there means to listen on every address of the computer. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '' || canonicalName(host) === '::';
}

interface Wanted extends FurtherCertificate {
  readonly ca: PemPair;
  readonly issuer: Issuer;
  /** Nothing outlives who signed it. */
  readonly endsMs: number;
  readonly nowMs: number;
}

interface Issued {
  readonly file: string;
  readonly pair: PemPair;
  readonly window: Window;
}

async function issued(files: PkiFiles, wanted: Wanted): Promise<Issued> {
  const { file, ca, nowMs, endsMs } = wanted;
  const known = await readPair(files, file);
  const facts = known && certificateFacts(known, ca);
  if (known !== undefined && facts !== undefined && serves(facts, wanted))
    return { file, pair: known, window: windowOf(facts) };
  const period = { notBeforeMs: startsEarly(nowMs), notAfterMs: Math.min(nowMs + certificateMs, endsMs) };
  const made = await wanted.issuer.makeCertificate({ ...wanted, ...period });
  await writePair(files, file, made);
  return { file, pair: made, window: windowOf(period) };
}

function serves(facts: CertificateFacts, { nowMs, names }: Wanted): boolean {
  const isNamed = facts.names.size === names.length && names.every((name) => facts.names.has(name));
  return facts.isSigned && isNamed && isWithin(nowMs, windowOf(facts));
}

function windowOf({ notBeforeMs, notAfterMs }: { readonly notBeforeMs: number; readonly notAfterMs: number }): Window {
  return { fromMs: notBeforeMs, untilMs: notAfterMs - renewalMs };
}

async function token(files: PkiFiles): Promise<string> {
  const known = (await files.read('token'))?.trim();
  if (known !== undefined && /^[\w-]{43}$/.test(known)) return known;
  // A secret comes from the system's own source, never from the seeded one.
  const made = randomBytes(32).toString('base64url');
  await files.write('token', `${made}\n`);
  return made;
}
