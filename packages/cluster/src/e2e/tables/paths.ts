import type { AskOptions } from '../served-cluster.ts';
import { map, maps, post, put, type Row } from './requests.ts';

export const pathRows: readonly Row[] = [
  ['unknown path', '/nothing/here', {}, 404, 'NotFound', 'could not find the requested resource'],
  ['unknown group', '/apis/nope.example/v1/things', {}, 404, 'NotFound', 'could not find the requested resource'],
  ['unknown resource', '/api/v1/namespaces/default/things', {}, 404, 'NotFound', 'could not find'],
  ['missing object', `${maps}/none`, {}, 404, 'NotFound', 'configmaps "none" not found'],
  ['POST on an object', `${maps}/kept`, post({}), 405, 'MethodNotAllowed', ''],
  ['POST on all namespaces', '/api/v1/configmaps', post({ metadata: { name: 'bad' } }), 405, 'MethodNotAllowed', ''],
  ['DELETE in all namespaces', '/api/v1/configmaps', { method: 'DELETE' }, 405, 'MethodNotAllowed', ''],
  ['PUT on a collection', maps, put({}), 405, 'MethodNotAllowed', ''],
  ['dot segments', '/api/v1/namespaces/%2e%2e/configmaps', {}, 400, 'BadRequest', ''],
  ['an empty body', maps, post(''), 400, 'BadRequest', ''],
  ['a text', maps, { ...post('x'), headers: { 'content-type': 'text/plain' } }, 415, 'UnsupportedMediaType', ''],
  ['HTML wanted', maps, { headers: { accept: 'text/html' } }, 406, 'NotAcceptable', ''],
  ['a table of a strange version', maps, tableOf('v7'), 406, 'NotAcceptable', ''],
  [
    'a large body',
    maps,
    post(`{"metadata":{"name":"${'x'.repeat(3_200_000)}"}}`),
    413,
    'RequestEntityTooLarge',
    'limit is 3145728',
  ],
  ['a cluster-scoped kind in a namespace', '/api/v1/namespaces/default/nodes', {}, 404, 'NotFound', ''],
  ['another kind through a longer name', '/apis/example.com/v1/widgetsx', {}, 404, 'NotFound', ''],
  [
    'a missing namespace',
    '/api/v1/namespaces/none/configmaps',
    map({ name: 'bad' }),
    404,
    'NotFound',
    'namespaces "none" not found',
  ],
];

function tableOf(version: string): AskOptions {
  return { headers: { accept: `application/json;as=Table;v=${version};g=meta.k8s.io` } };
}
