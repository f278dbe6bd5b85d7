import { readFile } from 'node:fs/promises';
import {
  type AuditOptions,
  auditLine,
  type KnownToken,
  openAuditLog,
  type Problem,
  parseAuditPolicy,
  parseTokenFile,
} from '@signalbox/cluster';
import type { AccessTerms, AuditTerms } from '../io/access-terms.ts';
import { CommandError } from '../io/errors.ts';
import { absolute, type Io } from '../io/io.ts';
import { fileProblem } from '../io/manifests.ts';

export interface OpenedAccess {
  readonly tokens: readonly KnownToken[];
  readonly anonymous: boolean;
  readonly audit: AuditOptions | undefined;
  /** What was audited until now is in its file. */
  close(): Promise<void>;
}

interface Opening {
  readonly io: Io;
  readonly report: (problem: Problem) => void;
}

/** Reads what the flags name. Throws a {@link CommandError} that names the flag, and nothing that stands in the file of tokens. */
export async function openAccess(
  { tokenFile, anonymous, audit }: AccessTerms,
  opening: Opening,
): Promise<OpenedAccess> {
  const tokens = tokenFile === undefined ? [] : await readTokens(tokenFile, opening.io);
  if (audit === undefined) return { tokens, anonymous, audit: undefined, close: () => Promise.resolve() };
  return { tokens, anonymous, ...(await openAudit(audit, opening)) };
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
