import type { AskOptions } from '../served-cluster.ts';
import { deployments, map, maps, post, put, type Row, selector, template } from './requests.ts';

const yaml = (text: string): AskOptions => ({ ...post(text), headers: { 'content-type': 'application/yaml' } });
const raw = (rest: string): AskOptions => post(`{"metadata":{"name":"bad"}${rest}`);

export const bodyRows: readonly Row[] = [
  ['cut off', maps, post('{"metadata":'), 400, 'BadRequest', ''],
  ['a million brackets', maps, post('['.repeat(1_000_000)), 400, 'BadRequest', ''],
  [
    'a key twice',
    `${maps}?fieldValidation=Strict`,
    raw(',"data":{"a":"1","a":"2"}}'),
    400,
    'BadRequest',
    'duplicate field "data.a"',
  ],
  [
    'an unknown field',
    `${maps}?fieldValidation=Strict`,
    raw(',"daata":{}}'),
    400,
    'BadRequest',
    'strict decoding error: unknown field "daata"',
  ],
  [
    'an unknown field, deep',
    `${deployments}?fieldValidation=Strict`,
    post({ metadata: { name: 'bad' }, spec: { selector, template: { ...template, specs: {} } } }),
    400,
    'BadRequest',
    'unknown field "spec.template.specs"',
  ],
  ['too large a number', maps, raw(',"data":{"a":1e400}}'), 400, 'BadRequest', ''],
  ['a wrong type', maps, raw(',"data":[]}'), 400, 'BadRequest', ''],
  [
    'a wrong type, deep',
    deployments,
    post({ metadata: { name: 'bad' }, spec: { replicas: 'two', selector, template } }),
    400,
    'BadRequest',
    'spec.replicas',
  ],
  [
    'no UTF-8',
    maps,
    post(Buffer.from([...Buffer.from('{"metadata":{"name":"'), 0xff, ...Buffer.from('"}}')])),
    400,
    'BadRequest',
    '',
  ],
  ['a byte order mark', maps, post(`\uFEFF{"metadata":{"name":"bad"}}`), 400, 'BadRequest', ''],
  ['something behind the end', maps, raw('} x'), 400, 'BadRequest', ''],
  [
    'another kind',
    maps,
    raw(',"kind":"Secret","apiVersion":"v1"}'),
    400,
    'BadRequest',
    'Secret in version "v1" cannot be handled as a ConfigMap',
  ],
  [
    'another version',
    maps,
    raw(',"kind":"ConfigMap","apiVersion":"v9"}'),
    400,
    'BadRequest',
    'does not match the expected API version',
  ],
  [
    'another name',
    `${maps}/kept`,
    put({ metadata: { name: 'other' } }),
    400,
    'BadRequest',
    'does not match the name on the URL',
  ],
  [
    'another namespace',
    maps,
    map({ name: 'bad', namespace: 'kube-system' }),
    400,
    'BadRequest',
    'does not match the namespace sent on the request',
  ],
  ['no metadata', maps, post('{"metadata":null}'), 422, 'Invalid', 'name or generateName is required'],
  ['a prototype', `${maps}?fieldValidation=Strict`, raw(',"__proto__":{"x":1}}'), 400, 'BadRequest', '__proto__'],
  ['laughs, a billion', maps, yaml(bomb()), 400, 'BadRequest', ''],
  ['brackets, as YAML', maps, yaml('['.repeat(200_000)), 413, 'RequestEntityTooLarge', ''],
  [
    'a key twice, as YAML',
    `${maps}?fieldValidation=Strict`,
    yaml('metadata: {name: bad}\ndata: {}\ndata: {}\n'),
    400,
    'BadRequest',
    'line 3: key "data" already set in map',
  ],
  ['two documents', maps, yaml('metadata: {name: bad}\n---\nmetadata: {name: worse}\n'), 400, 'BadRequest', ''],
  ['a tag', maps, yaml('metadata: !!js/function bad\n'), 400, 'BadRequest', ''],
  ['a tab', maps, yaml('metadata:\n\tname: bad\n'), 400, 'BadRequest', ''],
];

/** Nine levels of nine references each. */
function bomb(): string {
  const levels = 'abcdefghi'.split('').map((name, index, all) => {
    const items = Array.from({ length: 9 }, () => (index === 0 ? 'lol' : `*${all[index - 1] ?? ''}`));
    return `${name}: &${name} [${items.join(',')}]`;
  });
  return `metadata: {name: bad}\n${levels.join('\n')}\n`;
}
