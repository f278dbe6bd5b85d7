import { describe, expect, test } from 'vitest';
import { configmaps, deployments, replicasets } from '../../api/generated/kinds.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../api/meta.ts';
import type { Action } from '../../runtime/plan.ts';
import { makeMeta } from '../../testing/makers.ts';
import { type Dependent, type Observed, type Owned, plan, type Standing } from './plan.ts';

const deleted = '2026-01-01T00:00:00Z';

function object(name: string, meta: ObjectMeta = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: makeMeta({ namespace: 'default', uid: name, ...meta, name }),
  };
}

function reference(uid: string, more: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: 'apps/v1', kind: 'Deployment', name: uid, uid, ...more };
}

interface Parts extends Partial<Omit<Dependent, 'owners'>> {
  readonly owners: Readonly<Record<string, Standing>>;
  readonly meta?: ObjectMeta;
  readonly blocks?: boolean;
}

function dependent(name: string, { owners, meta, blocks, ...rest }: Parts): Dependent {
  const judged = Object.entries(owners).map(([uid, standing]) => ({
    reference: reference(uid, blocks === true ? { blockOwnerDeletion: true } : {}),
    standing,
  }));
  const ownerReferences = judged.map((each) => each.reference);
  return {
    type: configmaps,
    object: object(name, { ownerReferences, ...meta }),
    owners: judged,
    hasDependents: false,
    collectingDependents: [],
    isAlsoOwner: false,
    ...rest,
  };
}

function waiting(finalizer: string, more: readonly string[] = []): Owned {
  return {
    type: deployments,
    object: object('web', { deletionTimestamp: deleted, finalizers: [...more, finalizer] }),
  };
}

function line(action: Action): string {
  switch (action.do) {
    case 'delete':
      return `delete ${action.target.metadata.name} ${action.options?.propagationPolicy}`;
    case 'patch': {
      const { resourceVersion, ...metadata } = (action.body as { metadata: ObjectMeta }).metadata;
      expect(resourceVersion).toBe(action.target.metadata.resourceVersion);
      const { finalizers, ownerReferences } = metadata;
      const owners = ownerReferences?.map(({ uid, blockOwnerDeletion }) =>
        blockOwnerDeletion === false ? `${uid}?` : uid,
      );
      const what =
        'finalizers' in metadata ? `finalizers=${finalizers?.join() ?? ''}` : `owners=${owners?.join() ?? ''}`;
      return `patch ${action.target.metadata.name} ${what}`;
    }
    case 'emit':
      return `emit ${action.reason} ${action.regarding.metadata.name}`;
    case 'inOrder':
      return action.actions.map(line).join(' then ');
    default:
      return action.do;
  }
}

const lines = (observed: Partial<Observed>): readonly string[] =>
  plan({ uid: 'web', owner: undefined, dependents: [], ...observed }).map((stage) => stage.map(line).join(', '));

describe('an owner that may be gone', () => {
  test.each<[string, Dependent, string]>([
    ['its dependents go', dependent('a', { owners: { web: 'absent' } }), 'delete a Background'],
    ['nothing happens while it is there', dependent('a', { owners: { web: 'solid' } }), ''],
    ['nothing happens while nothing serves its kind', dependent('a', { owners: { web: 'unknown' } }), ''],
    [
      'one of several leaves only its reference behind, which is removed',
      dependent('a', { owners: { web: 'absent', other: 'solid' } }),
      'patch a owners=other',
    ],
    [
      'the last of several takes the dependent with it',
      dependent('a', { owners: { web: 'absent', other: 'absent' } }),
      'delete a Background',
    ],
    ['an unknown second owner may still be there', dependent('a', { owners: { web: 'absent', other: 'unknown' } }), ''],
    [
      'an owner in another namespace counts as absent and is pointed out',
      dependent('a', { owners: { web: 'elsewhere' } }),
      'emit OwnerRefInvalidNamespace a, delete a Background',
    ],
    [
      'an owner in another namespace beside a good one only loses its reference',
      dependent('a', { owners: { web: 'elsewhere', other: 'solid' } }),
      'emit OwnerRefInvalidNamespace a, patch a owners=other',
    ],
    [
      'a cluster-scoped object with a namespaced owner is never deleted',
      dependent('a', { owners: { web: 'misplaced', other: 'absent' } }),
      'emit OwnerRefInvalidNamespace a',
    ],
    [
      'what is being deleted already is left alone',
      dependent('a', { owners: { web: 'absent' }, meta: { deletionTimestamp: deleted } }),
      '',
    ],
    [
      'a dependent that asks to orphan its own dependents does so',
      dependent('a', { owners: { web: 'absent' }, meta: { finalizers: ['orphan'] } }),
      'delete a Orphan',
    ],
    [
      'a dependent that asks to go after its own dependents does so',
      dependent('a', { owners: { web: 'absent' }, meta: { finalizers: ['foregroundDeletion'] } }),
      'delete a Foreground',
    ],
  ])('%s', (_, each, expected) => expect(lines({ dependents: [each] })).toEqual([expected]));

  test('a deletion carries the version that was judged', () => {
    const [[first] = []] = plan({
      uid: 'web',
      owner: undefined,
      dependents: [dependent('a', { owners: { web: 'absent' }, meta: { resourceVersion: '77' } })],
    });
    expect(first).toMatchObject({ do: 'delete', options: { preconditions: { resourceVersion: '77' } } });
  });
});

describe('foreground', () => {
  const owner = waiting('foregroundDeletion', ['mine']);

  test('an owner without dependents is let go, its other finalizers stay', () => {
    expect(lines({ owner })).toEqual(['patch web finalizers=mine']);
  });

  test('dependents that block it go first; those that do not are left for later', () => {
    const dependents = [
      dependent('a', { owners: { web: 'waiting' }, blocks: true }),
      dependent('b', { owners: { web: 'waiting' } }),
    ];
    expect(lines({ owner, dependents })).toEqual(['delete a Background']);
    expect(lines({ owner, dependents: dependents.slice(1) })).toEqual(['patch web finalizers=mine']);
  });

  test('dependents with dependents of their own go in the foreground as well', () => {
    const dependents = [dependent('a', { owners: { web: 'waiting' }, blocks: true, hasDependents: true })];
    expect(lines({ owner, dependents })).toEqual(['delete a Foreground']);
  });

  test('a dependent with another living owner is released', () => {
    const dependents = [dependent('a', { owners: { web: 'waiting', other: 'solid' }, blocks: true })];
    expect(lines({ owner, dependents })).toEqual(['patch a owners=other']);
  });

  test('nothing is left to do while the dependents end', () => {
    const dependents = [
      dependent('a', { owners: { web: 'waiting' }, blocks: true, meta: { deletionTimestamp: deleted } }),
    ];
    expect(lines({ owner, dependents })).toEqual(['']);
  });

  test('a circle is opened before it closes', () => {
    const top = {
      type: replicasets,
      object: object('web', { ownerReferences: [reference('a', { blockOwnerDeletion: true })] }),
    };
    const dependents = [
      dependent('a', { owners: { web: 'waiting' }, blocks: true, hasDependents: true, collectingDependents: [top] }),
    ];
    expect(lines({ owner, dependents })).toEqual(['patch web owners=a? then delete a Foreground']);
  });

  test('two that wait for each other do not wait forever', () => {
    const dependents = [
      dependent('a', {
        owners: { web: 'waiting' },
        blocks: true,
        hasDependents: true,
        isAlsoOwner: true,
        meta: { deletionTimestamp: deleted, finalizers: ['foregroundDeletion'] },
      }),
    ];
    expect(lines({ owner, dependents })).toEqual(['patch a owners=web?']);
  });

  test('an object that owns itself does not wait for itself', () => {
    const dependents = [
      dependent('web', { owners: { web: 'waiting' }, blocks: true, meta: { deletionTimestamp: deleted } }),
    ];
    expect(lines({ owner, dependents })).toEqual(['patch web finalizers=mine']);
  });
});

describe('orphaning', () => {
  test('all dependents are released before the owner is let go', () => {
    const dependents = [
      dependent('a', { owners: { web: 'solid' } }),
      dependent('b', { owners: { web: 'solid', other: 'solid' } }),
    ];
    expect(lines({ owner: waiting('orphan'), dependents })).toEqual([
      'patch a owners=, patch b owners=other',
      'patch web finalizers=',
    ]);
  });

  test('orphaning wins over foreground', () => {
    expect(lines({ owner: waiting('orphan', ['foregroundDeletion']) })).toEqual([
      '',
      'patch web finalizers=foregroundDeletion',
    ]);
  });
});
