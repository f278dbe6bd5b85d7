import {
  type CacheEvent,
  type Key,
  type KubeObject,
  keyOf,
  namespaces,
  type ResourceType,
  resourceId,
} from '@signalbox/cluster';
import { labelReason, SelectorError } from './labels.ts';
import { compileSelection, type Selection } from './select.ts';
import type { World } from './world.ts';

/**
 * Which roots a change concerns. Each build of a root goes through a world that writes down what was asked of it; from
 * then on exactly the changes that could alter one of the answers wake the root: an object that was looked up (also one
 * that was not there), an object that a selection matches or matched, and a Namespace whose labels move it into or out of
 * a selection.
 */
export interface WakeIndex {
  /** A world that notes on behalf of `root` what is asked. What was noted for it before is forgotten. */
  follow(root: Key, world: World): World;
  forget(root: Key): void;
  rootsOf(type: ResourceType, event: CacheEvent, world: World): Iterable<Key>;
}

export function createWakeIndex(): WakeIndex {
  const byRoot = new Map<Key, Consulted>();
  return {
    follow(root, world) {
      const consulted: Consulted = { objects: new Set(), lists: new Set(), selections: new Map() };
      byRoot.set(root, consulted);
      return noting(world, consulted);
    },
    forget: (root) => void byRoot.delete(root),
    *rootsOf(type, event, world) {
      for (const [root, consulted] of byRoot) if (concerns(consulted, { type, event, world })) yield root;
    },
  };
}

interface Consulted {
  /** `<resource> <key>` */
  readonly objects: Set<string>;
  /** `<resource> <namespace>`, the namespace empty for all. */
  readonly lists: Set<string>;
  readonly selections: Map<string, Selection[]>;
}

interface Change {
  readonly type: ResourceType;
  readonly event: CacheEvent;
  readonly world: World;
}

function noting(world: World, consulted: Consulted): World {
  return {
    get(type, key) {
      consulted.objects.add(`${resourceId(type)} ${key}`);
      return world.get(type, key);
    },
    list(type, namespace) {
      consulted.lists.add(`${resourceId(type)} ${namespace ?? ''}`);
      return world.list(type, namespace);
    },
    select(type, selection) {
      const id = resourceId(type);
      consulted.selections.set(id, [...(consulted.selections.get(id) ?? []), selection]);
      return world.select(type, selection);
    },
    // A change of an owned object wakes its owner anyway.
    owned: world.owned,
  };
}

function concerns(consulted: Consulted, change: Change): boolean {
  const { type, event, world } = change;
  const id = resourceId(type);
  const { object, previous } = event;
  if (consulted.objects.has(`${id} ${keyOf(object)}`)) return true;
  if (consulted.lists.has(`${id} `) || consulted.lists.has(`${id} ${object.metadata.namespace}`)) return true;
  if (id === resourceId(namespaces) && movesNamespace(consulted, event)) return true;
  return (consulted.selections.get(id) ?? []).some((selection) => {
    const picks = picker(selection, world);
    return picks(object) || (previous !== undefined && picks(previous));
  });
}

function picker(selection: Selection, world: World): (object: KubeObject) => boolean {
  try {
    const verdictOf = compileSelection(selection, world.get);
    return (object) => verdictOf(object).selected;
  } catch (error) {
    if (error instanceof SelectorError) return () => false;
    throw error;
  }
}

function movesNamespace({ selections }: Consulted, { type, object, previous }: CacheEvent): boolean {
  const after = type === 'deleted' ? {} : object.metadata.labels;
  const before = previous?.metadata.labels;
  return [...selections.values()].flat().some(({ namespaces: selector }) => {
    if (selector === undefined) return false;
    try {
      const unmet = labelReason(selector);
      const name = { 'kubernetes.io/metadata.name': object.metadata.name };
      return (unmet({ ...name, ...after }) === undefined) !== (unmet({ ...name, ...before }) === undefined);
    } catch (error) {
      if (error instanceof SelectorError) return false;
      throw error;
    }
  });
}
