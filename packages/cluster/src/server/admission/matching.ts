import type { NamedRuleWithOperations } from '../../api/generated/admissionregistration-v1.ts';
import { namespaces } from '../../api/generated/kinds.ts';
import { type GroupVersionKind, type GroupVersionResource, isSameResource } from '../../api/gvk.ts';
import type { KubeObject, LabelSelector, ObjectMeta } from '../../api/meta.ts';
import { compileSelector, isEmptySelector } from '../../api/selector/selector.ts';

/** A request to change something, as the rules of webhooks and of policies look at it. */
export interface AdmissionFacts {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: GroupVersionResource;
  /** Empty for the main door. */
  readonly subresource: string;
  /** What goes in by that door. */
  readonly kind: GroupVersionKind;
  readonly name: string;
  /** Of a namespace its own name; empty for what else is in none. */
  readonly namespace: string;
}

/** As what a webhook or a policy takes the request. */
export type MatchedAs = Pick<AdmissionFacts, 'resource' | 'kind'>;

export interface RuleMatching {
  /** `Equivalent`: also by the names that the same objects have in other groups and versions. */
  readonly matchPolicy: string | undefined;
  /** Those others, with what goes in there by the same door; asked only when no rule names the resource itself. */
  equivalents(): readonly MatchedAs[];
}

/** The name under which the first of the rules that applies takes the request. Undefined: none does. */
export function matchRules(
  rules: readonly NamedRuleWithOperations[],
  facts: AdmissionFacts,
  { matchPolicy, equivalents }: RuleMatching,
): MatchedAs | undefined {
  if (rules.some((rule) => matchesRule(rule, facts))) return { resource: facts.resource, kind: facts.kind };
  if (matchPolicy !== 'Equivalent' || !rules.some((rule) => matchesButResource(rule, facts))) return undefined;
  const others = equivalents();
  for (const rule of rules)
    for (const other of others) if (matchesRule(rule, { ...facts, resource: other.resource })) return other;
  return undefined;
}

function matchesRule(rule: NamedRuleWithOperations, facts: AdmissionFacts): boolean {
  const { resource, subresource } = facts;
  return (
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((each) => coversResource(each, { resource: resource.resource, subresource })) &&
    matchesButResource(rule, facts)
  );
}

function matchesButResource(
  { operations, resourceNames = [], scope }: NamedRuleWithOperations,
  facts: AdmissionFacts,
): boolean {
  return (
    includes(operations, facts.operation) &&
    inScope(scope, facts) &&
    (resourceNames.length === 0 || resourceNames.includes(facts.name))
  );
}

function includes(list: readonly string[] | undefined, wanted: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(wanted));
}

// `pods`, `pods/status`, `pods/*`, `*`, `*/scale`, `*/*`. Without a slash subresources are not meant.
function coversResource(
  pattern: string,
  { resource, subresource }: { readonly resource: string; readonly subresource: string },
): boolean {
  const slash = pattern.indexOf('/');
  const [main, sub] = slash < 0 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  return (main === '*' || main === resource) && (sub === '*' || sub === subresource);
}

function inScope(scope: string | undefined, { resource, namespace }: AdmissionFacts): boolean {
  if (scope === undefined || scope === '*') return true;
  const isInNone = namespace === '' || isSameResource(resource, namespaces);
  return scope === 'Cluster' ? isInNone : scope === 'Namespaced' && !isInNone;
}

export interface NamespaceLabels {
  /** The object as it would be, for creates and updates of namespaces themselves. */
  readonly object: { readonly metadata: ObjectMeta } | undefined;
  /** Of a namespace that is there; throws what the user is told when it is not. */
  of(namespace: string): Readonly<Record<string, string>> | undefined;
}

/** Whether a request is about a namespace that the selector chooses. What is in no namespace is never left out. */
export function choosesNamespace(
  selector: LabelSelector | undefined,
  { resource, subresource, operation, namespace }: AdmissionFacts,
  labels: NamespaceLabels,
): boolean {
  const isNamespace = isSameResource(resource, namespaces);
  if (selector === undefined || isEmptySelector(selector) || (namespace === '' && !isNamespace)) return true;
  // What is being written is not there to be looked up yet.
  const isWritten = isNamespace && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');
  return compileSelector(selector)(isWritten ? labels.object?.metadata.labels : labels.of(namespace));
}

/** Whether the selector chooses the object as it was or as it would be. */
export function choosesObject(
  selector: LabelSelector | undefined,
  { object, oldObject }: { readonly object?: KubeObject | undefined; readonly oldObject?: KubeObject | undefined },
): boolean {
  if (selector === undefined || isEmptySelector(selector)) return true;
  const matches = compileSelector(selector);
  return [object, oldObject].some((each) => each !== undefined && matches(each.metadata?.labels));
}

const configurationKinds: ReadonlySet<string> = new Set([
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
]);

/** What says who is asked about writes is never itself asked about, or a mistake in it could not be mended. */
export function isAdmissionConfiguration({ group, kind }: { readonly group: string; readonly kind: string }): boolean {
  return group === 'admissionregistration.k8s.io' && configurationKinds.has(kind);
}
