import * as kinds from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import { explainFrom } from '../explain/explain.ts';
import type { Explanation } from '../explain/explanation.ts';
import { worldOf } from '../explain/world.ts';
import type { World } from './plan-world.ts';

const types: readonly ResourceType[] = [
  kinds.controllerrevisions,
  kinds.cronjobs,
  kinds.csinodes,
  kinds.daemonsets,
  kinds.deployments,
  kinds.events,
  kinds.jobs,
  kinds.nodes,
  kinds.persistentvolumeclaims,
  kinds.persistentvolumes,
  kinds.poddisruptionbudgets,
  kinds.pods,
  kinds.replicasets,
  kinds.replicationcontrollers,
  kinds.statefulsets,
  kinds.storageclasses,
  kinds.volumeattachments,
];

/** What is said of an object in a world of plans. */
export function asked(
  world: World,
  {
    type,
    name,
    node,
    namespace = 'default',
  }: {
    readonly type: ResourceType;
    readonly name: string;
    readonly node?: string | undefined;
    readonly namespace?: string;
  },
): Explanation {
  const lists = types.map((each) => ({ type: each, objects: world.list(each) }));
  const subject = { type, name, ...(type.namespaced && { namespace }) };
  const found = explainFrom(subject, { world: worldOf(lists, world.nowMs), node });
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

/** `web-0 web-1: is not ready: its node has not started it yet`. */
export function rowsOf({ groups }: Explanation): readonly string[] {
  return groups.map(({ state, why, names }) => {
    const short = names.map((name) => name.replace(/^default\//, '')).join(' ');
    return `${short}: ${state}${why === '' ? '' : `: ${why}`}`;
  });
}

export function causesOf({ causes }: Explanation): readonly string[] {
  return causes.map(({ cause, mend }) => (mend === '' ? cause : `${cause} → ${mend}`));
}
