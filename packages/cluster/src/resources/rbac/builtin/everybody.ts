import type { PolicyRule } from '../../../api/generated/rbac-v1.ts';
import { groups } from '../../../api/identities.ts';

/** A role that every cluster has, and whom it is given to from the start. */
export interface BuiltinRole {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Roles with this label make up its rules. */
  readonly gathers?: string;
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  /** `namespace/name` */
  readonly serviceAccounts?: readonly string[];
}

/** What everybody who asks may learn of the server, with and without proof of who they are. */
const publicPaths = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const discoveryPaths = ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez'];

/** What people have at once, and what they are given by name. */
export const rolesForEverybody: readonly BuiltinRole[] = [
  {
    name: 'cluster-admin',
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ],
    groups: [groups.masters],
  },
  {
    name: 'system:basic-user',
    rules: [
      {
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
        verbs: ['create'],
      },
      { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
    ],
    groups: [groups.authenticated],
  },
  {
    name: 'system:discovery',
    rules: [
      {
        nonResourceURLs: [...discoveryPaths, '/openapi', '/openapi/*', '/readyz', '/version', '/version/'],
        verbs: ['get'],
      },
    ],
    groups: [groups.authenticated],
  },
  {
    name: 'system:public-info-viewer',
    rules: [{ nonResourceURLs: publicPaths, verbs: ['get'] }],
    groups: [groups.authenticated, groups.unauthenticated],
  },
  {
    name: 'system:monitoring',
    rules: [
      {
        nonResourceURLs: ['/healthz', '/livez', '/readyz'].flatMap((path) => [path, `${path}/*`]),
        verbs: ['get'],
      },
      { nonResourceURLs: ['/metrics', '/metrics/slis'], verbs: ['get'] },
    ],
    groups: [groups.monitoring],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [
      {
        nonResourceURLs: ['/.well-known/openid-configuration', '/openid/v1/jwks'].flatMap((path) => [path, `${path}/`]),
        verbs: ['get'],
      },
    ],
    groups: [groups.serviceAccounts],
  },
];
