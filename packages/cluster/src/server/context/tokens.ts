import type { User } from '../../api/operation.ts';
import type { JsonObject } from '../../api/record.ts';

/** Signs what the tokens of service accounts claim, and reads it back. */
export interface TokenSigner {
  /** Who signs, as tokens of service accounts name it. */
  readonly issuer: string;
  /** Whose tokens count besides: names that this issuer had before. */
  readonly formerIssuers?: readonly string[];
  /** For whom they are when nobody says: the API server. */
  readonly audiences: readonly string[];
  sign(claims: JsonObject): Promise<string>;
  /** What a token claims that was signed here. Undefined for anything else, whatever it looks like. */
  read(token: string): Promise<JsonObject | undefined>;
  /** The public half of the key, for those who check tokens themselves (RFC 7517). */
  publicKeys(): JsonWebKeySet;
}

export interface JsonWebKeySet {
  readonly keys: readonly JsonObject[];
}

export type TokenVerdict =
  | { readonly known: true; readonly user: User; readonly audiences: readonly string[] }
  /** `why` never holds anything of the token. Absent: it is no token of ours. */
  | { readonly known: false; readonly why?: string };

/** Whom a bearer token stands for before these audiences; the default is the API server's own. */
export type AuthenticateToken = (token: string, audiences?: readonly string[]) => TokenVerdict | Promise<TokenVerdict>;

/** As upstream's clusters are set up: who issues tokens, and for whom they are when nobody says. */
export const tokenIssuer = 'https://kubernetes.default.svc.cluster.local';
export const apiAudiences: readonly string[] = [tokenIssuer];
