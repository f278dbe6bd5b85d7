import { proxyClientName, remoteHeaderNames } from '../../api/front-proxy.ts';
import type { ConfigMap, Namespace, ServiceAccount } from '../../api/generated/core-v1.ts';
import { configmaps, serviceaccounts } from '../../api/generated/kinds.ts';
import type { KubeObject, New } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import { type Action, nothingToDo, type Plan } from '../../runtime/plan.ts';

export const accountName = 'default';
export const rootCertificateName = 'kube-root-ca.crt';
/** Where API servers that extend this one learn whose client certificates to believe. */
export const clientAuthorityName = 'extension-apiserver-authentication';
export const systemNamespace = 'kube-system';

export interface Observed {
  readonly namespace: Namespace;
  readonly account: ServiceAccount | undefined;
  readonly certificate: ConfigMap | undefined;
  /** In `kube-system` only. */
  readonly clientAuthority: ConfigMap | undefined;
  /** The authority that signed the API server's certificate, as PEM. Absent: nobody is told. */
  readonly authority: string | undefined;
}

/** Every namespace in use has a service account for pods that name none, and the certificate to trust the API by. */
export function plan({ namespace, account, certificate, clientAuthority, authority }: Observed): Plan {
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
  if (metadata.name !== systemNamespace) return { actions: [...missing, ...root] };
  const data = believed(authority);
  const clients = publication(metadata.name, { name: clientAuthorityName, found: clientAuthority, data });
  return { actions: [...missing, ...root, ...clients] };
}

/** Whose certificates other API servers believe, and who may say in headers that somebody else asks. */
function believed(authority: string): Readonly<Record<string, string>> {
  const listed = (...values: readonly string[]): string => JSON.stringify(values);
  return {
    'client-ca-file': authority,
    'requestheader-allowed-names': listed(proxyClientName),
    'requestheader-client-ca-file': authority,
    'requestheader-extra-headers-prefix': listed(remoteHeaderNames.extraPrefix),
    'requestheader-group-headers': listed(remoteHeaderNames.group),
    'requestheader-uid-headers': listed(remoteHeaderNames.uid),
    'requestheader-username-headers': listed(remoteHeaderNames.user),
  };
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
