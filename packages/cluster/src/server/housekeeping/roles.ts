import { clusterrolebindings, clusterroles } from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { apiServer } from '../../api/system-identities.ts';
import type { BuiltinPolicy } from '../../resources/rbac/builtin/builtin.ts';
import { reconciledBinding, reconciledRole } from '../../resources/rbac/builtin/reconcile.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import { create } from '../writing/create.ts';
import { deleteObject } from '../writing/delete.ts';
import { update } from '../writing/update.ts';

const { user } = apiServer;

/**
 * Writes the roles and bindings that every cluster has, where they are missing or behind. They hold before they are written,
 * so nobody has to wait for it. All at once: they share one sync of the disk.
 */
export async function writeRoles(
  context: ServerContext,
  { roles, bindings }: BuiltinPolicy,
  waiting: { readonly signal: AbortSignal },
): Promise<void> {
  // Drawn from apart, so that what is named later is called the same with and without them.
  const own: ServerContext = { ...context, random: context.random.fork('roles') };
  await Promise.all([
    ...roles.map((role) => bringUp(own, { type: clusterroles, expected: role, reconciled: reconciledRole }, waiting)),
    ...bindings.map((binding) =>
      bringUp(own, { type: clusterrolebindings, expected: binding, reconciled: reconciledBinding }, waiting),
    ),
  ]);
}

interface Wanted<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly expected: T;
  reconciled(stored: T, expected: T): T | undefined;
}

async function bringUp<T extends KubeObject>(
  context: ServerContext,
  { type, expected, reconciled }: Wanted<T>,
  waiting: { readonly signal: AbortSignal },
): Promise<void> {
  const served = context.registry.find(type);
  if (served === undefined) return;
  const { name } = expected.metadata;
  const stored = context.store.get(objectKey(served.prefix, undefined, name))?.value as T | undefined;
  const next = stored === undefined ? undefined : reconciled(stored, expected);
  const target = { resource: type as ResourceType, user, options: {} };
  if (next !== undefined) {
    if (next === stored) return;
    await update(context, { served, operation: { ...target, verb: 'update', name, body: next } }, waiting);
    return;
  }
  if (stored !== undefined)
    await deleteObject(context, { served, operation: { ...target, verb: 'delete', name } }, waiting);
  await create(context, { served, operation: { ...target, verb: 'create', body: expected } }, waiting);
}
