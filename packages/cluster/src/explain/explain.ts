import type { Pod } from '../api/generated/core-v1.ts';
import {
  cronjobs,
  daemonsets,
  deployments,
  jobs,
  nodes,
  persistentvolumeclaims,
  pods,
  replicasets,
  replicationcontrollers,
  statefulsets,
} from '../api/generated/kinds.ts';
import { isSameResource } from '../api/gvk.ts';
import type { Client } from '../client/client.ts';
import type { Judgement } from '../scheduler/judgement.ts';
import { defaultProfile } from '../scheduler/profile.ts';
import { explainClaim } from './claim.ts';
import { explainCronJob } from './cronjob.ts';
import { explainDaemonSet } from './daemonset.ts';
import { explainDeployment } from './deployment.ts';
import type { Explanation } from './explanation.ts';
import { explainJob } from './job.ts';
import { explainNode } from './node.ts';
import { explainPod } from './pod.ts';
import { explainReplicaSet, explainReplicationController } from './replicaset.ts';
import { explainStatefulSet } from './statefulset.ts';
import {
  type ExplainWorld,
  type KnownScheduler,
  type ObjectSource,
  readWorld,
  type Scheduling,
  type Subject,
  sourceOf,
} from './world.ts';

export interface ExplainOptions {
  readonly nowMs: number;
  /** Of a DaemonSet or a pod: what is to be said of this node alone. */
  readonly node?: string | undefined;
  /** By which rules the cluster's scheduler decides: `cluster.scheduler`. Undefined: nobody knows, and its default ones are assumed. */
  readonly scheduler?: KnownScheduler | undefined;
}

/**
 * Why an object is as it is: read-only, by the rules by which controllers and scheduler decide, from the objects as they
 * are listed. Undefined when there is no such object.
 */
export async function explain(
  subject: Subject,
  { node, ...options }: ExplainOptions & { readonly source: ObjectSource },
): Promise<Explanation | undefined> {
  return explainFrom(subject, { world: await readWorld(subject, { ...options, node }), node });
}

/** As {@link explain}, of a cluster. */
export function explainLive(
  client: Client,
  subject: Subject,
  { signal, ...options }: ExplainOptions & { readonly signal: AbortSignal },
): Promise<Explanation | undefined> {
  return explain(subject, { ...options, source: sourceOf(client, { signal }) });
}

type Explain = (
  subject: Subject,
  options: { readonly world: ExplainWorld; readonly node: string | undefined },
) => Explanation | undefined;

const kinds: readonly (readonly [Subject['type'], Explain])[] = [
  [cronjobs, explainCronJob],
  [daemonsets, explainDaemonSet],
  [deployments, explainDeployment],
  [jobs, explainJob],
  [nodes, explainNode],
  [persistentvolumeclaims, explainClaim],
  [pods, explainPod],
  [replicasets, explainReplicaSet],
  [replicationcontrollers, explainReplicationController],
  [statefulsets, explainStatefulSet],
];

/** As {@link explain}, from what has been listed. Pure. */
export function explainFrom(
  subject: Subject,
  { world, node }: { readonly world: ExplainWorld; readonly node?: string | undefined },
): Explanation | undefined {
  const found = kinds.find(([type]) => isSameResource(type, subject.type));
  const asked = new Set<string>();
  const judge = (pod: Pod): Judgement => {
    asked.add(pod.spec.schedulerName ?? defaultProfile.name);
    return world.judge(pod);
  };
  const explanation = found?.[1](subject, { world: { ...world, judge }, node });
  return explanation && { ...explanation, facts: { ...explanation.facts, ...rulesAsked(asked, world.scheduling) } };
}

/** By whose rules it is answered, where that is not what everybody takes for granted. */
function rulesAsked(asked: ReadonlySet<string>, { basis, profiles, unasked }: Scheduling): Explanation['facts'] {
  const names = [...asked].filter(
    (name) => name !== defaultProfile.name && profiles.some((each) => each.name === name),
  );
  return {
    ...(names.length > 0 && { profile: names.join(', ') }),
    ...(asked.size > 0 && unasked.length > 0 && { pluginsNotAsked: unasked.join(', ') }),
    ...(asked.size > 0 && basis === 'assumed' && { schedulerRules: 'assumed to be the default ones' }),
  };
}
