import { roles } from '../../api/generated/kinds.ts';
import type { Role } from '../../api/generated/rbac-v1.ts';
import type { New } from '../../api/meta.ts';
import { isStatusError } from '../../api/status.ts';
import { apiServer } from '../../api/system-identities.ts';
import type { Performs } from './bootstrap.ts';

const namespace = 'kube-system';
const config = 'extension-apiserver-authentication';

/** The manifests of other API servers bind their accounts to it, so that they read by what they know this one. */
const reader: New<Role> = {
  ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' },
  metadata: { name: `${config}-reader`, namespace, labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } },
  rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [config], verbs: ['get', 'list', 'watch'] }],
};

/** One that is there already stays as its owner made it. */
export async function writeAuthenticationReader(
  server: Performs,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  try {
    const { user } = apiServer;
    await server.perform({ verb: 'create', user, resource: roles, namespace, body: reader, options: {} }, { signal });
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  }
}
