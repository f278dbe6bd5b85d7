import type { FieldPath, Issue } from '../../api/issue.ts';
import { dnsSubdomainProblems } from '../../api/names.ts';

/** Where a webhook is: as admission and the conversion of custom resources write it. */
export interface HookClientConfig {
  readonly caBundle?: string;
  readonly url?: string;
  readonly service?: ServiceAddress;
}

export interface ServiceAddress {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

const portDefault = 443;
const form = '; desired format: https://host[/path]';

export function defaultClientConfig<T extends HookClientConfig>(config: T): T {
  const { service } = config;
  return service === undefined || service.port !== undefined
    ? config
    : { ...config, service: { ...service, port: portDefault } };
}

export function* clientConfigIssues({ url, service }: HookClientConfig, at: FieldPath): Iterable<Issue> {
  if ((url === undefined) === (service === undefined)) yield at.required('exactly one of url or service is required');
  else if (url !== undefined) yield* urlIssues(url, at('url'));
  else if (service !== undefined) yield* serviceIssues(service, at('service'));
}

function* urlIssues(text: string, at: FieldPath): Iterable<Issue> {
  const parsed = parse(text);
  if (parsed === undefined) {
    yield at.required(`url must be a valid URL: parse ${JSON.stringify(text)}: it is none${form}`);
    return;
  }
  const { scheme, host, user, query, fragment } = parsed;
  if (scheme !== 'https') yield at.invalid(scheme, `'https' is the only allowed URL scheme${form}`);
  if (host === '') yield at.invalid(host, `host must be specified${form}`);
  // A password is in no answer, and in no log of one.
  if (user !== undefined)
    yield at.invalid(user.replace(/:.*/s, ':***'), 'user information is not permitted in the URL');
  if (fragment !== '') yield at.invalid(fragment, 'fragments are not permitted in the URL');
  if (query !== '') yield at.invalid(query, 'query parameters are not permitted in the URL');
}

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly user: string | undefined;
  readonly query: string;
  readonly fragment: string;
}

/** By its parts, also where it is no URL that could be called. Undefined: not even that. */
function parse(text: string): Parts | undefined {
  const found = /^(?:([a-zA-Z][\w+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(
    text,
  );
  if (found === null || /[\s\p{Cc}]/u.test(found[3] ?? '') || /%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  const [, scheme = '', user, host = '', , query = '', fragment = ''] = found;
  return { scheme: scheme.toLowerCase(), host, user, query, fragment };
}

function* serviceIssues({ namespace, name, path, port = portDefault }: ServiceAddress, at: FieldPath): Iterable<Issue> {
  if ((name ?? '') === '') yield at('name').required();
  if ((namespace ?? '') === '') yield at('namespace').required();
  if (port < 1 || port > 65_535)
    yield at('port').invalid(port, 'port is not valid: must be between 1 and 65535, inclusive');
  if (path !== undefined) yield* pathIssues(path, at('path'));
}

function* pathIssues(path: string, at: FieldPath): Iterable<Issue> {
  if (path === '/' || path === '') return;
  if (path === '//') {
    yield at.invalid(path, 'segment[0] may not be empty');
    return;
  }
  if (!path.startsWith('/')) yield at.invalid(path, "must start with a '/'");
  for (const [index, step] of path.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (step === '') yield at.invalid(path, `segment[${index}] may not be empty`);
    else for (const problem of dnsSubdomainProblems(step)) yield at.invalid(path, `segment[${index}]: ${problem}`);
  }
}

const reviewVersions: readonly string[] = ['v1', 'v1beta1'];

export interface ReviewVersions {
  readonly versions: readonly string[] | undefined;
  /** What is missing where there are none. */
  readonly needs: string;
  version(value: string, at: FieldPath): Iterable<Issue>;
}

/** The versions of a review that a webhook understands: one that this server speaks has to be among them. */
export function* reviewVersionIssues(
  { versions = [], needs, version }: ReviewVersions,
  at: FieldPath,
): Iterable<Issue> {
  if (versions.length === 0) {
    yield at.required(needs);
    return;
  }
  for (const [index, value] of versions.entries())
    if (versions.indexOf(value) < index) yield at(index).invalid(value, 'duplicate version');
    else yield* version(value, at(index));
  if (!versions.some((value) => reviewVersions.includes(value)))
    yield at.invalid(versions, `must include at least one of ${reviewVersions.join(', ')}`);
}
