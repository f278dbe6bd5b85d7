import { daemonsets, deployments, jobs, nodes, pods, statefulsets } from '../api/generated/kinds.ts';
import { isSameResource } from '../api/gvk.ts';
import type { Client } from '../client/client.ts';
import { explainDaemonSet } from './daemonset.ts';
import { explainDeployment } from './deployment.ts';
import type { Explanation } from './explanation.ts';
import { explainJob } from './job.ts';
import { explainNode } from './node.ts';
import { explainPod } from './pod.ts';
import { explainStatefulSet } from './statefulset.ts';
import { type ExplainWorld, type ObjectSource, readWorld, type Subject, sourceOf } from './world.ts';

export interface ExplainOptions {
  readonly nowMs: number;
  /** Of a DaemonSet or a pod: what is to be said of this node alone. */
  readonly node?: string | undefined;
}

/**
 * Why an object is as it is: read-only, by the rules by which controllers and scheduler decide, from the objects as they
 * are listed. Undefined when there is no such object.
 */
export async function explain(
  subject: Subject,
  { source, nowMs, node }: ExplainOptions & { readonly source: ObjectSource },
): Promise<Explanation | undefined> {
  return explainFrom(subject, { world: await readWorld(subject, { source, nowMs }), node });
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
  [daemonsets, explainDaemonSet],
  [deployments, explainDeployment],
  [jobs, explainJob],
  [nodes, explainNode],
  [pods, explainPod],
  [statefulsets, explainStatefulSet],
];

/** As {@link explain}, from what has been listed. Pure. */
export function explainFrom(
  subject: Subject,
  { world, node }: { readonly world: ExplainWorld; readonly node?: string | undefined },
): Explanation | undefined {
  const found = kinds.find(([type]) => isSameResource(type, subject.type));
  return found?.[1](subject, { world, node });
}
