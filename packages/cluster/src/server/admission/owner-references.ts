import { pods } from '../../api/generated/kinds.ts';
import { isSameResource } from '../../api/gvk.ts';
import type { KubeObject, OwnerReference } from '../../api/meta.ts';
import { forbidden, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';
import type { Authorizer, AuthorizerWorld, ResourceAccess } from '../context/authorizer.ts';
import { ownerReferencesName } from './plugin-choice.ts';

/** The server's context, as far as it matters here. */
type Judging = AuthorizerWorld & { readonly authorizer: Authorizer };

/**
 * Who lets an object go with an owner must be allowed to delete it, and who lets an owner's end wait for it must be allowed
 * to change that owner's finalizers. Whoever makes an object may say whose it is. The refusals are upstream's.
 */
export function createOwnerReferencesCheck(judging: () => Judging): AdmissionPlugin {
  return {
    name: ownerReferencesName,
    resources: 'all',
    checkCreate(object, world) {
      checkBlocking({ object, current: undefined, world, judging: judging() });
    },
    checkUpdate(object, current, world) {
      const owners = object.metadata.ownerReferences ?? [];
      if (owners === current.metadata.ownerReferences || equal(owners, current.metadata.ownerReferences ?? [])) return;
      // That door lets nothing but the status through.
      if (world.subresource === 'status' && isSameResource(world.served.definition, pods)) return;
      const change = { object, current, world, judging: judging() };
      checkDeletable(change);
      checkBlocking(change);
    },
  };
}

interface Change {
  readonly object: KubeObject;
  readonly current: KubeObject | undefined;
  readonly world: AdmissionWorld;
  readonly judging: Judging;
}

function checkDeletable(change: Change): void {
  const { object, world } = change;
  const { group, resource } = world.served.definition;
  const { namespace, name } = object.metadata;
  const part = world.subresource === undefined ? resource : `${resource}/${world.subresource}`;
  const reason = whyNot(change, { verb: 'delete', group, resource: part, name, ...within(namespace) });
  if (reason !== undefined)
    throw refusal(change, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`);
}

function checkBlocking(change: Change): void {
  const owners = newlyBlocking(change);
  if (owners.length === 0) return;
  const anything = { verb: 'update', group: '*', resource: '*/finalizers', name: '*' };
  if (whyNot(change, anything) === undefined) return;
  for (const owner of owners) checkOwner(change, owner);
}

function checkOwner(change: Change, { apiVersion, kind, name }: OwnerReference): void {
  const served = change.judging.registry.ofKind(apiVersion, kind);
  if (served === undefined) {
    const why = `no matches for kind "${kind}" in version "${apiVersion}"`;
    const what = `APIVersion ${apiVersion} Kind ${kind}`;
    throw refusal(
      change,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for ${what}: ${why}`,
    );
  }
  const { group, resource, namespaced } = served.definition;
  const place = namespaced ? within(change.object.metadata.namespace) : {};
  const reason = whyNot(change, { verb: 'update', group, resource: `${resource}/finalizers`, name, ...place });
  const refused = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
  if (reason !== undefined) throw refusal(change, `${refused}: ${reason}, <nil>`);
}

/** Those of owners whose end is to wait, and did not before. */
function newlyBlocking({ object, current }: Change): readonly OwnerReference[] {
  const before = new Map((current?.metadata.ownerReferences ?? []).map((owner) => [owner.uid, owner]));
  return (object.metadata.ownerReferences ?? []).filter(
    ({ uid, blockOwnerDeletion }) => blockOwnerDeletion === true && before.get(uid)?.blockOwnerDeletion !== true,
  );
}

/** Undefined: they may. */
function whyNot({ world, judging }: Change, asked: Omit<ResourceAccess, 'user'>): string | undefined {
  const verdict = judging.authorizer.authorize({ user: world.user, ...asked }, judging);
  return verdict.allowed ? undefined : (verdict.reason ?? '');
}

function within(namespace: string | undefined): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}

function refusal({ object, world }: Change, why: string): StatusError {
  return new StatusError(forbidden(world.served.definition, object.metadata.name, why));
}
