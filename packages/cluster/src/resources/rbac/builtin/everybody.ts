/** What people have at once, and what they are given by name. */
import { type BuiltinRole, rulesIn } from './role.ts';

export const rolesForEverybody: readonly BuiltinRole[] = [
  {
    name: 'cluster-admin',
    rules: rulesIn(`
      *: * in *
      *: *
    `),
    groups: ['system:masters'],
  },
  {
    name: 'system:basic-user',
    rules: rulesIn(`
      create: selfsubjectaccessreviews selfsubjectrulesreviews in authorization.k8s.io
      create: selfsubjectreviews in authentication.k8s.io
    `),
    groups: ['system:authenticated'],
  },
  {
    name: 'system:discovery',
    rules: rulesIn(`
      get: /api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/
    `),
    groups: ['system:authenticated'],
  },
  {
    name: 'system:public-info-viewer',
    rules: rulesIn(`
      get: /healthz /livez /readyz /version /version/
    `),
    groups: ['system:authenticated', 'system:unauthenticated'],
  },
  {
    name: 'system:monitoring',
    rules: rulesIn(`
      get: /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*
      get: nodes/metrics
    `),
    groups: ['system:monitoring'],
  },
  {
    name: 'system:auth-delegator',
    rules: rulesIn(`
      create: tokenreviews in authentication.k8s.io
      create: subjectaccessreviews in authorization.k8s.io
    `),
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: rulesIn(`
      get: /.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks
        /openid/v1/jwks/
    `),
    groups: ['system:serviceaccounts'],
  },
];
