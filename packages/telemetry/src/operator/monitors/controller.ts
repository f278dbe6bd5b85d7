import {
  type Controller,
  customresourcedefinitions,
  type Key,
  type KubeObject,
  keyOf,
  primary,
  type ResourceType,
  resourceId,
  resourceName,
} from '@signalbox/cluster';
import type { World } from '../../world/world.ts';
import type { RootComponent } from '../component.ts';
import type { OperatorObserver } from '../figures.ts';
import type { Ledger } from './ledger.ts';
import {
  type Binding,
  type MonitorMemory,
  type ObservedMonitor,
  planMonitor,
  type StatusDoor,
  wrongWith,
} from './plan.ts';
import type { Reach } from './reach.ts';
import type { Seekers } from './seekers.ts';
import { collectorsOf, takerWatches } from './takers.ts';

interface Observed extends ObservedMonitor {
  readonly memory: MonitorMemory | undefined;
}

export interface MonitorWorld {
  readonly world: World;
  readonly ledger: Ledger;
  readonly seekers: Seekers;
  readonly components: readonly RootComponent[];
  readonly isPartial: boolean;
  readonly observer: OperatorObserver | undefined;
}

/** Keeps on every monitor of a kind who has taken it. */
export function monitorController(type: ResourceType, place: MonitorWorld): Controller<Observed, MonitorMemory> {
  const { world, ledger, seekers, observer } = place;
  return {
    name: `${type.kind.toLowerCase()}-status`,
    watches: [primary(type), ...takerWatches(type, place)],
    wakes(add) {
      const addOwn = (kind: string, key: Key): void => {
        if (kind === type.kind) add(key);
      };
      const stops = [ledger.listen(addOwn), seekers.listen(addOwn)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    observe(key, _caches, memory) {
      const monitor = world.get(type, key);
      if (monitor === undefined || monitor.metadata.deletionTimestamp !== undefined) {
        seekers.forget(type.kind, key);
        observer?.forgot(type, key);
        return undefined;
      }
      const told = ledger.toldOf(monitor);
      return {
        type,
        monitor,
        told,
        reaches: seekers.look(monitor, told).map((reach) => inSight(reach, monitor, place)),
        ...rootsOf(type, place),
        door: doorOf(type, world),
        memory,
      };
    },
    plan({ memory, ...observed }, nowMs) {
      const plan = planMonitor(observed, { nowMs, memory });
      observer?.found(type, keyOf(observed.monitor), wrongWith(type.kind, plan.memory));
      return plan;
    },
  };
}

/** Of namespaces that are not looked after nothing is known. */
function inSight(reach: Reach, { metadata }: KubeObject, { isPartial }: MonitorWorld): Reach {
  if (!isPartial || reach.finds !== 'nothing') return reach;
  const isAtHome = reach.waits.namespaces?.every((namespace) => namespace === metadata.namespace) === true;
  return isAtHome ? reach : { finds: 'unknown' };
}

/** The kinds of monitors that any root collects, each once. */
export function collectedTypes(components: readonly RootComponent[]): readonly ResourceType[] {
  return [...new Map(components.flatMap(({ collects }) => collects).map((type) => [resourceId(type), type])).values()];
}

function rootsOf(
  type: ResourceType,
  { world, ledger, components, isPartial }: MonitorWorld,
): Pick<ObservedMonitor, 'isComplete' | 'isForeign' | 'isOursAlone' | 'isRootless'> {
  const roots = collectorsOf(type, components).flatMap((component) =>
    world
      .list(component.rootType)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((root) => ({ component, root, isOurs: component.foreignBecause?.(root) === undefined })),
  );
  const ours = roots.filter(({ isOurs }) => isOurs);
  return {
    isComplete: ours.every(({ component, root }) => ledger.hasTold(component.rootType, keyOf(root))),
    isOursAlone: !isPartial && ours.length > 0 && ours.length === roots.length,
    isRootless: !isPartial && roots.length === 0,
    isForeign: (binding) => isForeign(binding, { roots, components }),
  };
}

interface Root {
  readonly component: RootComponent;
  readonly root: { readonly metadata: { readonly namespace?: string; readonly name: string } };
  readonly isOurs: boolean;
}

function isForeign(
  { group, resource, namespace, name }: Binding,
  { roots, components }: { readonly roots: readonly Root[]; readonly components: readonly RootComponent[] },
): boolean {
  const isKnown = components.some(({ rootType }) => rootType.group === group && rootType.resource === resource);
  if (!isKnown) return true;
  return roots.some(
    ({ component: { rootType }, root: { metadata }, isOurs }) =>
      !isOurs && rootType.resource === resource && metadata.namespace === namespace && metadata.name === name,
  );
}

/** Upstream's monitors have had a status for a short time, and those of the Grafana Agent have none. */
function doorOf(type: ResourceType, world: World): StatusDoor {
  const definition = world.get(customresourcedefinitions, resourceName(type));
  const version = definition?.spec.versions.find(({ name }) => name === type.version);
  const { properties = {} } = (version?.schema?.openAPIV3Schema?.properties?.['status'] ?? {}) as {
    readonly properties?: Readonly<Record<string, unknown>>;
  };
  const hasStatus = version?.subresources?.status !== undefined;
  return {
    hasBindings: hasStatus && properties['bindings'] !== undefined,
    hasConditions: hasStatus && properties['conditions'] !== undefined,
  };
}
