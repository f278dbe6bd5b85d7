/** The rules for names, labels, annotations and finalizers as sources of issues, with the words clients match on. */
import type { FieldPath, Issue } from '../../api/issue.ts';
import {
  dnsLabel1035Problems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '../../api/names.ts';

export type Rule = (value: string, at: FieldPath) => Iterable<Issue>;

/** RFC 1123 subdomain, at most 253 bytes: the default for object names. */
export const dnsSubdomain: Rule = rule(dnsSubdomainProblems);
/** RFC 1123 label, at most 63 bytes: namespaces, ports, containers. */
export const dnsLabel: Rule = rule(dnsLabelProblems);
/** RFC 1035 label: names of Services. */
export const dnsLabel1035: Rule = rule(dnsLabel1035Problems);
export const labelValue: Rule = rule(labelValueProblems);
/** `[prefix/]name`: keys of labels, annotations, taints; finalizers; extended resources. */
export const qualifiedName: Rule = rule(qualifiedNameProblems);

/** A subdomain with at least one dot, as the names of API groups are. */
export function* fullyQualifiedDomainName(value: string, at: FieldPath): Iterable<Issue> {
  if (value === '') {
    yield at.required();
    return;
  }
  const problems = dnsSubdomainProblems(value);
  for (const problem of problems) yield at.invalid(value, problem);
  if (problems.length === 0 && !value.includes('.'))
    yield at.invalid(value, 'should be a domain with at least two segments separated by dots');
}

/** `example.com/anything`: a subdomain, a slash and a path. */
export function* domainPrefixedPath(value: string, at: FieldPath): Iterable<Issue> {
  if (value === '') {
    yield at.required();
    return;
  }
  const slash = value.indexOf('/');
  if (slash < 1 || slash === value.length - 1) {
    yield at.invalid(value, 'must be a domain-prefixed path (such as "acme.io/foo")');
    return;
  }
  yield* dnsSubdomain(value.slice(0, slash), at);
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(value.slice(slash + 1)))
    yield at.invalid(
      value.slice(slash + 1),
      "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
    );
}

/** Keys of ConfigMap and Secret data, which become file names. */
export function* dataKey(value: string, at: FieldPath): Iterable<Issue> {
  const bytesMax = 253;
  if (value.length > bytesMax) yield at.invalid(value, `must be no more than ${bytesMax} characters`);
  if (!/^[-._a-zA-Z0-9]+$/.test(value))
    yield at.invalid(
      value,
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  if (value === '.') yield at.invalid(value, "must not be '.'");
  else if (value === '..') yield at.invalid(value, "must not be '..'");
  else if (value.startsWith('..')) yield at.invalid(value, "must not start with '..'");
}

/** The store's keys hold 1,024 bytes; a group, a resource and a namespace stand before the name. */
const segmentBytesMax = 512;

/** Names that only have to be usable as one segment of a path: RBAC. */
export function* pathSegmentName(value: string, at: FieldPath): Iterable<Issue> {
  for (const problem of pathSegmentProblems(value)) yield at.invalid(value, problem);
  if (value === '.' || value === '..') return;
  if (Buffer.byteLength(value) > segmentBytesMax) yield at.tooLong(value, segmentBytesMax);
}

/** For callers that word the complaint themselves. */
export function pathSegmentProblems(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((illegal) => value.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
}

export function* labelIssues(labels: Readonly<Record<string, string>> | undefined, at: FieldPath): Iterable<Issue> {
  if (labels === undefined) return;
  for (const [key, value] of Object.entries(labels)) {
    yield* qualifiedName(key, at);
    yield* labelValue(value, at);
  }
}

const annotationsBytesMax = 256 * 1024;

export function* annotationsIssues(
  annotations: Readonly<Record<string, string>> | undefined,
  at: FieldPath,
): Iterable<Issue> {
  if (annotations === undefined) return;
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    // Annotation keys may have upper case in their prefix, for the sake of the past.
    for (const problem of qualifiedNameProblems(key.toLowerCase())) yield at.invalid(key, problem);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > annotationsBytesMax) yield at.tooLong('', annotationsBytesMax);
}

export const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Built-in kinds demand a prefix on every finalizer that is not Kubernetes' own; custom resources may do without. */
export function* finalizerIssues(
  finalizers: readonly string[] | undefined,
  at: FieldPath,
  { prefixRequired = true, counted = true }: { readonly prefixRequired?: boolean; readonly counted?: boolean } = {},
): Iterable<Issue> {
  if (finalizers === undefined) return;
  for (const [index, finalizer] of finalizers.entries()) {
    const problems = qualifiedNameProblems(finalizer);
    for (const problem of problems) yield at.invalid(finalizer, problem);
    if (problems.length === 0 && prefixRequired && !finalizer.includes('/') && !standardFinalizers.has(finalizer))
      yield (counted ? at(index) : at).invalid(
        finalizer,
        'name is neither a standard finalizer name nor is it fully qualified',
      );
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    yield at.invalid(finalizers, 'finalizer orphan and foregroundDeletion cannot be both set');
}

/** For callers that word the complaint themselves. */
export function isDnsSubdomain(value: string): boolean {
  return dnsSubdomainProblems(value).length === 0;
}

export function isDnsLabel(value: string): boolean {
  return dnsLabelProblems(value).length === 0;
}

export function isQualifiedName(value: string): boolean {
  return qualifiedNameProblems(value).length === 0;
}

function rule(problemsOf: (value: string) => readonly string[]): Rule {
  return function* (value, at) {
    for (const problem of problemsOf(value)) yield at.invalid(value, problem);
  };
}
