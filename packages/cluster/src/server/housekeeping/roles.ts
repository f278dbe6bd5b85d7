import { clusterrolebindings, clusterroles, rolebindings, roles as roleType } from '../../api/generated/kinds.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../api/generated/rbac-v1.ts';
import type { ResourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { toTimestamp } from '../../base/clock.ts';
import { type Random, randomUuid } from '../../base/random.ts';
import type { BuiltinPolicy } from '../../resources/rbac/builtin/builtin.ts';
import { reconciledBinding, reconciledRole } from '../../resources/rbac/builtin/reconcile.ts';
import type { Stored } from '../../store/store.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import { commit } from '../writing/commit.ts';
import { ownRequest } from './own-request.ts';

/**
 * Writes the roles and bindings that every cluster has, where they are missing or behind. They hold before they are written.
 * What is our own is not judged again, and all of it shares one sync of the disk: a start waits for this.
 */
export async function writeRoles(context: ServerContext, policy: BuiltinPolicy): Promise<void> {
  const { roles, bindings, namespaced } = policy;
  // Drawn from apart, so that what is named later is called the same with and without them.
  const random = context.random.fork('roles');
  await Promise.all([
    ...roles.map((expected) => bringUp(context, { type: clusterroles, expected, reconciled: reconciledRole, random })),
    ...bindings.map((expected) =>
      bringUp(context, { type: clusterrolebindings, expected, reconciled: reconciledBinding, random }),
    ),
    ...namespaced.roles.map((expected) =>
      bringUp(context, {
        type: roleType,
        expected,
        reconciled: reconciledAs<Role, ClusterRole>(reconciledRole),
        random,
      }),
    ),
    ...namespaced.bindings.map((expected) => {
      const reconciled = reconciledAs<RoleBinding, ClusterRoleBinding>(reconciledBinding);
      return bringUp(context, { type: rolebindings, expected, reconciled, random });
    }),
  ]);
}

/** Those of a namespace differ from those of the cluster in their place alone. */
function reconciledAs<T extends KubeObject, U extends KubeObject>(
  reconciled: (stored: U, expected: U) => U | undefined,
): (stored: T, expected: T) => T | undefined {
  return (stored, expected) => reconciled(stored as unknown as U, expected as unknown as U) as unknown as T | undefined;
}

interface Wanted<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly expected: T;
  readonly random: Random;
  /** Undefined: what is stored has to give way to a new one. */
  reconciled(stored: T, expected: T): T | undefined;
}

async function bringUp<T extends KubeObject>(context: ServerContext, wanted: Wanted<T>): Promise<void> {
  const { type, expected, reconciled } = wanted;
  const served = context.registry.find(type);
  if (served === undefined) return;
  const key = objectKey(served.prefix, expected.metadata.namespace, expected.metadata.name);
  const stored = context.store.get(key);
  const object = stored?.value as T | undefined;
  const next = object === undefined ? undefined : reconciled(object, expected);
  if (next !== undefined && next === object) return;
  // Whoever is faster than this knows better.
  if (stored !== undefined && next !== undefined) await replace(context, { served, key, stored, after: next });
  else {
    if (stored !== undefined) await replace(context, { served, key, stored, after: stored.value as T, ends: true });
    const after = created(context, wanted);
    await commit(context, { request: ownRequest(served, 'create'), key, after, ends: false });
  }
}

interface Replacement {
  readonly served: Served;
  readonly key: string;
  readonly stored: Stored;
  readonly after: KubeObject;
  readonly ends?: boolean;
}

async function replace(
  context: ServerContext,
  { served, key, stored, after, ends = false }: Replacement,
): Promise<void> {
  const before = { stored, object: stored.value as KubeObject };
  await commit(context, { request: ownRequest(served, ends ? 'delete' : 'update'), key, before, after, ends });
}

function created<T extends KubeObject>({ clock }: ServerContext, { expected, random }: Wanted<T>): T {
  const uid = randomUuid(random);
  const creationTimestamp = toTimestamp(clock.nowMs());
  return { ...expected, metadata: { ...expected.metadata, uid, creationTimestamp } };
}
