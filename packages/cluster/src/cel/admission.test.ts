import { describe, expect, test } from 'vitest';
import { admission, admissionRequest } from './admission.ts';
import { compile } from './compile.ts';
import { type AccessQuestion, AuthorizerValue, ResourceCheck } from './library/authorizations.ts';
import { readDyn } from './values/scalars.ts';

const object = { metadata: { name: 'web', labels: { app: 'a' } }, spec: { replicas: 3 } };
const request = {
  operation: 'CREATE',
  userInfo: { username: 'jane', groups: ['dev'] },
  kind: { group: 'apps' },
  dryRun: false,
};

function answerOf(expression: string, asked: AccessQuestion[] = []): unknown {
  const program = compile(expression, admission);
  if ('problem' in program) return program.problem.split('\n')[0];
  const authorizer = new AuthorizerValue((question) => {
    asked.push(question);
    return { allowed: question.verb === 'get', reason: 'because', error: '' };
  });
  const parts = { resource: 'pods', subresource: '', namespace: 'shop', name: 'web' };
  const values: Readonly<Record<string, unknown>> = {
    object: readDyn(object),
    oldObject: null,
    request: admissionRequest.read(request),
    authorizer,
    'authorizer.requestResource': new ResourceCheck(authorizer, '', parts),
  };
  const outcome = program.run((name) => values[name] as never, { costMax: 1_000_000 });
  return 'value' in outcome ? outcome.value : `error: ${outcome.error}`;
}

describe('a request', () => {
  test.each<[string, unknown]>([
    ["object.metadata.labels['app'] == 'a' && object.spec.replicas > 2", true],
    ['oldObject == null', true],
    ["request.operation in ['CREATE', 'UPDATE'] && !request.dryRun", true],
    ["'dev' in request.userInfo.groups && request.userInfo.username == 'jane'", true],
    ['has(request.name)', false],
    ['object.spec.nothing == 1', 'error: no such key: nothing'],
    ['request.nothing', "ERROR: <input>:1:8: undefined field 'nothing'"],
  ])('%s: %s', (expression, expected) => expect(answerOf(expression)).toBe(expected));
});

describe('whether somebody may', () => {
  test.each<[string, unknown, object]>([
    ["authorizer.path('/healthz').check('get').allowed()", true, { path: '/healthz', verb: 'get' }],
    [
      "authorizer.requestResource.check('custom').allowed()",
      false,
      { group: '', resource: 'pods', namespace: 'shop', name: 'web', verb: 'custom' },
    ],
    [
      "authorizer.group('apps').resource('deployments').subresource('scale').namespace('a').name('b').check('get').reason()",
      'because',
      { group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'a', name: 'b' },
    ],
    [
      "authorizer.serviceAccount('a', 'b').group('').resource('pods').fieldSelector('spec.nodeName=c').check('list').errored()",
      false,
      { account: { namespace: 'a', name: 'b' }, fieldSelector: 'spec.nodeName=c' },
    ],
  ])('%s', (expression, expected, question) => {
    const asked: AccessQuestion[] = [];
    expect(answerOf(expression, asked)).toBe(expected);
    expect(asked).toEqual([expect.objectContaining(question)]);
  });
  test('cannot be told of nothing', () => {
    expect(answerOf("authorizer.path(' ').check('get').allowed()")).toBe('error: path must not be empty');
    expect(answerOf("authorizer.group('').resource('').check('get').allowed()")).toBe(
      'error: resource must not be empty',
    );
  });
});
