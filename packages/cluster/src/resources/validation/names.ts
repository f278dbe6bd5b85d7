/**
 * The rules for names, labels, annotations and finalizers, with the words of Kubernetes' apimachinery validation, which
 * clients and people match on.
 */
import type { FieldPath, Issue } from '../../api/issue.ts';

export type Rule = (value: string, at: FieldPath) => Iterable<Issue>;

const labelPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`;
const label1035Pattern = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedPattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValuePattern = `(${qualifiedPattern})?`;

const annotationsBytesMax = 256 * 1024;

interface Shape {
  readonly must: string;
  readonly pattern: string;
  readonly examples: readonly string[];
  readonly bytesMax: number;
}

const subdomainShape: Shape = {
  must: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  pattern: subdomainPattern,
  examples: ['example.com'],
  bytesMax: 253,
};

const labelShape: Shape = {
  must: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  pattern: labelPattern,
  examples: ['my-name', '123-abc'],
  bytesMax: 63,
};

const label1035Shape: Shape = {
  must: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  pattern: label1035Pattern,
  examples: ['my-name', 'abc-123'],
  bytesMax: 63,
};

const qualifiedShape: Shape = {
  must: "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  pattern: qualifiedPattern,
  examples: ['MyName', 'my.name', '123-abc'],
  bytesMax: 63,
};

const labelValueShape: Shape = {
  must: "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  pattern: labelValuePattern,
  examples: ['MyValue', 'my_value', '12345'],
  bytesMax: 63,
};

/** RFC 1123 subdomain, at most 253 bytes: the default for object names. */
export const dnsSubdomain: Rule = rule(subdomainShape);
/** RFC 1123 label, at most 63 bytes: namespaces, ports, containers. */
export const dnsLabel: Rule = rule(labelShape);
/** RFC 1035 label: names of Services. */
export const dnsLabel1035: Rule = rule(label1035Shape);
export const labelValue: Rule = rule(labelValueShape);

/** `[prefix/]name`: keys of labels, annotations, taints; finalizers; extended resources. */
export function* qualifiedName(value: string, at: FieldPath): Iterable<Issue> {
  for (const fault of qualifiedNameFaults(value)) yield at.invalid(value, fault);
}

/** Lower-cased subdomain with at least one dot, as the names of API groups and CSI drivers are. */
export function* fullyQualifiedDomainName(value: string, at: FieldPath): Iterable<Issue> {
  if (value === '') {
    yield at.required();
    return;
  }
  const faults = faultsOf(value, subdomainShape);
  for (const fault of faults) yield at.invalid(value, fault);
  if (faults.length === 0 && !value.includes('.'))
    yield at.invalid(value, 'should be a domain with at least two segments separated by dots');
}

/** Keys of ConfigMap and Secret data, which become file names. */
export function* dataKey(value: string, at: FieldPath): Iterable<Issue> {
  const bytesMax = 253;
  if (Buffer.byteLength(value) > bytesMax) yield at.invalid(value, tooLongText(bytesMax));
  if (!/^[-._a-zA-Z0-9]+$/.test(value))
    yield at.invalid(
      value,
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  if (value === '.') yield at.invalid(value, "must not be '.'");
  else if (value === '..') yield at.invalid(value, "must not be '..'");
  else if (value.startsWith('..')) yield at.invalid(value, "must not start with '..'");
}

/** Names that only have to be usable as one segment of a path: RBAC. */
export function* pathSegmentName(value: string, at: FieldPath): Iterable<Issue> {
  if (value === '.' || value === '..') {
    yield at.invalid(value, `may not be '${value}'`);
    return;
  }
  for (const illegal of ['/', '%'])
    if (value.includes(illegal)) yield at.invalid(value, `may not contain '${illegal}'`);
}

export function* labelIssues(labels: Readonly<Record<string, string>> | undefined, at: FieldPath): Iterable<Issue> {
  for (const [key, value] of Object.entries(labels ?? {})) {
    yield* qualifiedName(key, at);
    yield* labelValue(value, at);
  }
}

export function* annotationsIssues(
  annotations: Readonly<Record<string, string>> | undefined,
  at: FieldPath,
): Iterable<Issue> {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    // Annotation keys may have upper case in their prefix, for the sake of the past.
    for (const fault of qualifiedNameFaults(key.toLowerCase())) yield at.invalid(key, fault);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > annotationsBytesMax) yield at.tooLong('', annotationsBytesMax);
}

const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Built-in kinds demand a prefix on every finalizer that is not Kubernetes' own; custom resources may do without. */
export function* finalizerIssues(
  finalizers: readonly string[] | undefined,
  at: FieldPath,
  { prefixRequired = true }: { readonly prefixRequired?: boolean } = {},
): Iterable<Issue> {
  if (finalizers === undefined) return;
  for (const finalizer of finalizers) {
    const faults = qualifiedNameFaults(finalizer);
    for (const fault of faults) yield at.invalid(finalizer, fault);
    if (faults.length === 0 && prefixRequired && !finalizer.includes('/') && !standardFinalizers.has(finalizer))
      yield at.invalid(finalizer, 'name is neither a standard finalizer name nor is it fully qualified');
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    yield at.invalid(finalizers, 'finalizer orphan and foregroundDeletion cannot be both set');
}

/** Whether `value` is an RFC 1123 subdomain; for callers that word the complaint themselves. */
export function isDnsSubdomain(value: string): boolean {
  return faultsOf(value, subdomainShape).length === 0;
}

export function isDnsLabel(value: string): boolean {
  return faultsOf(value, labelShape).length === 0;
}

export function isQualifiedName(value: string): boolean {
  return qualifiedNameFaults(value).length === 0;
}

function rule(shape: Shape): Rule {
  return function* (value, at) {
    for (const fault of faultsOf(value, shape)) yield at.invalid(value, fault);
  };
}

const compiled: ReadonlyMap<Shape, RegExp> = new Map(
  [subdomainShape, labelShape, label1035Shape, qualifiedShape, labelValueShape].map((shape) => [
    shape,
    new RegExp(`^(?:${shape.pattern})$`),
  ]),
);

/** Longer input never reaches a pattern: that it is too long says enough. */
const patternBytesMax = 4096;

function faultsOf(value: string, shape: Shape): readonly string[] {
  const faults: string[] = [];
  if (value.length > shape.bytesMax) faults.push(tooLongText(shape.bytesMax));
  if (value.length <= patternBytesMax && compiled.get(shape)?.test(value) !== true) faults.push(patternText(shape));
  return faults;
}

function qualifiedNameFaults(value: string): readonly string[] {
  const slash = value.indexOf('/');
  if (slash !== value.lastIndexOf('/'))
    return [
      `a qualified name ${patternText(qualifiedShape)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const faults: string[] = [];
  if (slash >= 0) {
    const prefix = value.slice(0, slash);
    if (prefix === '') faults.push('prefix part must be non-empty');
    else for (const fault of faultsOf(prefix, subdomainShape)) faults.push(`prefix part ${fault}`);
  }
  const name = value.slice(slash + 1);
  // The empty name breaks two rules, and both are told.
  if (name === '') faults.push('name part must be non-empty');
  for (const fault of faultsOf(name, qualifiedShape)) faults.push(`name part ${fault}`);
  return faults;
}

function tooLongText(bytesMax: number): string {
  return `must be no more than ${bytesMax} bytes`;
}

function patternText({ must, pattern, examples }: Shape): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${must} (e.g. ${shown}regex used for validation is '${pattern}')`;
}
