import type { AskOptions } from '../served-cluster.ts';
import { merge, post, type Row, secrets } from './requests.ts';

const secret = (data: object): AskOptions => post({ metadata: { name: 'bad' }, data });

export const secretRows: readonly Row[] = [
  ['no base64', secrets, secret({ a: '*' }), 400, 'BadRequest', ''],
  ...['..', '../x', '..data', 'a/b', 'k'.repeat(254)].map(
    (key): Row => [`key ${key.slice(0, 9)}`, secrets, secret({ [key]: 'MQ==' }), 422, 'Invalid', `data[${key}]`],
  ),
  ['more than a mebibyte', secrets, secret({ a: Buffer.alloc(1_048_577).toString('base64') }), 422, 'Invalid', 'data'],
  ['a change of what is fixed', `${secrets}/fixed`, merge({ data: { a: 'Mg==' } }), 422, 'Invalid', 'data'],
  ['another type', `${secrets}/fixed`, merge({ type: 'other' }), 422, 'Invalid', 'type'],
];
