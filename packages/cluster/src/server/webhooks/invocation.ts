import type { KubeObject } from '../../api/meta.ts';
import { type Later, later } from '../../base/later.ts';
import { admissionFacts, equivalentsOf, namespaceNamed } from '../admission/facts.ts';
import { inVersion } from '../admission/in-version.ts';
import {
  type AdmissionFacts,
  choosesNamespace,
  choosesObject,
  type MatchedAs,
  matchRules,
} from '../admission/matching.ts';
import type { ServerContext } from '../context/context.ts';
import type { Review } from '../context/reviewer.ts';
import type { Hook } from './configurations.ts';

/** Most webhooks have none. */
export const matchConditions: Later<typeof import('../admission/match-conditions.ts')> = later(
  () => import('../admission/match-conditions.ts'),
);

/** A webhook that has to be asked, and about what. */
export interface Invocation {
  readonly facts: AdmissionFacts;
  readonly as: MatchedAs;
  /** In the version that the webhook takes. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

export type Matches = Pick<Review, 'does' | 'request' | 'object' | 'oldObject' | 'complete'>;

/** Undefined: the webhook is not asked about this. */
export async function invocationOf(
  context: ServerContext,
  { webhook }: Hook,
  review: Matches,
): Promise<Invocation | undefined> {
  const { request, object, oldObject } = review;
  const { matchPolicy, rules = [], matchConditions: conditions = [], failurePolicy } = webhook;
  const facts = admissionFacts(review);
  const equivalents = (): readonly MatchedAs[] => equivalentsOf(context.registry, request.served, facts.subresource);
  const as = matchRules(rules, facts, { matchPolicy, equivalents });
  if (as === undefined || !choosesObject(webhook.objectSelector, { object, oldObject })) return undefined;
  const labels = { object, of: (name: string) => namespaceNamed(context, name).metadata.labels };
  if (!choosesNamespace(webhook.namespaceSelector, facts, labels)) return undefined;
  const shown = async (each: KubeObject | undefined): Promise<KubeObject | undefined> =>
    each === undefined ? undefined : inVersion(context.registry, each, { request, facts, as });
  const invocation = { facts, as, object: await shown(object), oldObject: await shown(oldObject) };
  if (conditions.length === 0) return invocation;
  const about = { ...invocation, request };
  const { meetsConditions } = await matchConditions.load();
  return meetsConditions(context, conditions, { about, failurePolicy }) ? invocation : undefined;
}
