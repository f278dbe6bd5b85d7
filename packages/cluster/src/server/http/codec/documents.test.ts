import { expect, test } from 'vitest';
import { createFakeApi } from '../../../testing/server/fake-api.ts';
import type { DocumentRequest } from '../../context/served-api.ts';
import { healthAnswer } from '../health.ts';
import { encodeOpenapi2 } from '../protobuf/openapi.ts';
import { parseAccept } from './accept.ts';
import type { Answer } from './answer.ts';
import { createDocuments } from './documents.ts';

const documents = createDocuments(createFakeApi());
const ask = (document: DocumentRequest, accept?: string, knows?: string): Answer =>
  documents.answer(document, { accept: parseAccept(accept), knows });
const textOf = ({ body }: Answer): string => (body.is === 'bytes' ? body.bytes.toString('utf8') : '');

test('a document as JSON and as YAML', () => {
  expect(JSON.parse(textOf(ask({ what: 'version' })))).toMatchObject({ gitVersion: 'v1.34.0' });
  expect(textOf(ask({ what: 'version' }, 'application/yaml'))).toContain('gitVersion: v1.34.0\n');
  expect(() => ask({ what: 'version' }, 'text/html')).toThrow(/accepted/);
});

test('a document that the client knows already is not sent again', () => {
  const first = ask({ what: 'openapi2' });
  const again = ask({ what: 'openapi2' }, undefined, String(first.headers['etag']));
  expect([again.code, textOf(again)]).toEqual([304, '']);
  expect(again.headers['etag']).toBe(first.headers['etag']);
  expect(ask({ what: 'openapi2' }, undefined, '"other"').code).toBe(200);
});

test('what does not exist is a 404', () => {
  expect(() => ask({ what: 'group', group: 'nope' })).toThrow('the server could not find the requested resource');
});

test('aggregated discovery says in its type what it is', () => {
  const answer = ask({ what: 'aggregated', root: 'api', version: 'v2' });
  expect(answer.headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
});

test('OpenAPI v2 in protobuf has a type that Go can read', () => {
  const answer = ask({ what: 'openapi2' }, 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf');
  expect(answer.headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
  expect(textOf(answer)).toContain('io.k8s.api.core.v1.ConfigMap');
});

test('the protobuf form, byte for byte', () => {
  const document = {
    swagger: '2.0',
    info: { title: 'T', version: 'v' },
    paths: {},
    definitions: { D: { type: 'object', properties: { n: { type: 'integer', format: 'int32' } }, required: ['n'] } },
  };
  const encoded = encodeOpenapi2(document).toString('hex');
  expect(encoded.startsWith(`0a03${Buffer.from('2.0').toString('hex')}12060a01541201764200`)).toBe(true);
  // The property n: name, then a schema of format int32 and type integer.
  expect(encoded).toContain(`0a016e12131205696e743332b201090a07${Buffer.from('integer').toString('hex')}`);
});

test('vendor extensions are YAML', () => {
  const encoded = encodeOpenapi2({ definitions: { D: { 'x-kubernetes-list-map-keys': ['name'] } } });
  expect(encoded.toString()).toContain('x-kubernetes-list-map-keys');
  expect(encoded.toString()).toContain('["name"]\n');
});

const checks = [{ name: 'ping' }, { name: 'etcd', failure: 'the disk is full' }];
const health = { probe: 'readyz', check: undefined, verbose: false, exclude: [] } as const;

test.each([
  ['all is well', health, [{ name: 'ping' }], 200, 'ok'],
  ['verbose', { ...health, verbose: true }, [{ name: 'ping' }], 200, '[+]ping ok\nreadyz check passed\n'],
  ['a check fails', health, checks, 500, '[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n'],
  ['the failing one is excluded', { ...health, exclude: ['etcd'] }, checks, 200, 'ok'],
  ['one that is well', { ...health, check: 'ping' }, checks, 200, 'ok'],
  [
    'one that fails',
    { ...health, check: 'etcd' },
    checks,
    500,
    'internal server error: etcd check failed: reason withheld',
  ],
])('health when %s', (_, request, given, code, expected) => {
  const answer = healthAnswer(request, given);
  expect([answer.code, textOf(answer)]).toEqual([code, expected]);
});

test('whoever is known learns why', () => {
  const known = { isKnown: true };
  expect(textOf(healthAnswer(health, checks, known))).toContain('[-]etcd failed: the disk is full\n');
  expect(textOf(healthAnswer({ ...health, check: 'etcd' }, checks, known))).toMatch(/check failed: the disk is full$/);
});

test('what cannot be excluded is told', () => {
  const answer = healthAnswer({ ...health, verbose: true, exclude: ['ping', 'nope'] }, [{ name: 'ping' }]);
  expect(textOf(answer)).toBe(
    '[+]ping excluded: ok\nwarn: some health checks cannot be excluded: no matches for "nope"\nreadyz check passed\n',
  );
});

test('a check that does not exist is a 404, and reasons stay inside', () => {
  expect(healthAnswer({ ...health, check: 'nope' }, checks).code).toBe(404);
  expect(textOf(healthAnswer({ ...health, verbose: true }, checks))).not.toContain('disk');
});
