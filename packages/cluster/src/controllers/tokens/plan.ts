import type { Secret, ServiceAccount } from '../../api/generated/core-v1.ts';
import { secrets, serviceaccounts } from '../../api/generated/kinds.ts';
import { equal } from '../../base/equal.ts';
import type { Delete, Update } from '../../runtime/plan.ts';

export const tokenType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';

/** Whose token a Secret holds; undefined for all other Secrets. */
export function accountNameOf({ type, metadata }: Secret): string | undefined {
  return type === tokenType ? metadata.annotations?.[nameAnnotation] : undefined;
}

/** Whether it was made for this account, and not for one before it of the same name. */
export function belongsTo(secret: Secret, account: ServiceAccount): boolean {
  const uid = secret.metadata.annotations?.[uidAnnotation] ?? '';
  return uid === '' || uid === account.metadata.uid;
}

export function hasToken({ data }: Secret): boolean {
  return (data?.['token'] ?? '') !== '';
}

/** The token of an account that is gone lets nobody in any more. */
export function removal(secret: Secret): Delete {
  const { uid, resourceVersion } = secret.metadata;
  return { do: 'delete', type: secrets, target: secret, options: { preconditions: { uid, resourceVersion } } };
}

export interface Filling {
  readonly account: ServiceAccount;
  /** A new one; undefined leaves the one that is there. */
  readonly token: string | undefined;
  /** Who signed the API server's certificate, as PEM. Absent: nobody is told. */
  readonly authority: string | undefined;
}

/** The Secret with all that its reader needs to call the API; undefined when it holds that already. */
export function completion(secret: Secret, { account, token, authority }: Filling): Update | undefined {
  const { namespace = '', uid } = account.metadata;
  const data = {
    ...secret.data,
    ...(authority !== undefined && { 'ca.crt': base64(authority) }),
    namespace: base64(namespace),
    ...(token !== undefined && { token: base64(token) }),
  };
  const annotations = { ...secret.metadata.annotations, [uidAnnotation]: uid };
  if (equal(data, secret.data) && equal(annotations, secret.metadata.annotations)) return undefined;
  const object: Secret = { ...secret, metadata: { ...secret.metadata, annotations }, data };
  return { do: 'update', type: secrets, object };
}

/** The account without a Secret among those that it lists; undefined where it lists none such. Images are pulled by others. */
export function withoutReference(account: ServiceAccount, { metadata }: Secret): Update | undefined {
  const { secrets: listed = [] } = account;
  const left = listed.filter(({ name }) => name !== metadata.name);
  if (left.length === listed.length) return undefined;
  const object: ServiceAccount = { ...account, secrets: left };
  return { do: 'update', type: serviceaccounts, object };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
