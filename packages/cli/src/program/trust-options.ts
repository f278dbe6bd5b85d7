/** What `up` takes of whom it believes, and of the rules of admission: upstream's flags. */
import {
  choosePlugins,
  defaultPlugins,
  furtherPlugins,
  type RequestHeaderTerms,
  usualHeaders,
} from '@signalbox/cluster';
import { Option } from 'commander';
import type { AccountKeyTerms, AdmissionTerms } from '../io/access-terms.ts';

export interface TrustFlags {
  readonly requestheaderClientCaFile?: string;
  readonly requestheaderAllowedNames?: readonly string[];
  readonly requestheaderUsernameHeaders?: readonly string[];
  readonly requestheaderUidHeaders?: readonly string[];
  readonly requestheaderGroupHeaders?: readonly string[];
  readonly requestheaderExtraHeadersPrefix?: readonly string[];
  readonly serviceAccountKeyFile?: readonly string[];
  readonly serviceAccountSigningKeyFile?: string;
  readonly serviceAccountIssuer?: readonly string[];
  readonly rotateServiceAccountKey?: true;
  readonly enableAdmissionPlugins?: readonly string[];
  readonly disableAdmissionPlugins?: readonly string[];
  readonly admissionControlConfigFile?: string;
}

/** Ends the command with its reason. */
type Refuse = (why: string) => never;

export function trustOptions(): readonly Option[] {
  const listed = (flags: string, description: string): Option => new Option(flags, description).argParser(addListed);
  const usual = (flags: string, description: string, names: readonly string[]): Option =>
    listed(flags, `${description} (default: ${names.join(', ')})`);
  const { usernameHeaders, uidHeaders, groupHeaders, extraPrefixes } = usualHeaders;
  return [
    new Option('--requestheader-client-ca-file <file>', 'who signs the certificate of a proxy that says who asks'),
    listed('--requestheader-allowed-names <names>', 'common names of its certificate (default: any)'),
    usual('--requestheader-username-headers <names>', 'in which headers it says who asks', usernameHeaders),
    usual('--requestheader-uid-headers <names>', 'and under which uid', uidHeaders),
    usual('--requestheader-group-headers <names>', 'and with which groups', groupHeaders),
    usual('--requestheader-extra-headers-prefix <prefixes>', 'and with what else', extraPrefixes),
    new Option(
      '--service-account-signing-key-file <file>',
      'key that signs tokens of service accounts (default: that of the data folder)',
    ),
    new Option(
      '--service-account-key-file <file>',
      'keys by which such tokens are checked besides; may be repeated',
    ).argParser(addOne),
    new Option(
      '--service-account-issuer <url>',
      'who issues such tokens; may be repeated: the first signs, the others count',
    ).argParser(addOne),
    new Option('--rotate-service-account-key', 'let a new key sign such tokens; those from before go on counting'),
    listed(
      '--enable-admission-plugins <names>',
      `rules of admission besides the usual ones: ${furtherPlugins.join(', ')}`,
    ),
    listed('--disable-admission-plugins <names>', `rules that are left out, of: ${defaultPlugins.join(', ')}`),
    new Option('--admission-control-config-file <file>', 'how those rules are configured: an AdmissionConfiguration'),
  ];
}

function addListed(text: string, names: readonly string[] = []): readonly string[] {
  return [...names, ...text.split(',').map((name) => name.trim())];
}

function addOne(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Undefined: nobody stands in front. */
export function requestHeaderOf(flags: TrustFlags, refuse: Refuse): RequestHeaderTerms | undefined {
  const { requestheaderClientCaFile: ca, requestheaderAllowedNames: allowedNames } = flags;
  const { requestheaderUsernameHeaders, requestheaderUidHeaders } = flags;
  const { requestheaderGroupHeaders, requestheaderExtraHeadersPrefix } = flags;
  const given = {
    ...(requestheaderUsernameHeaders && { usernameHeaders: requestheaderUsernameHeaders }),
    ...(requestheaderUidHeaders && { uidHeaders: requestheaderUidHeaders }),
    ...(requestheaderGroupHeaders && { groupHeaders: requestheaderGroupHeaders }),
    ...(requestheaderExtraHeadersPrefix && { extraPrefixes: requestheaderExtraHeadersPrefix }),
  };
  if (ca === undefined) {
    if (allowedNames !== undefined || Object.keys(given).length > 0)
      refuse('--requestheader-… goes with --requestheader-client-ca-file');
    return undefined;
  }
  if (Object.values(given).some((names) => names.includes(''))) refuse('--requestheader-…: a name is empty');
  // Any name would be one that is empty here.
  return { ca, allowedNames: (allowedNames ?? []).filter((name) => name !== ''), ...usualHeaders, ...given };
}

export function accountKeysOf(flags: TrustFlags, refuse: Refuse): AccountKeyTerms {
  const { serviceAccountSigningKeyFile: signing, rotateServiceAccountKey: changes = false } = flags;
  if (signing !== undefined && changes)
    refuse(
      '--rotate-service-account-key is about the key of the data folder; leave --service-account-signing-key-file out',
    );
  return {
    ...{ signing, changes },
    checking: flags.serviceAccountKeyFile ?? [],
    issuers: flags.serviceAccountIssuer ?? [],
  };
}

export function admissionOf(flags: TrustFlags, refuse: Refuse): AdmissionTerms {
  const named = (names: readonly string[] = []): readonly string[] => names.filter((name) => name !== '');
  const choice = choosePlugins({
    enable: named(flags.enableAdmissionPlugins),
    disable: named(flags.disableAdmissionPlugins),
  });
  if (choice.is === 'refused') return refuse(choice.message);
  const { without, further } = choice;
  return { without, further, configFile: flags.admissionControlConfigFile };
}
