import {
  type CacheEvent,
  customresourcedefinitions,
  type Key,
  keyOf,
  mapped,
  type ResourceType,
  resourceId,
  resourceName,
  type Watch,
} from '@signalbox/cluster';
import type { World } from '../../world/world.ts';
import type { RootComponent } from '../component.ts';

/** Those whose roots collect monitors of a kind. */
export function collectorsOf(type: ResourceType, components: readonly RootComponent[]): readonly RootComponent[] {
  return components.filter(({ collects }) => collects.some((each) => resourceId(each) === resourceId(type)));
}

export interface TakerWorld {
  readonly world: World;
  readonly components: readonly RootComponent[];
}

/**
 * What wakes all monitors of a kind: the first root that could take them and the last that goes, of ours and of others, and a definition
 * that gives them a status. Who takes one of them is told by the ledger, which says nothing of monitors that nobody takes.
 */
export function takerWatches(type: ResourceType, { world, components }: TakerWorld): readonly Watch[] {
  const takers = createTakers();
  const all = (): readonly Key[] => world.list(type).map(keyOf);
  return [
    ...collectorsOf(type, components).map((component) =>
      mapped(component.rootType, (event) => (takers.changes(component, event) ? all() : [])),
    ),
    // The cache may show it later than the monitors.
    mapped(customresourcedefinitions, (event) =>
      event.object.metadata.name === resourceName(type) && hasOtherSpec(event) ? all() : [],
    ),
  ];
}

interface Takers {
  /** Whether other monitors may now be nobody's, or other bindings ours to take away. */
  changes(component: RootComponent, event: CacheEvent): boolean;
}

function createTakers(): Takers {
  const ours = new Set<string>();
  const foreign = new Set<string>();
  return {
    changes(component, { type, object }) {
      const id = `${component.rootType.kind} ${keyOf(object)}`;
      const before = whoIsThere(ours, foreign);
      const isGone = type === 'deleted' || object.metadata.deletionTimestamp !== undefined;
      const isOurs = component.foreignBecause?.(object) === undefined;
      const isNoLongerForeign = foreign.delete(id) && (isGone || isOurs);
      ours.delete(id);
      if (!isGone) (isOurs ? ours : foreign).add(id);
      return isNoLongerForeign || whoIsThere(ours, foreign) !== before;
    },
  };
}

function whoIsThere(ours: ReadonlySet<string>, foreign: ReadonlySet<string>): string {
  return `${ours.size > 0} ${foreign.size > 0}`;
}

function hasOtherSpec({ object, previous }: CacheEvent): boolean {
  return object.metadata.generation !== previous?.metadata.generation;
}
