import type { MatchResources } from '../../api/generated/admissionregistration-v1.ts';
import { namespaces } from '../../api/generated/kinds.ts';
import { isSameResource } from '../../api/gvk.ts';
import { admissionNamespace } from '../../cel/admission.ts';
import type { Variables } from '../../cel/compile.ts';
import { equivalentsOf, namespaceNamed } from '../admission/facts.ts';
import {
  type AdmissionFacts,
  choosesNamespace,
  choosesObject,
  type MatchedAs,
  matchRules,
} from '../admission/matching.ts';
import type { ServerContext } from '../context/context.ts';
import type { Review } from '../context/reviewer.ts';

/** A request that policies may be about. */
export interface Matching {
  readonly context: ServerContext;
  readonly review: Review;
  readonly facts: AdmissionFacts;
}

/** As what the request is taken; undefined when it is not meant. A binding without rules means all that its policy does. */
export function matchedBy(
  resources: MatchResources,
  { context, review, facts }: Matching,
  { whole }: { readonly whole: boolean },
): MatchedAs | undefined {
  const { matchPolicy, resourceRules = [], excludeResourceRules = [], namespaceSelector, objectSelector } = resources;
  const { object, oldObject, request } = review;
  const labels = { object, of: (name: string) => namespaceNamed(context, name).metadata.labels };
  if (!choosesNamespace(namespaceSelector, facts, labels) || !choosesObject(objectSelector, { object, oldObject }))
    return undefined;
  const equivalents = (): readonly MatchedAs[] => equivalentsOf(context.registry, request.served, facts.subresource);
  if (matchRules(excludeResourceRules, facts, { matchPolicy, equivalents }) !== undefined) return undefined;
  if (resourceRules.length === 0 && whole) return { resource: facts.resource, kind: facts.kind };
  return matchRules(resourceRules, facts, { matchPolicy, equivalents });
}

/** With the namespace of the request as a variable. */
export function withNamespace({ context, facts }: Pick<Matching, 'context' | 'facts'>, given: Variables): Variables {
  return (name) => {
    if (name !== 'namespaceObject') return given(name);
    const isNone = facts.namespace === '' || isSameResource(facts.resource, namespaces);
    return isNone ? null : admissionNamespace.read(namespaceNamed(context, facts.namespace));
  };
}
