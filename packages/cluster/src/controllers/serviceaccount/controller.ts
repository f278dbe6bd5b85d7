import { configmaps, namespaces, serviceaccounts } from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { type Controller, mapped, primary, type Watch } from '../../runtime/controller.ts';
import { accountName, type Observed, plan, rootCertificateName } from './plan.ts';

export interface ServiceAccountOptions {
  /** The authority that signed the API server's certificate, as PEM. Absent: no `kube-root-ca.crt` is published. */
  readonly authority?: PublishedAuthority;
}

/** PEM of certificate authorities, which change while the cluster runs: one that nears its end gets a successor. */
export interface PublishedAuthority {
  pem(): string;
  /** Calls `wake` after every change. Returns how to stop it. */
  onChange(wake: () => void): () => void;
}

/** Keeps in every namespace the service account `default` and, if there is one, the API's root certificate. */
export function serviceaccountController({ authority }: ServiceAccountOptions = {}): Controller<Observed> {
  return {
    name: 'service-account',
    watches: [
      primary(namespaces),
      named(serviceaccounts, [accountName]),
      ...(authority === undefined ? [] : [named(configmaps, [rootCertificateName])]),
    ],
    ...(authority !== undefined && {
      wakes: (add, caches) =>
        authority.onChange(() => {
          for (const { metadata } of caches.of(namespaces).values()) add(metadata.name);
        }),
    }),
    observe(key, caches) {
      const namespace = caches.of(namespaces).get(key);
      return (
        namespace && {
          namespace,
          account: caches.of(serviceaccounts).get(`${key}/${accountName}`),
          certificate: authority && caches.of(configmaps).get(`${key}/${rootCertificateName}`),
          authority: authority?.pem(),
        }
      );
    },
    plan,
  };
}

/** A change of an object of such a name wakes its namespace; all others cost a comparison. */
function named(type: ResourceType, names: readonly string[]): Watch {
  return mapped<KubeObject>(type, ({ type: change, object: { metadata } }) =>
    names.includes(metadata.name) && change !== 'added' ? [metadata.namespace ?? ''] : [],
  );
}
