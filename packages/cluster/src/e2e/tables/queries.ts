import type { AskOptions } from '../served-cluster.ts';
import { map, maps, type Row } from './requests.ts';

const list = (query: string, path = maps): readonly [string, AskOptions] => [`${path}?${query}`, {}];

export const queryRows: readonly Row[] = [
  ['limit', ...list('limit=abc'), 400, 'BadRequest', ''],
  ['timeoutSeconds', ...list('watch=1&timeoutSeconds=soon'), 400, 'BadRequest', ''],
  ['timeout=maybe', ...list('timeout=maybe'), 400, 'BadRequest', 'invalid timeout specified in the request URL'],
  ['a version that is no number, list', ...list('resourceVersion=abc'), 400, 'BadRequest', 'nvalid resource version'],
  ['a version that is no number, watch', ...list('watch=1&resourceVersion=abc'), 422, 'Invalid', 'resourceVersion'],
  ['a version beyond 64 bits', ...list('resourceVersion=18446744073709551616'), 400, 'BadRequest', ''],
  ['a broken continue', ...list('continue=%25%25%25'), 400, 'BadRequest', 'continue key is not valid'],
  [
    'continue out of the folder',
    ...list(`continue=${token({ v: 'meta.k8s.io/v1', rv: 2, start: '../../secrets' })}`),
    400,
    'BadRequest',
    'continue key is not valid',
  ],
  [
    'continue at 0',
    ...list(`continue=${token({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' })}`),
    400,
    'BadRequest',
    'continue key is not valid',
  ],
  ['a match without a version', ...list('resourceVersionMatch=Exact'), 422, 'Invalid', 'resourceVersionMatch'],
  ['exactly 0', ...list('resourceVersionMatch=Exact&resourceVersion=0'), 422, 'Invalid', 'resourceVersionMatch'],
  ['initial events of a list', ...list('sendInitialEvents=true'), 422, 'Invalid', 'sendInitialEvents'],
  ['initial events without a match', ...list('watch=1&sendInitialEvents=true'), 422, 'Invalid', 'resourceVersionMatch'],
  ['dryRun', `${maps}?dryRun=Some`, map({ name: 'bad' }), 422, 'Invalid', 'dryRun'],
  ['fieldValidation', `${maps}?fieldValidation=Nope`, map({ name: 'bad' }), 422, 'Invalid', 'fieldValidation'],
  [
    'a long fieldManager',
    `${maps}?fieldManager=${'m'.repeat(129)}`,
    map({ name: 'bad' }),
    422,
    'Invalid',
    'fieldManager',
  ],
  ['an unprintable fieldManager', `${maps}?fieldManager=a%07b`, map({ name: 'bad' }), 422, 'Invalid', 'fieldManager'],
  [
    'two kinds of propagation',
    `${maps}/kept?propagationPolicy=Orphan&orphanDependents=true`,
    { method: 'DELETE' },
    422,
    'Invalid',
    'propagationPolicy',
  ],
  [
    'an unknown propagation',
    `${maps}/kept?propagationPolicy=Sideways`,
    { method: 'DELETE' },
    422,
    'Invalid',
    'propagationPolicy',
  ],
  ['a set without an end', ...list('labelSelector=a%20in%20('), 400, 'BadRequest', ''],
  ['a double comma', ...list('labelSelector=a%3Db,,c'), 400, 'BadRequest', ''],
  ['a lone !', ...list('labelSelector=!'), 400, 'BadRequest', ''],
  ['greater than a word', ...list('labelSelector=a%3Ex'), 400, 'BadRequest', ''],
  [
    'an unknown field',
    ...list('fieldSelector=data.a%3D1'),
    400,
    'BadRequest',
    '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
];

function token(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}
