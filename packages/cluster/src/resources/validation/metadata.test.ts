import { describe, expect, test } from 'vitest';
import { type Issue, root } from '../../api/issue.ts';
import type { ObjectMeta } from '../../api/meta.ts';
import { carryMetadata, validateMetadata, validateMetadataUpdate } from './metadata.ts';
import { pathSegmentName } from './names.ts';

const at = root('metadata');
const lines = (issues: Iterable<Issue>): string[] => [...issues].map(({ field, message }) => `${field}: ${message}`);
const created = (metadata: ObjectMeta, namespaced = true): string[] =>
  lines(validateMetadata(metadata, at, { namespaced }));
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u1' };
const stored: ObjectMeta = {
  name: 'web',
  namespace: 'default',
  uid: 'u0',
  resourceVersion: '5',
  generation: 3,
  creationTimestamp: '2026-01-01T00:00:00Z',
};

describe('on create', () => {
  test.each<[string, ObjectMeta, readonly string[]]>([
    ['a plain object', { name: 'web', namespace: 'default' }, []],
    ['no name', { namespace: 'default' }, ['metadata.name: Required value: name or generateName is required']],
    ['no namespace', { name: 'web' }, ['metadata.namespace: Required value']],
    [
      'an owner without uid',
      { name: 'web', namespace: 'default', ownerReferences: [{ ...owner, uid: '' }] },
      ['metadata.ownerReferences.uid: Invalid value: "": must not be empty'],
    ],
    [
      'an owner without version',
      { name: 'web', namespace: 'default', ownerReferences: [{ ...owner, apiVersion: '' }] },
      ['metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty'],
    ],
    [
      'a negative generation',
      { name: 'web', namespace: 'default', generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
  ])('%s', (_, metadata, expected) => expect(created(metadata)).toEqual(expected));

  test('a generated name may end its prefix in a dash', () => {
    expect(created({ name: 'web-x7f', generateName: 'web-', namespace: 'default' })).toEqual([]);
    const [issue] = created({ name: 'web-x7f', generateName: 'Web-', namespace: 'default' });
    expect(issue).toContain('metadata.generateName: Invalid value: "Web-": a lowercase RFC 1123 subdomain');
  });

  test('a cluster-scoped object has no namespace', () => {
    expect(created({ name: 'node-1', namespace: 'default' }, false)).toEqual([
      'metadata.namespace: Forbidden: not allowed on this type',
    ]);
    expect(created({ name: 'node-1' }, false)).toEqual([]);
  });

  test('a namespace is a label', () => {
    expect(created({ name: 'web', namespace: 'a.b' })[0]).toContain(
      'metadata.namespace: Invalid value: "a.b": must not contain dots',
    );
  });

  test('the kind may have its own rule for names', () => {
    const rules = { namespaced: false, validateName: pathSegmentName };
    expect(lines(validateMetadata({ name: 'system:node' }, at, rules))).toEqual([]);
    expect(lines(validateMetadata({ name: 'a/b' }, at, rules))).toEqual([
      'metadata.name: Invalid value: "a/b": may not contain \'/\'',
    ]);
  });

  test('two controllers are one too many', () => {
    const ownerReferences = [
      { ...owner, controller: true },
      { ...owner, kind: 'Job', name: 'run', controller: true },
    ];
    expect(created({ name: 'web', namespace: 'default', ownerReferences })[0]).toMatch(
      /^metadata\.ownerReferences: Invalid value: .*: Only one reference can have Controller set to true\. Found "true" in references for ReplicaSet\/web and Job\/run$/,
    );
  });

  test('custom resources may use finalizers without prefix, built-in kinds may not', () => {
    const metadata = { name: 'web', namespace: 'default', finalizers: ['mine'] };
    expect(created(metadata)).toHaveLength(1);
    expect(lines(validateMetadata(metadata, at, { namespaced: true, builtin: false }))).toEqual([]);
  });
});

describe('on update', () => {
  test.each([
    ['name', 'other'],
    ['namespace', 'other'],
    ['uid', 'u9'],
    ['creationTimestamp', '2020-01-01T00:00:00Z'],
    ['deletionTimestamp', '2020-01-01T00:00:00Z'],
  ])('%s is immutable', (field, value) => {
    expect(lines(validateMetadataUpdate({ ...stored, [field]: value }, stored, at))).toEqual([
      `metadata.${field}: Invalid value: "${value}": field is immutable`,
    ]);
  });

  test('finalizers may go but not come while the object is being deleted', () => {
    const dying = { ...stored, deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['a/b', 'c/d'] };
    expect(lines(validateMetadataUpdate({ ...dying, finalizers: ['a/b'] }, dying, at))).toEqual([]);
    expect(lines(validateMetadataUpdate({ ...dying, finalizers: ['z/z', 'a/b', 'e/f'] }, dying, at))).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"e/f", "z/z"}',
    ]);
  });

  test('labels are checked again', () => {
    expect(lines(validateMetadataUpdate({ ...stored, labels: { 'a/b/c': '' } }, stored, at))).toHaveLength(1);
  });

  test('the generation never goes back', () => {
    expect(lines(validateMetadataUpdate({ ...stored, generation: 2 }, stored, at))).toEqual([
      'metadata.generation: Invalid value: 2: must not be decremented',
    ]);
  });

  test('what a client leaves out stays as it was, what it changes is told', () => {
    const sent = { name: 'web', namespace: 'default', labels: { a: 'b' }, selfLink: '/x' };
    const next = carryMetadata(sent, stored);
    expect(next).toEqual({
      name: 'web',
      namespace: 'default',
      labels: { a: 'b' },
      uid: 'u0',
      generation: 3,
      creationTimestamp: '2026-01-01T00:00:00Z',
    });
    expect(lines(validateMetadataUpdate(next, stored, at))).toEqual([]);
    const changed = carryMetadata({ ...sent, uid: 'other' }, stored);
    expect(lines(validateMetadataUpdate(changed, stored, at))).toHaveLength(1);
  });

  test('a client cannot clear the deletion timestamp', () => {
    const dying = { ...stored, deletionTimestamp: '2026-01-02T00:00:00Z', deletionGracePeriodSeconds: 30 };
    expect(carryMetadata(stored, dying)).toMatchObject({
      deletionTimestamp: '2026-01-02T00:00:00Z',
      deletionGracePeriodSeconds: 30,
    });
  });
});
