/** What `up` takes of who gets in, whom it believes and what is written down: upstream's flags. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AccessTerms } from '../io/access-terms.ts';
import { accountKeysOf, admissionOf, requestHeaderOf, type TrustFlags, trustOptions } from './trust-options.ts';

export interface AccessFlags extends TrustFlags {
  readonly tokenAuthFile?: string;
  readonly anonymousAuth?: boolean;
  readonly auditPolicyFile?: string;
  readonly auditLogPath?: string;
  readonly auditLogMaxsize?: number;
  readonly auditLogMaxage?: number;
  readonly auditLogMaxbackup?: number;
}

export function accessOptions(): readonly Option[] {
  return [
    new Option('--token-auth-file <file>', 'more users: token,user,uid,"group1,group2" a line'),
    new Option('--anonymous-auth <bool>', 'let in who says nothing of who they are, as far as roles allow it')
      .argParser(parseBoolean)
      .default(true, 'true'),
    ...trustOptions(),
    new Option('--audit-policy-file <file>', 'what is audited: a Policy of audit.k8s.io/v1; with --audit-log-path'),
    new Option('--audit-log-path <file>', 'where events are written, as JSON lines; - is standard output'),
    new Option('--audit-log-maxsize <megabytes>', 'put a longer log aside (default: 100)').argParser(parseCount),
    new Option('--audit-log-maxage <days>', 'remove logs that were put aside so long ago').argParser(parseCount),
    new Option('--audit-log-maxbackup <n>', 'keep so many that were put aside').argParser(parseCount),
  ];
}

/** Ends the command where flags lack each other. */
export function accessTerms(command: Command, flags: AccessFlags): AccessTerms {
  const { tokenAuthFile: tokenFile, anonymousAuth: anonymous = true, auditPolicyFile: policyFile } = flags;
  const { auditLogPath: path, auditLogMaxsize, auditLogMaxage, auditLogMaxbackup } = flags;
  const refuse = (why: string): never => command.error(`error: ${why}`, { exitCode: 2 });
  const shared = {
    ...{ tokenFile, anonymous },
    requestHeader: requestHeaderOf(flags, refuse),
    accountKeys: accountKeysOf(flags, refuse),
    admission: admissionOf(flags, refuse),
  };
  if (policyFile === undefined || path === undefined) {
    if (policyFile !== undefined) return refuse('--audit-policy-file goes with --audit-log-path');
    if (path !== undefined)
      return refuse('--audit-log-path goes with --audit-policy-file: without a policy nothing is audited');
    const lone = [auditLogMaxsize, auditLogMaxage, auditLogMaxbackup].some((each) => each !== undefined);
    if (lone) return refuse('--audit-log-maxsize, -maxage and -maxbackup go with --audit-log-path');
    return { ...shared, audit: undefined };
  }
  const rotation = { megabytesMax: auditLogMaxsize, daysMax: auditLogMaxage, backupsMax: auditLogMaxbackup };
  return { ...shared, audit: { policyFile, path, ...rotation } };
}

function parseBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('It must be true or false.');
  return text === 'true';
}

/** Nothing is not limited, as upstream. */
function parseCount(text: string): number | undefined {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, e.g. 7.');
  return Number(text) === 0 ? undefined : Number(text);
}
