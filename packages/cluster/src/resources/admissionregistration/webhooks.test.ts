import { describe, expect, test } from 'vitest';
import { created, createIssues, row } from '../../testing/resources/judge.ts';
import { mutatingwebhookconfigurationDefinition as mutating } from './mutatingwebhookconfiguration.ts';
import { validatingwebhookconfigurationDefinition as validating } from './validatingwebhookconfiguration.ts';

const service = { namespace: 'shop', name: 'hooks', path: '/validate' };
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
const hook = {
  name: 'a.example.com',
  clientConfig: { service },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const issues = (more: object): readonly string[] => createIssues(validating, { webhooks: [{ ...hook, ...more }] });
const rules = (more: object): readonly string[] => issues({ rules: [{ ...rule, ...more }] });
const called = (clientConfig: object): readonly string[] => issues({ clientConfig });

const complete = {
  ...hook,
  clientConfig: { service: { ...service, port: 443 } },
  rules: [{ ...rule, scope: '*' }],
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

test('what is left out is completed', () => {
  expect(created(validating, { webhooks: [hook] })).toMatchObject({ webhooks: [complete] });
  expect(created(mutating, { webhooks: [hook] }).webhooks).toEqual([{ ...complete, reinvocationPolicy: 'Never' }]);
  expect(created(validating, {}).webhooks).toBeUndefined();
});

test('what is complete stays as it is, and is valid', () => {
  const given = { ...complete, timeoutSeconds: 3, failurePolicy: 'Ignore', clientConfig: { url: 'https://a:8443/b' } };
  expect(created(validating, { webhooks: [given] }).webhooks).toEqual([given]);
  expect(createIssues(validating, { webhooks: [given] })).toEqual([]);
  expect(createIssues(mutating, { webhooks: [{ ...given, reinvocationPolicy: 'IfNeeded' }] })).toEqual([]);
});

test('the table counts the webhooks', () => {
  expect(row(validating, { webhooks: [hook, hook] })).toEqual({ Webhooks: 2 });
  expect(row(mutating, {})).toEqual({ Webhooks: 0 });
});

describe('is refused', () => {
  test.each<[string, object, string]>([
    ['no name', { name: '' }, 'webhooks[0].name: Required value'],
    [
      'a short name',
      { name: 'a.b' },
      'webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
    ],
    [
      'a policy that nobody knows',
      { failurePolicy: 'Maybe' },
      'webhooks[0].failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
    ],
    [
      'a match that nobody knows',
      { matchPolicy: 'Near' },
      'webhooks[0].matchPolicy: Unsupported value: "Near": supported values: "Equivalent", "Exact"',
    ],
    [
      'side effects',
      { sideEffects: '' },
      'webhooks[0].sideEffects: Unsupported value: "": supported values: "None", "NoneOnDryRun"',
    ],
    [
      'side effects that nobody knows',
      { sideEffects: 'Some' },
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    ],
    [
      'nothing of side effects',
      { sideEffects: undefined },
      'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
    ],
    [
      'no time',
      { timeoutSeconds: 0 },
      'webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds',
    ],
    [
      'all the time',
      { timeoutSeconds: 31 },
      'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
    ],
    [
      'no version',
      { admissionReviewVersions: [] },
      'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
    ],
    [
      'unknown versions',
      { admissionReviewVersions: ['v2'] },
      'webhooks[0].admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
    ],
    [
      'a version twice',
      { admissionReviewVersions: ['v1', 'v1'] },
      'webhooks[0].admissionReviewVersions[1]: Invalid value: "v1": duplicate version',
    ],
    [
      'a condition without a name',
      { matchConditions: [{ name: '', expression: 'true' }] },
      'webhooks[0].matchConditions[0].name: Required value',
    ],
    [
      'a condition without an expression',
      { matchConditions: [{ name: 'a', expression: ' ' }] },
      'webhooks[0].matchConditions[0].expression: Required value',
    ],
    [
      'conditions of one name',
      { matchConditions: [1, 2].map(() => ({ name: 'a', expression: 'true' })) },
      'webhooks[0].matchConditions[1].name: Duplicate value: "a"',
    ],
    [
      'very many conditions',
      { matchConditions: Array.from({ length: 65 }, (_, index) => ({ name: `a${index}`, expression: 'true' })) },
      'webhooks[0].matchConditions: Too many: 65: must have at most 64 items',
    ],
  ])('%s', (_, more, issue) => expect(issues(more)).toEqual([issue]));

  test('a name twice', () =>
    expect(createIssues(mutating, { webhooks: [hook, hook] })).toEqual([
      'webhooks[1].name: Duplicate value: "a.example.com"',
    ]));
  test('a second round that nobody knows', () =>
    expect(createIssues(mutating, { webhooks: [{ ...hook, reinvocationPolicy: 'Always' }] })).toEqual([
      'webhooks[0].reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"',
    ]));
});

describe('rules', () => {
  const at = 'webhooks[0].rules[0]';
  test.each<[object, readonly string[]]>([
    [{ operations: [] }, [`${at}.operations: Required value`]],
    [
      { operations: ['*', 'CREATE'] },
      [`${at}.operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`],
    ],
    [
      { operations: ['GET'] },
      [`${at}.operations[0]: Unsupported value: "GET": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"`],
    ],
    [{ apiGroups: [] }, [`${at}.apiGroups: Required value`]],
    [
      { apiGroups: ['*', 'apps'] },
      [`${at}.apiGroups: Invalid value: ["*","apps"]: if '*' is present, must not specify other API groups`],
    ],
    [{ apiVersions: [''] }, [`${at}.apiVersions[0]: Required value`]],
    [
      { apiVersions: ['*', 'v1'] },
      [`${at}.apiVersions: Invalid value: ["*","v1"]: if '*' is present, must not specify other API versions`],
    ],
    [{ resources: [] }, [`${at}.resources: Required value`]],
    [
      { resources: ['*/*', 'pods'] },
      [`${at}.resources: Invalid value: ["*/*","pods"]: if '*/*' is present, must not specify other resources`],
    ],
    [
      { resources: ['*', 'pods'] },
      [
        `${at}.resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
      ],
    ],
    [
      { resources: ['pods/*', 'pods/status'] },
      [`${at}.resources[1]: Invalid value: "pods/status": if 'pods/*' is present, must not specify pods/status`],
    ],
    [
      { resources: ['*/scale', 'deployments/scale'] },
      [
        `${at}.resources[1]: Invalid value: "deployments/scale": if '*/scale' is present, must not specify deployments/scale`,
      ],
    ],
    [{ resources: ['*', '*/status', 'pods/log'] }, []],
    [{ scope: 'Both' }, [`${at}.scope: Unsupported value: "Both": supported values: "*", "Cluster", "Namespaced"`]],
  ])('%j', (more, expected) => expect(rules(more)).toEqual(expected));
});

describe('where it is', () => {
  const at = 'webhooks[0].clientConfig';
  const form = 'desired format: https://host[/path]';
  test.each<[object, readonly string[]]>([
    [{}, [`${at}: Required value: exactly one of url or service is required`]],
    [{ url: 'https://a', service }, [`${at}: Required value: exactly one of url or service is required`]],
    [{ url: 'https://a.example.com/b' }, []],
    [{ url: 'https://[::1]:8443' }, []],
    [{ url: 'http://a' }, [`${at}.url: Invalid value: "http": 'https' is the only allowed URL scheme; ${form}`]],
    [{ url: 'https:///b' }, [`${at}.url: Invalid value: "": host must be specified; ${form}`]],
    [{ url: 'https://me@a' }, [`${at}.url: Invalid value: "me": user information is not permitted in the URL`]],
    [
      { url: 'https://me:hunter2@a' },
      [`${at}.url: Invalid value: "me:***": user information is not permitted in the URL`],
    ],
    [{ url: 'https://a#b' }, [`${at}.url: Invalid value: "b": fragments are not permitted in the URL`]],
    [{ url: 'https://a?b=c' }, [`${at}.url: Invalid value: "b=c": query parameters are not permitted in the URL`]],
    [{ service: { ...service, name: '' } }, [`${at}.service.name: Required value`]],
    [{ service: { ...service, namespace: '' } }, [`${at}.service.namespace: Required value`]],
    [
      { service: { ...service, port: 0 } },
      [`${at}.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`],
    ],
    [{ service: { ...service, path: 'ab' } }, [`${at}.service.path: Invalid value: "ab": must start with a '/'`]],
    [{ service: { ...service, path: '//' } }, [`${at}.service.path: Invalid value: "//": segment[0] may not be empty`]],
    [
      { service: { ...service, path: '/a//b' } },
      [`${at}.service.path: Invalid value: "/a//b": segment[1] may not be empty`],
    ],
    [{ service: { ...service, path: '/admit-v1/' } }, []],
  ])('%j', (clientConfig, expected) => {
    expect(called(clientConfig)).toEqual(expected);
  });
  test('a url that is none', () => expect(called({ url: 'https://a b' })[0]).toContain('url must be a valid URL: '));
});
