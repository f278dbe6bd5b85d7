import { expect, test } from 'vitest';
import { negotiate, negotiateDiscovery, negotiateOpenapi2, parseAccept } from './accept.ts';

const kubectlGet =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';

test.each<[string | undefined, string]>([
  [undefined, 'json object v1'],
  ['', 'json object v1'],
  ['*/*', 'json object v1'],
  ['application/*', 'json object v1'],
  ['application/json', 'json object v1'],
  ['application/json, */*', 'json object v1'],
  ['application/json;charset=utf-8', 'json object v1'],
  ['APPLICATION/JSON', 'json object v1'],
  ['application/yaml', 'yaml object v1'],
  ['application/yaml;q=0.5, application/json', 'json object v1'],
  ['application/json;q=0.1, application/yaml;q=0.9', 'yaml object v1'],
  ['application/json;stream=watch', 'json object v1'],
  ['application/vnd.kubernetes.protobuf,application/json', 'json object v1'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'json object v1'],
  [kubectlGet, 'json table v1'],
  ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', 'json table v1beta1'],
  ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', 'json object v1'],
  ['application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'json partial v1'],
  ['application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json', 'json partial v1'],
  [
    'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    'json partial v1',
  ],
])('%s gets %s', (header, expected) => {
  const { encoding, as, version } = negotiate(parseAccept(header));
  expect(`${encoding} ${as} ${version}`).toBe(expected);
});

test.each([
  'text/html',
  'application/vnd.kubernetes.protobuf',
  'application/json;q=0',
  'application/json;as=Table;v=v2;g=meta.k8s.io',
  'application/json;as=Table;v=v1;g=elsewhere',
  'application/json;as=Chair;v=v1;g=meta.k8s.io',
])('%s gets a 406', (header) => {
  expect(() => negotiate(parseAccept(header))).toThrow(
    /only the following media types are accepted: application\/json/,
  );
});

test('takes the next choice when there are no tables', () => {
  expect(negotiate(parseAccept(kubectlGet), { tables: false })).toMatchObject({ as: 'object' });
  const only = parseAccept('application/json;as=Table;v=v1;g=meta.k8s.io');
  expect(() => negotiate(only, { tables: false })).toThrow(/accepted/);
});

test.each([
  ['application/json', 'legacy'],
  ['application/json, */*', 'legacy'],
  [
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
    'v2',
  ],
  ['application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json', 'v2beta1'],
  ['application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json', 'legacy'],
])('discovery for %s is %s', (header, expected) => expect(negotiateDiscovery(parseAccept(header))).toBe(expected));

test.each([
  ['application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'protobuf'],
  ['application/com.github.proto-openapi.spec.v2.v1.0+protobuf', 'protobuf'],
  ['application/json, */*', 'json'],
  [undefined, 'json'],
])('OpenAPI for %s is %s', (header, expected) => expect(negotiateOpenapi2(parseAccept(header))).toBe(expected));

test('refuses OpenAPI in forms that nobody knows', () => {
  expect(() => negotiateOpenapi2(parseAccept('application/xml'))).toThrow(/accepted/);
});
