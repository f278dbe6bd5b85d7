import { describe, expect, test } from 'vitest';
import type { NamedRuleWithOperations } from '../../api/generated/admissionregistration-v1.ts';
import { deployments, namespaces, nodes, pods } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import {
  type AdmissionFacts,
  choosesNamespace,
  choosesObject,
  isAdmissionConfiguration,
  type MatchedAs,
  matchRules,
} from './matching.ts';

const creation: AdmissionFacts = {
  operation: 'CREATE',
  resource: pods,
  subresource: '',
  kind: pods,
  name: 'web',
  namespace: 'shop',
};
const rule = (more: Partial<NamedRuleWithOperations>): NamedRuleWithOperations => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: ['pods'],
  ...more,
});
const exactly = { matchPolicy: 'Exact', equivalents: () => [] };
const matches = (rules: readonly NamedRuleWithOperations[], facts: Partial<AdmissionFacts>): boolean =>
  matchRules(rules, { ...creation, ...facts }, exactly) !== undefined;

describe('a rule', () => {
  test.each<[string, Partial<NamedRuleWithOperations>, Partial<AdmissionFacts>, boolean]>([
    ['names what is asked for', {}, {}, true],
    ['of another group', { apiGroups: ['apps'] }, {}, false],
    ['of any group', { apiGroups: ['*'] }, {}, true],
    ['without groups', { apiGroups: [] }, {}, false],
    ['of another version', { apiVersions: ['v2'] }, {}, false],
    ['of any version', { apiVersions: ['*'] }, {}, true],
    ['of another operation', { operations: ['UPDATE', 'DELETE'] }, {}, false],
    ['of any operation', { operations: ['*'] }, { operation: 'CONNECT' }, true],
    ['of the whole object does not mean its parts', {}, { subresource: 'status' }, false],
    ['of a part does not mean the whole', { resources: ['pods/status'] }, {}, false],
    ['of a part', { resources: ['pods/status'] }, { subresource: 'status' }, true],
    ['of all parts', { resources: ['pods/*'] }, { subresource: 'status' }, true],
    ['of all parts means the whole as well', { resources: ['pods/*'] }, {}, true],
    ['of everything means no part', { resources: ['*'] }, { subresource: 'status' }, false],
    ['of one part of everything', { resources: ['*/scale'] }, { subresource: 'scale' }, true],
    ['of everything and its parts', { resources: ['*/*'] }, { subresource: 'scale' }, true],
    ['of another resource', { resources: ['nodes', 'services'] }, {}, false],
    ['of namespaced objects', { scope: 'Namespaced' }, {}, true],
    ['of namespaced objects', { scope: 'Namespaced', resources: ['*'] }, { resource: nodes, namespace: '' }, false],
    ['of cluster-scoped objects', { scope: 'Cluster' }, {}, false],
    ['of cluster-scoped objects', { scope: 'Cluster', resources: ['*'] }, { resource: nodes, namespace: '' }, true],
    [
      'of cluster-scoped objects: a namespace is one',
      { scope: 'Cluster', resources: ['*'] },
      { resource: namespaces },
      true,
    ],
    [
      'of namespaced objects: a namespace is none',
      { scope: 'Namespaced', resources: ['*'] },
      { resource: namespaces },
      false,
    ],
    ['of both', { scope: '*' }, {}, true],
    ['of objects by name', { resourceNames: ['web'] }, {}, true],
    ['of objects by another name', { resourceNames: ['db'] }, {}, false],
  ])('%s %j %j: %s', (_, given, facts, expected) => expect(matches([rule(given)], facts)).toBe(expected));

  test('one of several is enough', () => {
    expect(matches([rule({ resources: ['nodes'] }), rule({})], {})).toBe(true);
    expect(matches([], {})).toBe(false);
  });
});

describe('equivalent resources', () => {
  const older: MatchedAs = {
    resource: { group: 'extensions', version: 'v1beta1', resource: 'deployments' },
    kind: { group: 'extensions', version: 'v1beta1', kind: 'Deployment' },
  };
  const update: AdmissionFacts = { ...creation, operation: 'UPDATE', resource: deployments, kind: deployments };
  const ofOlder = rule({
    apiGroups: ['extensions'],
    apiVersions: ['v1beta1'],
    resources: ['deployments'],
    operations: ['UPDATE'],
  });
  const equivalent = { matchPolicy: 'Equivalent', equivalents: () => [older] };

  test('are matched under their own name', () => expect(matchRules([ofOlder], update, equivalent)).toBe(older));
  test('are no match where exactness is asked for', () =>
    expect(matchRules([ofOlder], update, { ...equivalent, matchPolicy: 'Exact' })).toBeUndefined());
  test('come after what is named itself', () => {
    const own = rule({ apiGroups: ['apps'], resources: ['deployments'], operations: ['UPDATE'] });
    expect(matchRules([ofOlder, own], update, equivalent)).toEqual({ resource: deployments, kind: deployments });
  });
  test('are not looked up for another operation', () => {
    const equivalents = (): never => {
      throw new Error('was asked');
    };
    expect(matchRules([ofOlder], creation, { matchPolicy: 'Equivalent', equivalents })).toBeUndefined();
  });
});

describe('a namespace selector', () => {
  const selector = { matchLabels: { team: 'a' } };
  const labelled = { metadata: { labels: { team: 'a' } } };
  const nowhere = (): never => {
    throw new Error('was asked');
  };
  test.each<[string, Partial<AdmissionFacts>, Record<string, string> | undefined, boolean]>([
    ['chooses by the labels of the namespace', {}, { team: 'a' }, true],
    ['leaves out by them', {}, { team: 'b' }, false],
    ['leaves out what has none', {}, undefined, false],
    ['never leaves out what is in no namespace', { resource: nodes, namespace: '' }, { team: 'b' }, true],
    ['looks at a namespace that goes as it is', { resource: namespaces, operation: 'DELETE' }, { team: 'a' }, true],
  ])('%s', (_, facts, labels, expected) => {
    const world = { object: undefined, of: () => labels };
    expect(choosesNamespace(selector, { ...creation, ...facts }, world)).toBe(expected);
  });
  test('looks at a namespace that comes as it would be', () => {
    const facts: AdmissionFacts = { ...creation, resource: namespaces };
    expect(choosesNamespace(selector, facts, { object: labelled, of: nowhere })).toBe(true);
    expect(choosesNamespace(selector, facts, { object: { metadata: {} }, of: nowhere })).toBe(false);
  });
  test('that is empty asks for nothing', () =>
    expect(choosesNamespace({}, creation, { object: undefined, of: nowhere })).toBe(true));
});

describe('an object selector', () => {
  const object = (labels: Record<string, string>): KubeObject => ({ metadata: { labels } }) as unknown as KubeObject;
  const selector = { matchExpressions: [{ key: 'inject', operator: 'Exists' }] };
  test.each<[string, Parameters<typeof choosesObject>[1], boolean]>([
    ['what comes', { object: object({ inject: 'yes' }) }, true],
    ['what was', { object: object({}), oldObject: object({ inject: 'yes' }) }, true],
    ['what goes', { oldObject: object({ inject: 'yes' }) }, true],
    ['neither', { object: object({}), oldObject: object({}) }, false],
    ['nothing', {}, false],
  ])('%s', (_, objects, expected) => expect(choosesObject(selector, objects)).toBe(expected));
  test('that is empty chooses everything', () => expect(choosesObject({}, {})).toBe(true));
});

test.each([
  ['admissionregistration.k8s.io', 'ValidatingWebhookConfiguration', true],
  ['admissionregistration.k8s.io', 'MutatingAdmissionPolicyBinding', true],
  ['example.com', 'ValidatingWebhookConfiguration', false],
  ['', 'ConfigMap', false],
])('%s %s is a configuration of admission: %s', (group, kind, expected) => {
  expect(isAdmissionConfiguration({ group, kind })).toBe(expected);
});
