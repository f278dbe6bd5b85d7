import { createHash, timingSafeEqual } from 'node:crypto';
import { authenticated } from '../../api/identities.ts';
import type { User } from '../../api/operation.ts';
import { failure, type Status } from '../../api/status.ts';
import { type AuthenticateToken, apiAudiences, type TokenVerdict } from '../context/tokens.ts';

/** What a request brings along to say who it comes from. */
export interface Credentials {
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** The subject of a client certificate that our authority has signed; never of any other. */
  readonly certificate: CertificateSubject | undefined;
  /** Whom a proxy says that asks, which has shown that it may say so; never anybody else. */
  readonly proxied?: User | undefined;
  /** A certificate was shown that nobody here has signed, or that has run out. */
  readonly isStrange?: boolean;
  /** `Impersonate-User` and `Impersonate-Group` headers. */
  readonly impersonate: User | undefined;
}

export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the whole certificate, in lower hexadecimal digits. */
  readonly digest: string;
}

export type Authentication =
  /** `as`: whom the user wants to act for, which the authorizer has to allow. */
  | { readonly is: 'user'; readonly user: User; readonly as?: User }
  | { readonly is: 'anonymous' }
  /** Credentials were shown and are wrong. */
  | { readonly is: 'refused'; readonly status: Status };

/** A promise only where a signature has to be checked. */
export type Authenticate = (credentials: Credentials) => Authentication | Promise<Authentication>;

export interface KnownToken {
  readonly token: string;
  readonly user: User;
}

export interface AuthenticateOptions {
  /** Bearer tokens and whom they stand for. */
  readonly tokens: readonly KnownToken[];
  /** Who stands behind all other tokens. The default knows nobody. */
  readonly others?: AuthenticateToken;
  /** False refuses whoever says nothing of who they are, also at `/healthz`. The default leaves that to the roles. */
  readonly anonymous?: boolean | undefined;
}

/** What a proxy in front says counts first, then a client certificate, then a bearer token. */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { tokens, others = nobody, anonymous = true } = options;
  const known = knownTokens(tokens);
  const authenticate: Authenticate = ({ authorization, certificate, proxied, isStrange = false, impersonate }) => {
    const shown = proxied ?? (certificate && userOf(certificate));
    const who = shown === undefined ? byToken(authorization, { known, others, isStrange }) : ofUser(shown);
    return who instanceof Promise ? who.then((found) => acting(found, impersonate)) : acting(who, impersonate);
  };
  return anonymous ? authenticate : knownOnly(authenticate);
}

function knownOnly(authenticate: Authenticate): Authenticate {
  const refused = (who: Authentication): Authentication => (who.is === 'anonymous' ? unauthorized() : who);
  return (credentials) => {
    const who = authenticate(credentials);
    return who instanceof Promise ? who.then(refused) : refused(who);
  };
}

function acting(who: Authentication, impersonate: User | undefined): Authentication {
  return impersonate === undefined || who.is !== 'user' ? who : { ...who, as: impersonate };
}

const nobody: AuthenticateToken = () => ({ known: false });

interface Known {
  readonly known: SynchronousVerdict;
  readonly others: AuthenticateToken;
  readonly isStrange: boolean;
}

function byToken(
  authorization: string | undefined,
  { known, others, isStrange }: Known,
): Authentication | Promise<Authentication> {
  // Who shows a certificate wants to be known by it: they learn that they are not.
  if (authorization === undefined || authorization.trim() === '')
    return isStrange ? unauthorized() : { is: 'anonymous' };
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token === undefined) return unauthorized();
  const found = known(token);
  if (found.known) return ofVerdict(found);
  const verdict = others(token);
  return verdict instanceof Promise ? verdict.then(ofVerdict) : ofVerdict(verdict);
}

type SynchronousVerdict = (token: string, audiences?: readonly string[]) => TokenVerdict;

/** Such a token is good for the API server, and says so to whoever asks for others. */
export function knownTokens(tokens: readonly KnownToken[]): SynchronousVerdict {
  const known = tokens.map(({ token, user }) => ({ digest: sha256(token), user }));
  return (token, asked = apiAudiences) => {
    const digest = sha256(token);
    // Every token is compared, and digests instead of tokens, so that the time taken tells nothing.
    let found: User | undefined;
    for (const candidate of known) if (timingSafeEqual(candidate.digest, digest)) found = candidate.user;
    const audiences = asked.filter((each) => apiAudiences.includes(each));
    return found === undefined || audiences.length === 0
      ? { known: false }
      : { known: true, user: authenticated(found), audiences };
  };
}

/** What is wrong with a token is not for those to know who show it, as upstream. */
function ofVerdict(verdict: TokenVerdict): Authentication {
  return verdict.known ? ofUser(verdict.user) : unauthorized();
}

/** Which certificate it was stands with the user, so that an audit can tell two of the same name apart. */
function userOf({ commonName, organizations, digest }: CertificateSubject): User {
  const extra = { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${digest}`] };
  return { name: commonName, groups: organizations, extra };
}

function ofUser(user: User): Authentication {
  return { is: 'user', user: authenticated(user) };
}

/** As upstream says it to whoever it does not know. */
export function unauthorized(): Authentication {
  return { is: 'refused', status: failure(401, 'Unauthorized', 'Unauthorized') };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
