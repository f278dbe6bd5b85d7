import type { Secret, ServiceAccount } from '../../api/generated/core-v1.ts';
import type { ResourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { Place } from '../context/admission.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey, resourcePrefix } from '../context/keys.ts';
import type { AuthenticateToken, JsonWebKeySet } from '../context/tokens.ts';
import { readClaims, secretClaimsOf } from './claims.ts';
import { judgeClaims } from './judge.ts';

/** The tokens of service accounts, for those who stand around the API server. */
export interface AccountTokens {
  readonly authenticate: AuthenticateToken;
  /** Signs one without an end, which goes with the Secret that it is kept in. */
  forSecret(account: ServiceAccount, secret: Secret): Promise<string>;
  publicKeys(): JsonWebKeySet;
  readonly issuer: string;
}

type Looking = Pick<ServerContext, 'store' | 'clock' | 'tokenSigner'>;

export function createAccountTokens(context: () => Looking): AccountTokens {
  return {
    authenticate: async (token, audiences) => {
      const { tokenSigner, clock, store } = context();
      const { audiences: own } = tokenSigner;
      const claims = looksSigned(token) ? await tokenSigner.read(token) : undefined;
      const claimed = claims === undefined ? undefined : readClaims(claims, tokenSigner);
      if (claimed === undefined) return { known: false };
      return judgeClaims(claimed, {
        token,
        audiences: audiences ?? own,
        own,
        nowMs: clock.nowMs(),
        find: findIn(store),
      });
    },
    forSecret: (account, secret) => context().tokenSigner.sign(secretClaimsOf(account, secret)),
    publicKeys: () => context().tokenSigner.publicKeys(),
    get issuer() {
      return context().tokenSigner.issuer;
    },
  };
}

/** Three parts; all else is no concern of those who check signatures. */
function looksSigned(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}

export function findIn(
  store: ServerContext['store'],
): <T extends KubeObject>(kind: ResourceType<T>, place: Place) => T | undefined {
  return <T extends KubeObject>(kind: ResourceType<T>, { namespace, name }: Place) =>
    store.get(objectKey(resourcePrefix(kind), namespace, name))?.value as T | undefined;
}
