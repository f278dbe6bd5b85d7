import { parseYamlDocuments } from '../../api/codec/yaml.ts';
import { isObject, type JsonObject } from '../../api/record.ts';
import type { AuditLevel, AuditPolicy, AuditRule, AuditStage } from './policy.ts';

const levels: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse'];
const stages: readonly AuditStage[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];

/** Reads a policy file. Throws an Error of one line that says where it is wrong: a typo in it would leave out what somebody relies on. */
export function parseAuditPolicy(text: string, { source }: { readonly source: string }): AuditPolicy {
  const [document, more] = parseYamlDocuments(text, { source });
  const fault = (why: string): Error => new Error(`${source}: ${why}`);
  if (document === undefined || !isObject(document.value)) throw fault('there is no audit policy in it');
  if (more !== undefined) throw fault('there is more than one document in it');
  const { value } = document;
  if (value['apiVersion'] !== 'audit.k8s.io/v1' || value['kind'] !== 'Policy')
    throw fault('it is no Policy of audit.k8s.io/v1');
  const [wrong] = policyFaults(value);
  if (wrong !== undefined) throw fault(wrong);
  return value as unknown as AuditPolicy;
}

function* policyFaults(policy: JsonObject): Iterable<string> {
  yield* unknownFields(policy, { at: '', known: ['apiVersion', 'kind', 'metadata', 'rules', ...both] });
  yield* sharedFaults(policy, '');
  const { rules } = policy;
  if (!Array.isArray(rules) || rules.length === 0) yield 'rules: there has to be one at least';
  else for (const [index, rule] of rules.entries()) yield* ruleFaults(rule, `rules[${index}]`);
}

const both = ['omitStages', 'omitManagedFields'];
const texts = ['users', 'userGroups', 'verbs', 'namespaces', 'nonResourceURLs'] as const satisfies (keyof AuditRule)[];

function* ruleFaults(rule: unknown, at: string): Iterable<string> {
  if (!isObject(rule)) return yield `${at}: it must be an object`;
  yield* unknownFields(rule, { at: `${at}.`, known: ['level', 'resources', ...texts, ...both] });
  const { level, resources = [], namespaces, nonResourceURLs } = rule;
  if (!levels.some((each) => each === level)) yield `${at}.level: it must be one of ${levels.join(', ')}`;
  for (const field of texts) if (!isTexts(rule[field])) yield `${at}.${field}: it must be a list of texts`;
  yield* sharedFaults(rule, `${at}.`);
  if (!Array.isArray(resources)) return yield `${at}.resources: it must be a list`;
  for (const [index, each] of resources.entries()) yield* resourceFaults(each, `${at}.resources[${index}]`);
  const urls = listOf(nonResourceURLs);
  if (urls.length > 0 && (resources.length > 0 || listOf(namespaces).length > 0))
    yield `${at}.nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs`;
  for (const url of urls) {
    if (url !== '*' && !url.startsWith('/')) yield `${at}.nonResourceURLs: ${JSON.stringify(url)} must begin with a /`;
    if (url.slice(0, -1).includes('*'))
      yield `${at}.nonResourceURLs: in ${JSON.stringify(url)} only the end may be a *`;
  }
}

function* resourceFaults(resources: unknown, at: string): Iterable<string> {
  if (!isObject(resources)) return yield `${at}: it must be an object`;
  yield* unknownFields(resources, { at: `${at}.`, known: ['group', 'resources', 'resourceNames'] });
  const { group = '', resources: kinds, resourceNames } = resources;
  if (typeof group !== 'string' || !/^[a-z0-9.-]*$/.test(group))
    yield `${at}.group: it must be the name of a group without its version, such as "apps"; "" is the core group`;
  if (!isTexts(kinds)) yield `${at}.resources: it must be a list of texts`;
  if (!isTexts(resourceNames)) yield `${at}.resourceNames: it must be a list of texts`;
  if (listOf(resourceNames).length > 0 && listOf(kinds).length === 0)
    yield `${at}.resourceNames: using resourceNames requires at least one resource`;
}

function* sharedFaults({ omitStages = [], omitManagedFields }: JsonObject, at: string): Iterable<string> {
  const isStages = Array.isArray(omitStages) && omitStages.every((each) => stages.some((stage) => stage === each));
  if (!isStages) yield `${at}omitStages: it must be a list of ${stages.join(', ')}`;
  if (omitManagedFields !== undefined && typeof omitManagedFields !== 'boolean')
    yield `${at}omitManagedFields: it must be true or false`;
}

function* unknownFields(
  object: JsonObject,
  { at, known }: { readonly at: string; readonly known: readonly string[] },
): Iterable<string> {
  for (const key of Object.keys(object)) if (!known.includes(key)) yield `${at}${key}: there is no such field`;
}

function isTexts(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((each) => typeof each === 'string'));
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}
