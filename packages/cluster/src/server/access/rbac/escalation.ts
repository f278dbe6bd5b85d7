import { clusterrolebindings, clusterroles, rolebindings, roles } from '../../../api/generated/kinds.ts';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding } from '../../../api/generated/rbac-v1.ts';
import { groups } from '../../../api/identities.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { failure, forbidden, StatusError } from '../../../api/status.ts';
import { equal } from '../../../base/equal.ts';
import { isGathered } from '../../../resources/rbac/aggregation.ts';
import { compactRules, formatRule, formatTexts, missingRules } from '../../../resources/rbac/coverage.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../../context/admission.ts';
import type { Authorizer, AuthorizerWorld } from '../../context/authorizer.ts';

/** The server's context, as far as it matters here. */
type Judging = AuthorizerWorld & { readonly authorizer: Authorizer };

const everything: readonly PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

/**
 * Nobody gives what they do not have: whoever writes a role must hold its rules or be allowed to `escalate` it, whoever binds
 * one must hold its rules or be allowed to `bind` it. The refusals are upstream's.
 */
export function createEscalationCheck(judging: () => Judging): AdmissionPlugin {
  const check = (object: KubeObject, current: KubeObject | undefined, world: AdmissionWorld): KubeObject => {
    const isFree = world.user.groups.includes(groups.masters);
    if (!isFree && !onlyLetsGo(object, current)) checkGrant({ object, current, world, judging: judging() });
    return object;
  };
  return {
    name: 'RoleEscalation',
    resources: [roles, clusterroles, rolebindings, clusterrolebindings],
    create: (object, world) => check(object, undefined, world),
    update: (next, current, world) => check(next, current, world),
  };
}

interface Grant {
  readonly object: KubeObject;
  readonly current: KubeObject | undefined;
  readonly world: AdmissionWorld;
  readonly judging: Judging;
}

function checkGrant(grant: Grant): void {
  const { object } = grant;
  if ('roleRef' in object) checkBinding(object as RoleBinding | ClusterRoleBinding, grant);
  else checkRole(object as Role | ClusterRole, grant);
}

function checkRole(role: Role | ClusterRole, grant: Grant): void {
  const { current, world, judging } = grant;
  const { group, resource } = world.served.definition;
  const { namespace, name } = role.metadata;
  const place = namespace === undefined ? {} : { namespace };
  // Nobody may do something to one of a name only that is not there yet.
  const named = current === undefined ? {} : { name };
  const asked = { user: world.user, verb: 'escalate', group, resource, ...place, ...named };
  if (judging.authorizer.authorize(asked, judging).allowed) return;
  const missing = missingFor(grant, role.rules ?? []);
  if (missing.length > 0) throw refusal(grant, notHeld(world, missing));
  const gathering = [role, current].some((each) => each !== undefined && isGathered(each as ClusterRole));
  if (gathering && missingFor(grant, everything).length > 0)
    throw refusal(grant, 'must have cluster-admin privileges to use the aggregationRule');
}

function checkBinding({ roleRef, metadata }: RoleBinding | ClusterRoleBinding, grant: Grant): void {
  const { world, judging } = grant;
  const { namespace } = metadata;
  const resource = roleRef.kind === roles.kind ? roles.resource : clusterroles.resource;
  const place = namespace === undefined ? {} : { namespace };
  const asked = { user: world.user, verb: 'bind', group: roleRef.apiGroup, resource, name: roleRef.name, ...place };
  if (judging.authorizer.authorize(asked, judging).allowed) return;
  const rules = judging.grants.rulesOf(roleRef, namespace);
  if (rules === undefined) throw new StatusError(noSuchRole(roleRef.kind, roleRef.name));
  const missing = missingFor(grant, rules);
  if (missing.length > 0) throw refusal(grant, notHeld(world, missing));
}

function missingFor({ object, world, judging }: Grant, wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const held = judging.grants.to(world.user, object.metadata.namespace).flatMap(({ rules }) => rules ?? []);
  return missingRules(held, wanted);
}

function notHeld({ user }: AdmissionWorld, missing: readonly PolicyRule[]): string {
  const rules = [...new Set(compactRules(missing).map(formatRule))].sort();
  const who = `user ${JSON.stringify(user.name)} (groups=${formatTexts(user.groups)})`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${rules.join('\n')}`;
}

function refusal({ object, world }: Grant, why: string): StatusError {
  return new StatusError(forbidden(world.served.definition, object.metadata.name, why));
}

function noSuchRole(kind: string, name: string): ReturnType<typeof failure> {
  const { group } = roles;
  const resource = kind.toLowerCase();
  const message = `${resource}.${group} "${name}" not found`;
  return failure(404, 'NotFound', message, { name, group, kind: resource });
}

/** What the garbage collector does to let an object end gives nobody anything. */
function onlyLetsGo(object: KubeObject, current: KubeObject | undefined): boolean {
  return current !== undefined && equal(withoutHolds(object), withoutHolds(current));
}

function withoutHolds(object: KubeObject): object {
  const { ownerReferences: _owners, finalizers: _finalizers, ...metadata } = object.metadata;
  return { ...object, metadata };
}
