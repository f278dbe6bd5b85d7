import { map, maps, type Row } from './requests.ts';

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'kept', uid: 'u', controller: true };
const named = (name: string): Row => [
  `name ${name.slice(0, 20)}`,
  maps,
  map({ name }),
  422,
  'Invalid',
  'metadata.name',
];

export const metadataRows: readonly Row[] = [
  ...['Foo', 'a'.repeat(254), '-a', 'a-', 'a..b', '..', 'a/b', 'a%b', 'аpple'].map(named),
  ['no name', maps, map({}), 422, 'Invalid', 'name or generateName is required'],
  ['a long label value', maps, map({ name: 'bad', labels: { a: 'x'.repeat(64) } }), 422, 'Invalid', 'metadata.labels'],
  ['two slashes in a label', maps, map({ name: 'bad', labels: { 'a/b/c': 'x' } }), 422, 'Invalid', 'metadata.labels'],
  [
    'large annotations',
    maps,
    map({ name: 'bad', annotations: { a: 'x'.repeat(262_200) } }),
    422,
    'Invalid',
    'metadata.annotations',
  ],
  [
    'a finalizer without a domain',
    maps,
    map({ name: 'bad', finalizers: ['hold'] }),
    422,
    'Invalid',
    'metadata.finalizers',
  ],
  [
    'an owner without a uid',
    maps,
    map({ name: 'bad', ownerReferences: [{ ...owner, uid: '' }] }),
    422,
    'Invalid',
    'metadata.ownerReferences',
  ],
  [
    'two controllers',
    maps,
    map({ name: 'bad', ownerReferences: [owner, { ...owner, uid: 'v', name: 'w' }] }),
    422,
    'Invalid',
    'metadata.ownerReferences',
  ],
  ['a name that exists', maps, map({ name: 'kept' }), 409, 'AlreadyExists', 'configmaps "kept" already exists'],
  [
    'a version at creation',
    maps,
    map({ name: 'bad', resourceVersion: '5' }),
    400,
    'BadRequest',
    'resourceVersion should not be set on objects to be created',
  ],
];
