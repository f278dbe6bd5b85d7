import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { writeFileAtomically } from './atomic-file.ts';
import { certificateFacts, makeAuthority, makeCertificate, type PemPair } from './certificates.ts';

/** Everything that server and administrator need to trust each other. All certificates and keys are PEM. */
export interface Pki {
  readonly ca: string;
  readonly server: PemPair;
  /** Client certificate of `admin` in `system:masters`. */
  readonly admin: PemPair;
  /** Bearer token of the same administrator, for programs that take no certificates. */
  readonly token: string;
}

export interface PkiOptions {
  /** Where the files are kept (0700, each file 0600). Undefined keeps everything in memory. */
  readonly folder: string | undefined;
  /** The address that clients use besides the usual names, e.g. that of the listener. */
  readonly host: string;
  readonly nowMs: number;
}

const dayMs = 24 * 60 * 60 * 1000;
const authorityDays = 3650;
const certificateDays = 365;
const renewalDays = 30;

const usualNames: readonly string[] = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/**
 * Reads the certificates from the folder; makes what is missing, near its end, unreadable, or no longer fits the host.
 * Clients that trust the old authority go on working for as long as the authority itself lives.
 */
export async function loadPki({ folder, host, nowMs }: PkiOptions): Promise<Pki> {
  const files = folder === undefined ? memoryFiles() : await folderFiles(folder);
  const ca = await authority(files, nowMs);
  const names = namesFor(host);
  const server = await issued(files, {
    file: 'server',
    ca,
    nowMs,
    subject: { commonName: 'kube-apiserver', organizations: [] },
    usage: 'server',
    names,
  });
  const admin = await issued(files, {
    file: 'admin',
    ca,
    nowMs,
    subject: { commonName: 'admin', organizations: ['system:masters'] },
    usage: 'client',
    names: [],
  });
  return { ca: ca.cert, server, admin, token: await token(files) };
}

function namesFor(host: string): readonly string[] {
  const isAny = host === '0.0.0.0' || host === '::' || host === '';
  return isAny || usualNames.includes(host) ? usualNames : [...usualNames, host];
}

/** Small texts by name. */
interface Files {
  read(name: string): Promise<string | undefined>;
  write(name: string, text: string): Promise<void>;
}

function memoryFiles(): Files {
  return { read: () => Promise.resolve(undefined), write: () => Promise.resolve() };
}

async function folderFiles(folder: string): Promise<Files> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return {
    async read(name) {
      try {
        return await readFile(join(folder, name), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    write: (name, text) => writeFileAtomically(join(folder, name), text, { mode: 0o600 }),
  };
}

async function authority(files: Files, nowMs: number): Promise<PemPair> {
  const known = await readPair(files, 'ca');
  const facts = known && certificateFacts(known);
  if (known !== undefined && facts?.isAuthority && lasts(facts.notAfterMs, nowMs)) return known;
  const made = await makeAuthority({ commonName: 'signalbox-ca', ...period(nowMs, authorityDays) });
  await writePair(files, 'ca', made);
  return made;
}

interface Wanted {
  readonly file: string;
  readonly ca: PemPair;
  readonly nowMs: number;
  readonly subject: { readonly commonName: string; readonly organizations: readonly string[] };
  readonly usage: 'server' | 'client';
  readonly names: readonly string[];
}

async function issued(files: Files, wanted: Wanted): Promise<PemPair> {
  const known = await readPair(files, wanted.file);
  if (known !== undefined && serves(known, wanted)) return known;
  const made = await makeCertificate({ ...wanted, ...period(wanted.nowMs, certificateDays) });
  await writePair(files, wanted.file, made);
  return made;
}

function serves(known: PemPair, { ca, nowMs, names }: Wanted): boolean {
  const facts = certificateFacts(known, ca);
  if (facts === undefined || !facts.isSigned || !lasts(facts.notAfterMs, nowMs)) return false;
  return names.every((name) => (isIP(name) === 0 ? facts.hasName(name) : facts.hasAddress(name)));
}

function lasts(notAfterMs: number, nowMs: number): boolean {
  return notAfterMs - nowMs > renewalDays * dayMs;
}

/** Starts a day early, because clocks of different machines differ. */
function period(nowMs: number, days: number): { readonly notBeforeMs: number; readonly notAfterMs: number } {
  return { notBeforeMs: nowMs - dayMs, notAfterMs: nowMs + days * dayMs };
}

async function readPair(files: Files, name: string): Promise<PemPair | undefined> {
  const [cert, key] = await Promise.all([files.read(`${name}.crt`), files.read(`${name}.key`)]);
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

/** The key first: a certificate whose key is missing or another's counts as missing. */
async function writePair(files: Files, name: string, { cert, key }: PemPair): Promise<void> {
  await files.write(`${name}.key`, key);
  await files.write(`${name}.crt`, cert);
}

async function token(files: Files): Promise<string> {
  const known = (await files.read('token'))?.trim();
  if (known !== undefined && /^[\w-]{43}$/.test(known)) return known;
  // A secret comes from the system's own source, never from the seeded one.
  const made = randomBytes(32).toString('base64url');
  await files.write('token', `${made}\n`);
  return made;
}
