import { describe, expect, test } from 'vitest';
import { resourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { freeze } from '../../base/freeze.ts';
import { defineResource, type ResourceDefinition } from '../../resources/resource.ts';
import type { Stored } from '../../store/store.ts';
import { rememberedConversion, sameForm } from './conversion.ts';
import { type CustomResources, createRegistry } from './registry.ts';

const define = (group: string, version: string, resource: string, kind: string): ResourceDefinition =>
  defineResource(resourceType<KubeObject>({ group, version, resource, kind, namespaced: true }), { schema: {} });

const builtin = define('apps', 'v1', 'deployments', 'Deployment');
const crd = (name: string, revision: number): Stored => ({
  key: name,
  value: { metadata: { name } },
  revision,
  createdRevision: 1,
  weightBytes: 0,
});

function world(): { readonly kept: Map<string, Stored>; readonly derived: string[]; readonly custom: CustomResources } {
  const kept = new Map<string, Stored>();
  const derived: string[] = [];
  const custom: CustomResources = {
    get: (name) => kept.get(name),
    list: () => [...kept.values()],
    derive({ value, revision }) {
      const { name } = (value as KubeObject).metadata;
      derived.push(`${name}@${revision}`);
      const [resource = '', ...group] = name.split('.');
      return [define(group.join('.'), 'v1', resource, 'Thing')];
    },
    conversionOf: () => sameForm,
  };
  return { kept, derived, custom };
}

const things = { group: 'example.com', version: 'v1', resource: 'things' };

describe('custom resources', () => {
  test('are derived once per version of their definition, and never kept beyond it', () => {
    const { kept, derived, custom } = world();
    const registry = createRegistry({ definitions: [builtin], custom });
    expect(registry.find(things)).toBeUndefined();
    kept.set('things.example.com', crd('things.example.com', 1));
    expect(registry.find(things)).toBe(registry.find(things));
    kept.set('things.example.com', crd('things.example.com', 2));
    registry.find(things);
    expect(derived).toEqual(['things.example.com@1', 'things.example.com@2']);
    kept.clear();
    expect(registry.find(things)).toBeUndefined();
  });

  test('cannot take over what is built in', () => {
    const { kept, custom } = world();
    kept.set('deployments.apps', crd('deployments.apps', 1));
    const registry = createRegistry({ definitions: [builtin], custom });
    expect(registry.find(builtin)?.crd).toBeUndefined();
    expect(registry.all()).toHaveLength(1);
  });

  test('keep their watches through a change, and end them when they go', () => {
    const { kept, custom } = world();
    const registry = createRegistry({ definitions: [], custom });
    kept.set('things.example.com', crd('things.example.com', 1));
    const removed = registry.find(things)?.removed;
    kept.set('things.example.com', crd('things.example.com', 2));
    expect(registry.find(things)?.removed).toBe(removed);
    registry.forget('things.example.com');
    expect(removed?.aborted).toBe(true);
    expect(registry.find(things)?.removed.aborted).toBe(false);
  });

  test('are found by kind', () => {
    const { kept, custom } = world();
    kept.set('things.example.com', crd('things.example.com', 1));
    const registry = createRegistry({ definitions: [builtin], custom });
    const before = registry.edition();
    expect(registry.all()).toHaveLength(2);
    expect(registry.ofKind('example.com/v1', 'Thing')?.definition.resource).toBe('things');
    expect(registry.ofKind('apps/v1', 'Deployment')?.definition).toBe(builtin);
    kept.set('things.example.com', crd('things.example.com', 2));
    expect(registry.edition()).not.toBe(before);
  });
});

test('what is converted once is shared, frozen', () => {
  let conversions = 0;
  const { fromStored } = rememberedConversion({
    toStored: (object) => object,
    fromStored(object) {
      conversions++;
      return { ...object, kind: 'Other' };
    },
  });
  const stored = freeze({ apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } }) as KubeObject;
  expect(fromStored(stored)).toBe(fromStored(stored));
  expect(Object.isFrozen(fromStored(stored))).toBe(true);
  expect(conversions).toBe(1);
});
