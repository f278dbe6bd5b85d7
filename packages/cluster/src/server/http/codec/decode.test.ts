import { expect, test } from 'vitest';
import type { Operation, WatchOperation } from '../../../api/operation.ts';
import { StatusError } from '../../../api/status.ts';
import type { ServedApi } from '../../context/served-api.ts';
import { parseAccept } from './accept.ts';
import { type Decoded, decode } from './decode.ts';
import { parseTarget } from './target.ts';

const user = { name: 'jane', groups: ['dev'] };
const pods = { group: '', version: 'v1', resource: 'pods' };
const scoped = { resource: pods, namespace: 'a', user };

const facts: ServedApi['facts'] = (_resource, subresource) => {
  asked.push(subresource);
  const [isText, isConnection] = [subresource === 'log', subresource === 'exec'];
  return { custom: false, hasTables: false, isText, isConnection };
};
const asked: (string | undefined)[] = [];

function read(method: string, target: string, headers: Readonly<Record<string, string>> = {}): Decoded {
  return decode(
    { method, target, headers },
    { target: parseTarget(target), accept: parseAccept(headers['accept']), facts },
  );
}

function operationOf(decoded: Decoded, body = ''): Operation | WatchOperation {
  if (decoded.asks === 'read' || decoded.asks === 'watch') return decoded.operation(user);
  if (decoded.asks === 'write') return decoded.operation(user, Buffer.from(body));
  throw new Error(`asks for a ${decoded.asks}`);
}

const json = { 'content-type': 'application/json' };
const merge = { 'content-type': 'application/merge-patch+json' };

test.each<[string, string, Readonly<Record<string, string>>, string, object]>([
  [
    'GET',
    '/api/v1/namespaces/a/pods/b?resourceVersion=0',
    {},
    '',
    { verb: 'get', ...scoped, name: 'b', resourceVersion: '0' },
  ],
  ['GET', '/api/v1/namespaces/a/pods/b?pretty=true', {}, '', { verb: 'get', ...scoped, name: 'b' }],
  [
    'GET',
    '/api/v1/namespaces/a/pods/b/log?container=c&tailLines=5',
    {},
    '',
    { verb: 'get', ...scoped, name: 'b', subresource: 'log', parameters: { container: 'c', tailLines: '5' } },
  ],
  ['GET', '/api/v1/pods?limit=5', {}, '', { verb: 'list', resource: pods, user, options: { limit: 5 } }],
  ['GET', '/api/v1/pods?watch=true&limit=5', {}, '', { resource: pods, user, options: { limit: 5 } }],
  ['GET', '/api/v1/watch/pods?limit=5', {}, '', { resource: pods, user, options: { limit: 5 } }],
  ['GET', '/api/v1/watch/namespaces/a/pods/b', {}, '', { ...scoped, options: { fieldSelector: 'metadata.name=b' } }],
  [
    'GET',
    '/api/v1/namespaces/a/pods/b?watch=1&fieldSelector=spec.nodeName%3Dn',
    {},
    '',
    { ...scoped, options: { fieldSelector: 'metadata.name=b,spec.nodeName=n' } },
  ],
  [
    'POST',
    '/api/v1/namespaces/a/pods',
    json,
    '{"x":1}',
    { verb: 'create', ...scoped, body: { x: 1 }, wasText: true, options: {} },
  ],
  [
    'POST',
    '/api/v1/namespaces/a/pods',
    {},
    '{"x":1}',
    { verb: 'create', ...scoped, body: { x: 1 }, wasText: true, options: {} },
  ],
  [
    'POST',
    '/api/v1/namespaces/a/pods/b/eviction?dryRun=All',
    json,
    '{}',
    {
      verb: 'create',
      ...scoped,
      name: 'b',
      subresource: 'eviction',
      body: {},
      wasText: true,
      options: { dryRun: true },
    },
  ],
  [
    'POST',
    '/api/v1/namespaces/a/pods/b/exec?command=ls',
    {},
    '',
    { verb: 'get', ...scoped, name: 'b', subresource: 'exec', parameters: { command: 'ls' } },
  ],
  [
    'PUT',
    '/api/v1/namespaces/a/pods/b/status',
    json,
    '{}',
    { verb: 'update', ...scoped, name: 'b', subresource: 'status', body: {}, wasText: true, options: {} },
  ],
  [
    'PATCH',
    '/api/v1/namespaces/a/pods/b?force=true',
    merge,
    '{}',
    { verb: 'patch', ...scoped, name: 'b', patchType: 'merge', body: {}, options: { force: true } },
  ],
  [
    'DELETE',
    '/api/v1/namespaces/a/pods/b?gracePeriodSeconds=0',
    {},
    '',
    { verb: 'delete', ...scoped, name: 'b', options: { gracePeriodSeconds: 0 } },
  ],
  [
    'DELETE',
    '/api/v1/namespaces/a/pods?labelSelector=x',
    json,
    '{"propagationPolicy":"Orphan"}',
    { verb: 'deletecollection', ...scoped, options: { propagationPolicy: 'Orphan' }, list: { labelSelector: 'x' } },
  ],
])('%s %s', (method, target, headers, body, expected) => {
  expect(operationOf(read(method, target, headers), body)).toEqual(expected);
});

test.each<[string, string, object]>([
  ['/version', 'application/json', { what: 'version' }],
  ['/api', 'application/json', { what: 'coreVersions' }],
  ['/apis', 'application/json', { what: 'groups' }],
  ['/apis/apps', 'application/json', { what: 'group', group: 'apps' }],
  ['/api/v1', 'application/json', { what: 'resources', group: '', version: 'v1' }],
  ['/apis/apps/v1', 'application/json', { what: 'resources', group: 'apps', version: 'v1' }],
  [
    '/apis?timeout=32s',
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
    { what: 'aggregated', root: 'apis', version: 'v2' },
  ],
  ['/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf', { what: 'openapi2' }],
  ['/openapi/v3', '*/*', { what: 'openapi3Index' }],
  ['/openapi/v3/apis/apps/v1?hash=1', '*/*', { what: 'openapi3', path: 'apis/apps/v1' }],
])('GET %s asks for a document', (target, accept, document) => {
  expect(read('GET', target, { accept })).toEqual({ asks: 'document', document });
});

test.each<[string, string, Readonly<Record<string, string>>, number]>([
  ['POST', '/api/v1/namespaces/a/pods/b', json, 405],
  ['PUT', '/api/v1/namespaces/a/pods', json, 405],
  ['PATCH', '/api/v1/namespaces/a/pods', merge, 405],
  ['DELETE', '/api/v1/namespaces/a/pods/b/status', {}, 405],
  ['HEAD', '/api/v1/pods', {}, 405],
  ['OPTIONS', '/api/v1/pods', {}, 405],
  ['BREW', '/api/v1/pods', {}, 405],
  ['POST', '/api/v1/watch/namespaces/a/pods', json, 405],
  ['POST', '/version', {}, 405],
  ['HEAD', '/version', {}, 405],
  ['GET', '/api/v1/namespaces/a/pods/b/log/c', {}, 404],
  ['POST', '/api/v1/pods', { 'content-type': 'text/plain' }, 415],
  ['PUT', '/api/v1/pods/b', { 'content-type': 'text/plain' }, 415],
  ['GET', '/api/v1/namespaces/a/pods/b?export=true', {}, 400],
  ['PATCH', '/api/v1/pods/b', json, 415],
  ['PATCH', '/api/v1/pods/b', {}, 415],
  ['GET', '/api', { accept: 'text/html' }, 406],
  ['GET', '/api/v1/pods?timeout=maybe', {}, 400],
  ['GET', '/api/v1/pods?includeObject=All', {}, 400],
])('%s %s %j is refused with %i', (method, target, headers, code) => {
  expect(refusal(() => read(method, target, headers)).code).toBe(code);
});

test('says that a path takes no such method, in upstream’s words', () => {
  const { status } = refusal(() => read('PUT', '/apis/apps/v1/deployments', json));
  const message = 'the server does not allow this method on the requested resource';
  expect(status).toMatchObject({ reason: 'MethodNotAllowed', message, details: {} });
});

test.each(['', ' ', 'null', '~\n'])('nothing may be applied: %j', (body) => {
  const decoded = read('PATCH', '/api/v1/pods/b', { 'content-type': 'application/apply-patch+yaml' });
  expect(operationOf(decoded, body)).toMatchObject({ patchType: 'apply', body: null });
});

const twice = '{"a":1,"a":2}';
test('what the text says twice comes with the operation, whatever the client wishes of it', () => {
  for (const query of ['', '?fieldValidation=Strict']) {
    const decoded = read('POST', `/api/v1/namespaces/a/pods${query}`, json);
    expect(operationOf(decoded, twice)).toMatchObject({ body: { a: 2 }, flaws: ['duplicate field "a"'] });
  }
});

test('writes need a body, deletes do not', () => {
  for (const [method, target, headers] of [
    ['POST', '/api/v1/pods', json],
    ['PUT', '/api/v1/pods/b', json],
    ['PATCH', '/api/v1/pods/b', merge],
  ] as const) {
    expect(refusal(() => operationOf(read(method, target, headers))).code).toBe(400);
  }
  expect(operationOf(read('DELETE', '/api/v1/pods/b'))).toMatchObject({ verb: 'delete', options: {} });
});

function refusal(work: () => unknown): StatusError {
  try {
    work();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

test('what lasts as long as its client likes, as its definition says, reads no time limit from the query', () => {
  const limited = (target: string): unknown => {
    const decoded = read('GET', `${target}timeout=5s`);
    return 'timeoutMs' in decoded ? decoded.timeoutMs : undefined;
  };
  expect(limited('/api/v1/namespaces/a/pods/b/log?')).toBeUndefined();
  expect(limited('/api/v1/namespaces/a/pods/b/exec?')).toBeUndefined();
  expect(limited('/api/v1/namespaces/a/pods/b/scale?')).toBe(5000);
  expect(limited('/api/v1/pods?watch=1&')).toBeUndefined();
});

test('nobody is asked what whole objects and lists are', () => {
  asked.length = 0;
  for (const target of ['/api/v1/pods', '/api/v1/namespaces/a/pods/b', '/api/v1/namespaces/a/pods?watch=1'])
    read('GET', target);
  expect(asked).toEqual([]);
});

test('a POST to what is no connection is a write, whatever it is called', () => {
  expect(read('POST', '/api/v1/namespaces/a/pods/b/exec')).toMatchObject({ asks: 'read' });
  expect(read('POST', '/api/v1/namespaces/a/pods/b/attach')).toMatchObject({ asks: 'write' });
});
