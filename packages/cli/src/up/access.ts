import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type AdmissionConfiguration,
  type AuditOptions,
  auditLine,
  type ClusterOptions,
  checkingKeysProblem,
  type KnownToken,
  openAuditLog,
  type Problem,
  parseAuditPolicy,
  parseTokenFile,
  type RequestHeaderTerms,
  readAdmissionConfiguration,
  signingKeyProblem,
} from '@signalbox/cluster';
import type { AccessTerms, AccountKeyTerms, AdmissionTerms, AuditTerms } from '../io/access-terms.ts';
import { CommandError } from '../io/errors.ts';
import { absolute, type Io } from '../io/io.ts';
import { fileProblem } from '../io/manifests.ts';

export interface OpenedAccess {
  readonly tokens: readonly KnownToken[];
  readonly anonymous: boolean;
  readonly requestHeader: RequestHeaderTerms | undefined;
  readonly accountKeys: OpenedAccountKeys;
  readonly admission: Pick<ClusterOptions, 'withoutAdmission' | 'furtherAdmission' | 'eventLimits'>;
  readonly audit: AuditOptions | undefined;
  /** What was audited until now is in its file. */
  close(): Promise<void>;
}

/** As PEM, what stands in files. */
export interface OpenedAccountKeys {
  readonly signing: string | undefined;
  readonly checking: readonly string[];
  readonly issuers: readonly string[];
}

interface Opening {
  readonly io: Io;
  readonly report: (problem: Problem) => void;
}

/** Reads what the flags name. Throws a {@link CommandError} that names the flag, and nothing that stands in the file of tokens. */
export async function openAccess(
  { tokenFile, anonymous, requestHeader, accountKeys, admission, audit }: AccessTerms,
  opening: Opening,
): Promise<OpenedAccess> {
  const { io } = opening;
  const shared = {
    anonymous,
    tokens: tokenFile === undefined ? [] : await readTokens(tokenFile, io),
    requestHeader: requestHeader && {
      ...requestHeader,
      ca: await certificatesOf(requestHeader.ca, { option: '--requestheader-client-ca-file', io }),
    },
    accountKeys: await readAccountKeys(accountKeys, io),
    admission: await openAdmission(admission, io),
  };
  if (audit === undefined) return { ...shared, audit: undefined, close: () => Promise.resolve() };
  return { ...shared, ...(await openAudit(audit, opening)) };
}

async function certificatesOf(path: string, of: { readonly option: string; readonly io: Io }): Promise<string> {
  const text = await textOf(path, of);
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new CommandError(`${of.option} ${path}: there is no certificate in it`);
  return text;
}

async function readAccountKeys({ signing, checking, issuers }: AccountKeyTerms, io: Io): Promise<OpenedAccountKeys> {
  const signs = { option: '--service-account-signing-key-file', problem: signingKeyProblem, io };
  const checks = { option: '--service-account-key-file', problem: checkingKeysProblem, io };
  return {
    issuers,
    signing: signing === undefined ? undefined : await keyOf(signing, signs),
    checking: await Promise.all(checking.map((path) => keyOf(path, checks))),
  };
}

interface KeyReading {
  readonly option: string;
  readonly io: Io;
  readonly problem: (text: string) => string | undefined;
}

/** Read now: a key that cannot be used is no surprise for the first token. */
async function keyOf(path: string, { problem, ...of }: KeyReading): Promise<string> {
  const text = await textOf(path, of);
  const wrong = problem(text);
  if (wrong !== undefined) throw new CommandError(`${of.option} ${path}: ${wrong}`);
  return text;
}

async function openAdmission(
  { without, further, configFile }: AdmissionTerms,
  io: Io,
): Promise<OpenedAccess['admission']> {
  const { eventLimits = [] } = configFile === undefined ? {} : await readConfiguration(configFile, io);
  if (further.includes('EventRateLimit') && eventLimits.length === 0)
    throw new CommandError('EventRateLimit has no limits; name some in --admission-control-config-file');
  return { withoutAdmission: without, furtherAdmission: further, eventLimits };
}

async function readConfiguration(path: string, io: Io): Promise<AdmissionConfiguration> {
  const of = { option: '--admission-control-config-file', io };
  const text = await textOf(path, of);
  const read = (further: string): Promise<string> => textOf(resolve(dirname(absolute(path, io)), further), of);
  try {
    return await readAdmissionConfiguration(text, { source: path, read });
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`${of.option} ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

async function readTokens(path: string, io: Io): Promise<readonly KnownToken[]> {
  const text = await textOf(path, { option: '--token-auth-file', io });
  try {
    return parseTokenFile(text);
  } catch (error) {
    throw new CommandError(`--token-auth-file ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const bytesPerMegabyte = 2 ** 20;
const msPerDay = 86_400_000;

async function openAudit(terms: AuditTerms, { io, report }: Opening): Promise<Pick<OpenedAccess, 'audit' | 'close'>> {
  const { policyFile, path, megabytesMax, daysMax, backupsMax } = terms;
  const text = await textOf(policyFile, { option: '--audit-policy-file', io });
  const policy = policyIn(text, policyFile);
  if (path === '-') {
    const sink: AuditOptions['sink'] = (event) => io.stdout.write(auditLine(event));
    return { audit: { policy, sink }, close: () => Promise.resolve() };
  }
  try {
    const log = await openAuditLog({
      path: absolute(path, io),
      sizeBytesMax: megabytesMax && megabytesMax * bytesPerMegabyte,
      ageMsMax: daysMax && daysMax * msPerDay,
      backupsMax,
      clock: io.clock,
      report,
    });
    return { audit: { policy, sink: log.write }, close: log.close };
  } catch (cause) {
    throw new CommandError(`--audit-log-path ${path}: ${fileProblem(cause)}`, { cause });
  }
}

function policyIn(text: string, source: string): AuditOptions['policy'] {
  try {
    return parseAuditPolicy(text, { source });
  } catch (cause) {
    throw new CommandError(`--audit-policy-file ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

async function textOf(path: string, { option, io }: { readonly option: string; readonly io: Io }): Promise<string> {
  try {
    return await readFile(absolute(path, io), 'utf8');
  } catch (cause) {
    throw new CommandError(`${option} ${path}: ${fileProblem(cause)}`, { cause });
  }
}
