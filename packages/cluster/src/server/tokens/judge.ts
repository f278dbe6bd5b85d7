import type { Secret } from '../../api/generated/core-v1.ts';
import { nodes, pods, secrets, serviceaccounts } from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import { serviceAccount } from '../../api/identities.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { User } from '../../api/operation.ts';
import { fromTimestamp } from '../../base/clock.ts';
import type { Place } from '../context/admission.ts';
import type { TokenVerdict } from '../context/tokens.ts';
import type { Claimed, Reference } from './claims.ts';

export interface Judging {
  readonly token: string;
  /** Before whom it is shown. */
  readonly audiences: readonly string[];
  /** The API server's own, for which tokens are that name none. */
  readonly own: readonly string[];
  readonly nowMs: number;
  find<T extends KubeObject>(kind: ResourceType<T>, place: Place): T | undefined;
}

/** Clocks differ a little, and so do those who wait for an object to end. As upstream. */
const leewayMs = 60_000;

/** Whether what a token says still holds, at this moment. Its signature was checked before. */
export function judgeClaims(claimed: Claimed, judging: Judging): TokenVerdict {
  const { audiences, own, nowMs } = judging;
  const given = claimed.audiences.length === 0 ? own : claimed.audiences;
  const common = given.filter((each) => audiences.includes(each));
  if (common.length === 0)
    return refusal(`token audiences ${list(given)} is invalid for the target audiences ${list(audiences)}`);
  if (nowMs > claimed.untilMs + leewayMs) return refusal('service account token has expired');
  if (nowMs < claimed.fromMs - leewayMs) return refusal('service account token is not valid yet');
  const ended = accountEnd(claimed, judging) ?? boundEnd(claimed, judging);
  return ended === undefined ? { known: true, user: userOf(claimed), audiences: common } : refusal(ended);
}

function accountEnd({ namespace, account }: Claimed, judging: Judging): string | undefined {
  const found = judging.find(serviceaccounts, { namespace, name: account.name });
  return endOf(found, account, { judging, what: `service account ${namespace}/${account.name}` });
}

function boundEnd({ namespace, pod, node, secret }: Claimed, judging: Judging): string | undefined {
  if (secret !== undefined) return secretEnd({ namespace, secret }, judging);
  if (pod !== undefined) {
    const found = judging.find(pods, { namespace, name: pod.name });
    return endOf(found, pod, { judging, what: `pod ${namespace}/${pod.name}` });
  }
  if (node === undefined) return undefined;
  return endOf(judging.find(nodes, { name: node.name }), node, { judging, what: `node ${node.name}` });
}

/** One that has no uid was made to be kept in its Secret, and must be what stands there. */
function secretEnd(
  { namespace, secret }: { readonly namespace: string; readonly secret: Reference },
  judging: Judging,
): string | undefined {
  const found = judging.find(secrets, { namespace, name: secret.name });
  const ended = endOf(found, secret, { judging, what: `secret ${namespace}/${secret.name}` });
  if (ended !== undefined || secret.uid !== undefined) return ended;
  return isKept(found, judging.token) ? undefined : "the token does not match the server's copy";
}

function isKept(secret: Secret | undefined, token: string): boolean {
  return secret?.data?.['token'] === Buffer.from(token).toString('base64');
}

function endOf(
  found: KubeObject | undefined,
  { uid }: Reference,
  { judging, what }: { readonly judging: Judging; readonly what: string },
): string | undefined {
  if (found === undefined) return `${what} does not exist`;
  if (uid !== undefined && found.metadata.uid !== uid) return `${what} is another than the token was made for`;
  const { deletionTimestamp } = found.metadata;
  if (deletionTimestamp === undefined || fromTimestamp(deletionTimestamp) >= judging.nowMs - leewayMs) return undefined;
  return `${what} has been deleted`;
}

function userOf({ namespace, account, pod, node, id }: Claimed): User {
  const extra = {
    ...(id !== undefined && { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] }),
    ...(node !== undefined && about('node', node)),
    ...(pod !== undefined && about('pod', pod)),
  };
  return {
    ...serviceAccount(namespace, account.name),
    ...(account.uid !== undefined && { uid: account.uid }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function about(what: 'node' | 'pod', { name, uid }: Reference): NonNullable<User['extra']> {
  return {
    [`authentication.kubernetes.io/${what}-name`]: [name],
    ...(uid !== undefined && { [`authentication.kubernetes.io/${what}-uid`]: [uid] }),
  };
}

function refusal(why: string): TokenVerdict {
  return { known: false, why };
}

function list(audiences: readonly string[]): string {
  return `[${audiences.map((each) => JSON.stringify(each)).join(' ')}]`;
}
