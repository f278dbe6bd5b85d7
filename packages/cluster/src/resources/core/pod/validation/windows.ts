import type { WindowsSecurityContextOptions } from '../../../../api/generated/core-v1.ts';
import type { Issue } from '../../../../api/issue.ts';
import { dnsSubdomain, isDnsSubdomain } from '../../../validation/names.ts';
import type { Place } from './place.ts';

const credentialKiBMax = 64;
const domainCharactersMax = 256;
const userCharactersMax = 104;
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const domainName =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const foreignToUsers = /["/\\:;|=,+*?<>@[\]]/;

/** Of processes on Windows: which credentials they have, and as whom they run, with or without a domain (`DOMAIN\user`). */
export function* validateWindows(options: WindowsSecurityContextOptions, at: Place): Iterable<Issue> {
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (gmsaCredentialSpecName !== undefined && !isDnsSubdomain(gmsaCredentialSpecName))
    yield* dnsSubdomain(gmsaCredentialSpecName, at()('gmsaCredentialSpecName'));
  if (gmsaCredentialSpec === '')
    yield at()('gmsaCredentialSpec').invalid('', 'gmsaCredentialSpec cannot be an empty string');
  if (Buffer.byteLength(gmsaCredentialSpec ?? '') > credentialKiBMax * 1024)
    yield at()('gmsaCredentialSpec').invalid(
      gmsaCredentialSpec,
      `gmsaCredentialSpec size must be under ${credentialKiBMax} KiB`,
    );
  if (runAsUserName === undefined) return;
  for (const why of userProblems(runAsUserName)) yield at()('runAsUserName').invalid(runAsUserName, why);
}

function* userProblems(name: string): Iterable<string> {
  const parts = name.split('\\');
  if (name === '') yield 'runAsUserName cannot be an empty string';
  else if (hasControl(name)) yield 'runAsUserName cannot contain control characters';
  else if (parts.length > 2) yield 'runAsUserName cannot contain more than one backslash';
  else {
    const [domain, user] = parts.length === 1 ? [undefined, name] : parts;
    yield* partProblems({ domain, user: user ?? '' });
  }
}

function hasControl(name: string): boolean {
  for (const character of name) if (character < ' ' || character === '\u007f') return true;
  return false;
}

interface UserName {
  readonly domain: string | undefined;
  readonly user: string;
}

function* partProblems({ domain, user }: UserName): Iterable<string> {
  if (domain !== undefined && Buffer.byteLength(domain) >= domainCharactersMax)
    yield `runAsUserName's Domain length must be under ${domainCharactersMax} characters`;
  if (domain !== undefined && !netBios.test(domain) && !domainName.test(domain))
    yield "runAsUserName's Domain doesn't match the NetBios nor the DNS format";
  if (user === '') yield "runAsUserName's User cannot be empty";
  else if (Buffer.byteLength(user) > userCharactersMax)
    yield `runAsUserName's User length must not be longer than ${userCharactersMax} characters`;
  if (/^[. ]+$/.test(user)) yield "runAsUserName's User cannot contain only periods or spaces";
  if (foreignToUsers.test(user))
    yield `runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`;
}
