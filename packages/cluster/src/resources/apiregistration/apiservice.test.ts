import { describe, expect, test } from 'vitest';
import { created, createIssues, row } from '../../testing/resources/judge.ts';
import { apiserviceDefinition as definition } from './apiservice.ts';
import { builtinPriority } from './priorities.ts';

const metadata = { name: 'v1.a.example.com' };
const local = { group: 'a.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 100 };
const remote = { ...local, service: { namespace: 'adapters', name: 'adapter' } };

test('a service listens on 443 unless something else is said', () => {
  expect(created(definition, { metadata, spec: remote }).spec.service).toEqual({ ...remote.service, port: 443 });
  const other = { ...remote, service: { ...remote.service, port: 6443 } };
  expect(created(definition, { metadata, spec: other }).spec.service?.port).toBe(6443);
});

test('nulls are fields that nobody gave', () => {
  const spec = { ...local, service: null, caBundle: null };
  expect(created(definition, { metadata, spec }).spec).toEqual(local);
  const { service } = created(definition, {
    metadata,
    spec: { ...remote, service: { ...remote.service, port: null } },
  }).spec;
  expect(service).toEqual({ ...remote.service, port: 443 });
});

test('a name cannot be chosen by the server', () => {
  expect(createIssues(definition, { metadata: { generateName: 'a-' }, spec: local } as never)).toContain(
    'metadata.generateName: Invalid value: "a-": must be `spec.version+"."+spec.group`: "v1.a.example.com"',
  );
});

describe('validation', () => {
  test.each<[object, readonly string[]]>([
    [local, []],
    [remote, []],
    [{ ...remote, insecureSkipTLSVerify: true }, []],
    [
      { ...local, version: 'v2' },
      ['metadata.name: Invalid value: "v1.a.example.com": must be `spec.version+"."+spec.group`: "v2.a.example.com"'],
    ],
    [
      { ...local, groupPriorityMinimum: 20_001, versionPriority: 0 },
      [
        'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
        'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
      ],
    ],
    [
      { ...local, caBundle: 'YWJj', insecureSkipTLSVerify: true },
      [
        'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
        'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
      ],
    ],
    [
      { ...remote, service: {}, caBundle: 'YWJj', insecureSkipTLSVerify: true },
      [
        'spec.service.namespace: Required value',
        'spec.service.name: Required value',
        'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
      ],
    ],
  ])('%j', (spec, expected) => expect(createIssues(definition, { metadata, spec })).toEqual(expected));
});

describe('columns', () => {
  const shown = (spec: object, condition?: object): unknown =>
    row(definition, { metadata, spec, status: condition === undefined ? {} : { conditions: [condition] } });
  test('who answers, and whether they do', () => {
    expect(shown(local, { type: 'Available', status: 'True', reason: 'Local' })).toEqual({
      ...{ Service: 'Local', Available: 'True' },
    });
    expect(shown(remote, { type: 'Available', status: 'False', reason: 'MissingEndpoints' })).toEqual({
      ...{ Service: 'adapters/adapter', Available: 'False (MissingEndpoints)' },
    });
    expect(shown(remote)).toMatchObject({ Available: 'Unknown' });
  });
});

test('built-in groups have their places', () => {
  expect(builtinPriority({ group: '', version: 'v1' })).toEqual({ group: 18_000, version: 1 });
  expect(builtinPriority({ group: 'autoscaling', version: 'v2' })).toEqual({ group: 17_500, version: 30 });
  expect(builtinPriority({ group: 'apps', version: 'v1' })).toEqual({ group: 17_800, version: 15 });
  expect(builtinPriority({ group: 'example.com', version: 'v1' })).toBeUndefined();
});
