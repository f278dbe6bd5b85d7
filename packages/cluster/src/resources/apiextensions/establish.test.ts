import { describe, expect, test } from 'vitest';
import type { CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import { freeze } from '../../base/freeze.ts';
import { crdBody } from '../../testing/resources/crd-bodies.ts';
import { created } from '../../testing/resources/judge.ts';
import { customresourcedefinitionDefinition } from './customresourcedefinition.ts';
import { establish } from './establish.ts';

const agents = created(customresourcedefinitionDefinition, crdBody({}));
const nowMs = Date.UTC(2026, 0, 2);

function named(name: string, names: object): CustomResourceDefinition {
  return created(customresourcedefinitionDefinition, crdBody({ names }, name));
}

function conditions({ status }: CustomResourceDefinition): readonly string[] {
  return (status.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);
}

describe('a definition with free names', () => {
  const established = freeze(establish(agents, [], { nowMs }));

  test('is served at once', () => {
    expect(conditions(established)).toEqual([
      'NamesAccepted=True NoConflicts',
      'Established=True InitialNamesAccepted',
    ]);
    expect(established.status.acceptedNames).toEqual(agents.spec.names);
    expect(established.status.conditions?.[0]?.lastTransitionTime).toBe('2026-01-02T00:00:00Z');
  });

  test('settles: nothing changes the second time, whatever the hour', () => {
    expect(establish(established, [established], { nowMs: nowMs + 1000 })).toBe(established);
  });

  test('stays established when its new names collide, and keeps the old ones', () => {
    const renamed = {
      ...established,
      spec: { ...established.spec, names: { ...agents.spec.names, shortNames: ['po'] } },
    };
    const other = establish(named('pods.example.com', { plural: 'pods', kind: 'Pod', shortNames: ['po'] }), []);
    const next = establish(renamed, [other], { nowMs });
    expect(conditions(next)).toEqual([
      'NamesAccepted=False ShortNamesConflict',
      'Established=True InitialNamesAccepted',
    ]);
    expect(next.status.acceptedNames).toEqual(agents.spec.names);
  });
});

describe('a name that is taken', () => {
  const first = establish(agents, []);

  test.each([
    ['plural', { plural: 'agent', kind: 'Other' }, 'PluralConflict', '"agent" is already in use'],
    [
      'kind',
      { plural: 'others', kind: 'Agent', listKind: 'OtherList', singular: 'other' },
      'KindConflict',
      '"Agent" is already in use',
    ],
    [
      'short name',
      { plural: 'others', kind: 'Other', shortNames: ['o', 'agents'] },
      'ShortNamesConflict',
      '"agents" is already in use',
    ],
  ])('%s keeps the definition from being served', (_, names, reason, message) => {
    const late = establish(named(`${names.plural}.example.com`, names), [first]);
    expect(conditions(late)).toEqual([`NamesAccepted=False ${reason}`, 'Established=False NotAccepted']);
    expect(late.status.conditions?.[0]?.message).toBe(message);
  });

  test('is no matter in another group', () => {
    const elsewhere = {
      ...agents,
      metadata: { ...agents.metadata, name: 'x' },
      spec: { ...agents.spec, group: 'example.org' },
    };
    expect(conditions(establish(elsewhere, [first]))[0]).toBe('NamesAccepted=True NoConflicts');
  });

  test('is one that a built-in kind has', () => {
    const builtin = [{ group: 'example.com', names: { plural: 'things', kind: 'Agent' } }];
    expect(conditions(establish(agents, [], { builtin }))[0]).toBe('NamesAccepted=False KindConflict');
  });

  test('comes free when the other goes', () => {
    const late = establish(named('agent.example.com', { plural: 'agent', kind: 'Other' }), [first]);
    expect(conditions(establish(late, []))).toEqual([
      'NamesAccepted=True NoConflicts',
      'Established=True InitialNamesAccepted',
    ]);
  });
});
