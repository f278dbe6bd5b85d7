import { describe, expect, test } from 'vitest';
import { created, createIssues, row, updateIssues } from '../../testing/resources/judge.ts';
import { configmapDefinition } from './configmap.ts';
import { secretDefinition } from './secret.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('secret', () => {
  test('plain text is folded into the data and wins', () => {
    const secret = created(secretDefinition, {
      data: { a: base64('old'), b: base64('b') },
      stringData: { a: 'new', c: 'ü' },
    });
    expect(secret).not.toHaveProperty('stringData');
    expect(secret.data).toEqual({ a: base64('new'), b: base64('b'), c: base64('ü') });
    expect(secret.type).toBe('Opaque');
  });

  test('defaults change nothing the second time', () => {
    const secret = created(secretDefinition, { stringData: { a: 'x' } });
    expect(secretDefinition.defaults?.(secret)).toBe(secret);
  });

  test.each([
    ['kubernetes.io/tls', {}, ['data[tls.crt]: Required value', 'data[tls.key]: Required value']],
    ['kubernetes.io/tls', { 'tls.crt': '', 'tls.key': '' }, []],
    ['kubernetes.io/ssh-auth', {}, ['data[ssh-privatekey]: Required value']],
    ['kubernetes.io/basic-auth', {}, ['data[username]: Required value', 'data[password]: Required value']],
    ['kubernetes.io/basic-auth', { username: '' }, []],
    ['kubernetes.io/dockercfg', {}, ['data[.dockercfg]: Required value']],
    ['kubernetes.io/dockerconfigjson', { '.dockerconfigjson': base64('{}') }, []],
    ['Opaque', { '..': '' }, ['data[..]: Invalid value: "..": must not be \'..\'']],
    [
      'kubernetes.io/service-account-token',
      {},
      ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    ],
  ])('type %s with %j', (type, data, expected) => {
    expect(createIssues(secretDefinition, { type, data })).toEqual(expected);
  });

  test('no issue shows a value', () => {
    const data = { '.dockerconfigjson': base64('canary') };
    const issues = createIssues(secretDefinition, { type: 'kubernetes.io/dockerconfigjson', data });
    expect(issues).toHaveLength(1);
    expect(issues.join()).not.toMatch(new RegExp(`canary|${base64('canary')}`));
    const sealed = { immutable: true, data: { a: base64('canary') } };
    const changed = updateIssues(secretDefinition, {
      before: sealed,
      after: { ...sealed, data: { a: base64('bird') } },
    });
    expect(changed).toEqual(['data: Forbidden: field is immutable when `immutable` is set']);
  });

  test('one mebibyte is the most', () => {
    const fill = Buffer.alloc(1024 * 1024).toString('base64');
    expect(createIssues(secretDefinition, { data: { a: fill } })).toEqual([]);
    expect(createIssues(secretDefinition, { data: { a: fill, b: base64('x') } })).toEqual([
      'data: Too long: may not be more than 1048576 bytes',
    ]);
  });

  test('the type stays', () => {
    const data = { 'tls.crt': '', 'tls.key': '' };
    expect(updateIssues(secretDefinition, { before: { type: 'kubernetes.io/tls', data }, after: { data } })).toEqual([
      'type: Invalid value: "Opaque": field is immutable',
    ]);
  });

  test('columns', () => {
    expect(row(secretDefinition, { type: 'Opaque', data: { a: '', b: '' } })).toEqual({ Type: 'Opaque', Data: 2 });
  });
});

describe('configmap', () => {
  test('text and bytes are counted together', () => {
    expect(row(configmapDefinition, { data: { a: '', b: '' }, binaryData: { c: '' } })).toEqual({ Data: 3 });
    expect(row(configmapDefinition, {})).toEqual({ Data: 0 });
  });

  test.each([
    [{ data: { 'a/b': '' } }, 1],
    [{ data: { '': '' } }, 1],
    [{ data: { ['k'.repeat(254)]: '' } }, 1],
    [{ data: { a: '' }, binaryData: { a: '' } }, 1],
    [{ data: { 'prometheus.yml': '', _x: '' } }, 0],
  ])('%j has %d issues', (body, count) => expect(createIssues(configmapDefinition, body)).toHaveLength(count));

  test('one mebibyte is the most, and the whole object is at fault', () => {
    expect(createIssues(configmapDefinition, { data: { a: 'x'.repeat(1024 * 1024 + 1) } })).toEqual([
      '[]: Too long: may not be more than 1048576 bytes',
    ]);
  });

  test('a sealed one can neither change nor be unsealed', () => {
    const sealed = { immutable: true, data: { a: '1' } };
    const issues = (after: object): readonly string[] =>
      updateIssues(configmapDefinition, { before: sealed, after: { ...after } });
    expect(issues({ ...sealed, metadata: { labels: { a: 'b' } } })).toEqual([]);
    expect(issues({ data: { a: '2' } })).toEqual([
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
    ]);
    expect(issues({ ...sealed, binaryData: { b: '' } })).toEqual([
      'binaryData: Forbidden: field is immutable when `immutable` is set',
    ]);
  });
});
