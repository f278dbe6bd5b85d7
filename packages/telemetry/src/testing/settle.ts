import { type Action, freeze, type KubeObject, keyOf, type New, type Plan } from '@signalbox/cluster';
import type { RootComponent } from '../operator/component.ts';
import { planRoot, type RootMemory } from '../operator/operator.ts';
import { type World, worldOf } from '../world/world.ts';

/** A world that plans can be applied to, as a server would: a fake without any asynchrony. */
export interface PlannedWorld {
  readonly world: World;
  readonly objects: readonly KubeObject[];
}

export interface Run {
  readonly objects: readonly KubeObject[];
  readonly plan: Plan<RootMemory>;
}

/** Plans once for every root of the component, and applies what comes of it. */
export function runOnce(
  objects: readonly KubeObject[],
  component: RootComponent,
  { nowMs = 0, memory }: { readonly nowMs?: number; readonly memory?: RootMemory | undefined } = {},
): Run {
  const world = worldOf(objects);
  const plans = world
    .list(component.rootType)
    .map((root) => planRoot(component, { root, world, hasStatusDoor: true }, { nowMs, memory }));
  const actions = plans.flatMap((plan) => plan.actions);
  const told = plans.flatMap(({ memory: after }) => [...(after?.told ?? [])]);
  return {
    objects: actions.reduce<readonly KubeObject[]>(applied, objects),
    plan: { actions, memory: { told: new Set(told) } },
  };
}

/** One line per action: `create StatefulSet monitoring/agent`. */
export function line(action: Action): string {
  switch (action.do) {
    case 'create':
    case 'update':
    case 'setStatus':
      return `${action.do} ${action.object.kind} ${keyOf(action.object)}`;
    case 'delete': {
      const policy = action.options?.propagationPolicy;
      return `delete ${action.target.kind} ${keyOf(action.target)}${policy === undefined ? '' : ` ${policy}`}`;
    }
    case 'emit':
      return `emit ${action.reason} on ${action.regarding.kind} ${keyOf(action.regarding)}: ${action.note}`;
    case 'patch':
      return `patch ${action.target.kind} ${keyOf(action.target)}`;
    case 'inOrder':
      return `in order: ${action.actions.map(line).join(', ')}`;
    default:
      return action satisfies never;
  }
}

let uids = 0;

/** What a server makes of one action. */
export function applied(objects: readonly KubeObject[], action: Action): readonly KubeObject[] {
  switch (action.do) {
    case 'create':
      // The API refuses a second one.
      return objects.some((each) => isSame(each, action.object)) ? objects : [...objects, created(action.object)];
    case 'update':
    case 'setStatus':
      return objects.map((each) => (isSame(each, action.object) ? freeze(action.object) : each));
    case 'patch':
      return objects.map((each) => (isSame(each, action.target) ? freeze(mergePatched(each, action.body)) : each));
    case 'delete':
      return objects.filter((each) => !isSame(each, action.target));
    default:
      return objects;
  }
}

/** RFC 7396, which is what plans write. */
function mergePatched<T>(target: T, patch: unknown): T {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch as T;
  const result = { ...(target as Record<string, unknown>) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatched(result[key], value);
  }
  return result as T;
}

function created(object: New<KubeObject>): KubeObject {
  uids += 1;
  return freeze({
    ...object,
    metadata: {
      ...object.metadata,
      name: object.metadata.name ?? '',
      uid: `created ${uids}`,
      resourceVersion: '1',
      creationTimestamp: '2030-01-01T00:00:00Z',
    },
  });
}

function isSame(a: KubeObject, b: New<KubeObject>): boolean {
  return a.apiVersion === b.apiVersion && a.kind === b.kind && keyOf(a) === keyOf(b);
}

/** The object of a kind and key; throws when there is none. */
export function find(objects: readonly KubeObject[], kind: string, key: string): KubeObject {
  const found = objects.find((each) => each.kind === kind && keyOf(each) === key);
  if (found === undefined) throw new Error(`there is no ${kind} ${key}`);
  return found;
}
