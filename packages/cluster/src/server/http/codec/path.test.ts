import { expect, test } from 'vitest';
import { StatusError } from '../../../api/status.ts';
import { type Path, parsePath as parseSegments } from './path.ts';
import { parseTarget } from './target.ts';

const parsePath = (path: string): Path => parseSegments(parseTarget(path).segments);

const pods = { group: '', version: 'v1', resource: 'pods' };
const daemonsets = { group: 'apps', version: 'v1', resource: 'daemonsets' };
const namespaces = { group: '', version: 'v1', resource: 'namespaces' };

test.each<[string, Path]>([
  ['/version', { is: 'version' }],
  ['/openapi/v2', { is: 'openapi2' }],
  ['/openapi/v3', { is: 'openapi3', path: undefined }],
  ['/openapi/v3/apis/apps/v1', { is: 'openapi3', path: 'apis/apps/v1' }],
  ['/api', { is: 'discovery', root: 'api' }],
  ['/api/v1', { is: 'discovery', root: 'api', version: 'v1' }],
  ['/apis', { is: 'discovery', root: 'apis' }],
  ['/apis/apps', { is: 'discovery', root: 'apis', group: 'apps' }],
  ['/apis/apps/v1/', { is: 'discovery', root: 'apis', group: 'apps', version: 'v1' }],
  ['/api/v1/pods', { is: 'resource', resource: pods }],
  ['/api/v1/namespaces/a/pods', { is: 'resource', resource: pods, namespace: 'a' }],
  ['/api/v1/namespaces/a/pods/b', { is: 'resource', resource: pods, namespace: 'a', name: 'b' }],
  [
    '/api/v1/namespaces/a/pods/b/log',
    { is: 'resource', resource: pods, namespace: 'a', name: 'b', subresource: 'log' },
  ],
  ['/', { is: 'root' }],
  ['/api/v1/namespaces', { is: 'resource', resource: namespaces }],
  ['/api/v1/namespaces/a', { is: 'resource', resource: namespaces, name: 'a' }],
  ['/api/v1/namespaces/a/status', { is: 'resource', resource: namespaces, name: 'a', subresource: 'status' }],
  ['/api/v1/namespaces/a/finalize', { is: 'resource', resource: namespaces, name: 'a', subresource: 'finalize' }],
  [
    '/apis/example.com/v1/namespaces/a/status',
    { is: 'resource', resource: { ...namespaces, group: 'example.com' }, name: 'a', subresource: 'status' },
  ],
  ['/apis/apps/v1/namespaces/a/daemonsets/b', { is: 'resource', resource: daemonsets, namespace: 'a', name: 'b' }],
  [
    '/apis/apps/v1/namespaces/a/daemonsets/system%3Ab',
    { is: 'resource', resource: daemonsets, namespace: 'a', name: 'system:b' },
  ],
])('%s', (path, expected) => expect(parsePath(path)).toEqual(expected));

test.each([
  ['/metrics', 404],
  ['/swaggerapi', 404],
  ['/version/x', 404],
  ['/openapi', 404],
  ['/openapi/v1', 404],
  ['//api/v1/pods', 404],
  ['/api//v1', 404],
  ['/api/v1/namespaces/../pods', 400],
  ['/api/v1/namespaces/%2e%2e/pods', 400],
  ['/api/v1/namespaces/./pods', 400],
  ['/api/v1/namespaces/a%2fb/pods', 400],
  ['/api/v1/namespaces/a%5cb/pods', 400],
  ['/api/v1/namespaces/a%00/pods', 400],
  ['/api/v1/namespaces/a%0d%0a/pods', 400],
  ['/api/v1/namespaces/%ff/pods', 400],
  ['/api/v1/namespaces/%zz/pods', 400],
  ['http://elsewhere/api/v1/pods', 400],
  ['api/v1/pods', 400],
  ['*', 400],
])('refuses %s with %i', (path, code) => {
  expect(refusal(() => parsePath(path)).code).toBe(code);
});

test('decodes once: a doubly encoded slash stays a percent sign in the name', () => {
  expect(parsePath('/api/v1/namespaces/a/pods/b%252fc')).toMatchObject({ name: 'b%2fc' });
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
