import type { ConfigMap, Namespace, ServiceAccount } from '../../api/generated/core-v1.ts';
import { configmaps, serviceaccounts } from '../../api/generated/kinds.ts';
import type { KubeObject, New } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import { type Action, nothingToDo, type Plan } from '../../runtime/plan.ts';

export const accountName = 'default';
export const rootCertificateName = 'kube-root-ca.crt';

export interface Observed {
  readonly namespace: Namespace;
  readonly account: ServiceAccount | undefined;
  readonly certificate: ConfigMap | undefined;
  /** The authority that signed the API server's certificate, as PEM. Absent: nobody is told. */
  readonly authority: string | undefined;
}

/** Every namespace in use has a service account for pods that name none, and the certificate to trust the API by. */
export function plan({ namespace, account, certificate, authority }: Observed): Plan {
  const { metadata, status } = namespace;
  if (metadata.deletionTimestamp !== undefined || status?.phase === 'Terminating') return nothingToDo;
  const missing = account === undefined ? [creation(metadata.name)] : [];
  if (authority === undefined) return { actions: missing };
  const root = publication(metadata.name, {
    name: rootCertificateName,
    found: certificate,
    data: { 'ca.crt': authority },
    annotations: { 'kubernetes.io/description': 'Certificates to verify the Kubernetes API server with.' },
  });
  return { actions: [...missing, ...root] };
}

function creation(namespace: string): Action {
  const object: New<KubeObject> = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: accountName, namespace },
  };
  return { do: 'create', type: serviceaccounts, object, unless: ['AlreadyExists'] };
}

interface Publication {
  readonly name: string;
  readonly found: ConfigMap | undefined;
  readonly data: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

function publication(namespace: string, { name, found, data, annotations }: Publication): readonly Action[] {
  if (found === undefined) {
    const metadata = { name, namespace, ...(annotations !== undefined && { annotations }) };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as New<KubeObject>;
    return [{ do: 'create', type: configmaps, object, unless: ['AlreadyExists'] }];
  }
  if (equal(found.data, data)) return [];
  const object: ConfigMap = { ...found, data };
  return [{ do: 'update', type: configmaps, object }];
}
