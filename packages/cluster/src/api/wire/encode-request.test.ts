import { expect, test } from 'vitest';
import type { Operation } from '../operation.ts';
import { encodeRequest, encodeWatch, type WireRequest } from './encode-request.ts';

const user = { name: 'jane', groups: [] };
const pods = { group: '', version: 'v1', resource: 'pods' };
const sets = { group: 'apps', version: 'v1', resource: 'daemonsets' };
const json = 'application/json';

test.each<[string, Operation, WireRequest]>([
  [
    'get',
    { verb: 'get', user, resource: pods, namespace: 'a', name: 'b', resourceVersion: '0' },
    { method: 'GET', target: '/api/v1/namespaces/a/pods/b?resourceVersion=0' },
  ],
  [
    'log',
    {
      verb: 'get',
      user,
      resource: pods,
      namespace: 'a',
      name: 'b',
      subresource: 'log',
      parameters: { tailLines: '5' },
    },
    { method: 'GET', target: '/api/v1/namespaces/a/pods/b/log?tailLines=5' },
  ],
  [
    'what stands behind a proxy',
    {
      verb: 'get',
      user,
      resource: pods,
      namespace: 'a',
      name: 'https:b:9090',
      subresource: 'proxy',
      below: '/metrics',
      parameters: { match: 'c' },
    },
    { method: 'GET', target: '/api/v1/namespaces/a/pods/https%3Ab%3A9090/proxy/metrics?match=c' },
  ],
  [
    'list',
    { verb: 'list', user, resource: sets, options: { labelSelector: 'a in (b, c)', limit: 500 } },
    { method: 'GET', target: '/apis/apps/v1/daemonsets?labelSelector=a+in+%28b%2C+c%29&limit=500' },
  ],
  [
    'create',
    {
      verb: 'create',
      user,
      resource: sets,
      namespace: 'a',
      name: 'left out',
      body: { x: 1 },
      options: { dryRun: true },
    },
    { method: 'POST', target: '/apis/apps/v1/namespaces/a/daemonsets?dryRun=All', contentType: json, body: '{"x":1}' },
  ],
  [
    'bind',
    { verb: 'create', user, resource: pods, namespace: 'a', name: 'b', subresource: 'binding', body: {}, options: {} },
    { method: 'POST', target: '/api/v1/namespaces/a/pods/b/binding', contentType: json, body: '{}' },
  ],
  [
    'apply',
    {
      verb: 'patch',
      user,
      resource: pods,
      namespace: 'a',
      name: 'b',
      patchType: 'apply',
      body: {},
      options: { force: true, fieldManager: 'f' },
    },
    {
      method: 'PATCH',
      target: '/api/v1/namespaces/a/pods/b?fieldManager=f&force=true',
      contentType: 'application/apply-patch+yaml',
      body: '{}',
    },
  ],
  [
    'delete',
    { verb: 'delete', user, resource: pods, namespace: 'a', name: 'b', options: {} },
    { method: 'DELETE', target: '/api/v1/namespaces/a/pods/b' },
  ],
  [
    'delete with options',
    {
      verb: 'delete',
      user,
      resource: pods,
      namespace: 'a',
      name: 'b',
      options: { gracePeriodSeconds: 0, preconditions: { uid: 'u' } },
    },
    {
      method: 'DELETE',
      target: '/api/v1/namespaces/a/pods/b',
      contentType: json,
      body: '{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"preconditions":{"uid":"u"}}',
    },
  ],
])('%s', (_, operation, expected) => expect(encodeRequest(operation)).toEqual(expected));

test('a watch says so and rounds its time up', () => {
  const options = { allowWatchBookmarks: true, resourceVersion: '5', timeoutMs: 1_001 };
  expect(encodeWatch({ user, resource: pods, options })).toEqual({
    method: 'GET',
    target: '/api/v1/pods?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=2',
  });
});

test('no name escapes its segment', () => {
  const named = (name: string): Operation => ({
    verb: 'delete',
    user,
    resource: pods,
    namespace: 'n',
    name,
    options: {},
  });
  expect(encodeRequest(named('a/b?c#d')).target).toBe('/api/v1/namespaces/n/pods/a%2Fb%3Fc%23d');
  for (const name of ['..', '.', '']) expect(() => encodeRequest(named(name))).toThrow(/is no name of anything/);
});
