import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { isObject, type JsonObject } from '../../api/record.ts';
import { type TokenSigner, tokenIssuer } from '../context/tokens.ts';
import { makeTokenKey } from './token-key.ts';

/** A signature is checked once. Of more tokens than this the one that was shown longest ago is checked again. */
const rememberedMax = 10_000;

export interface TokenTerms {
  /** The default is upstream's usual one. */
  readonly issuer?: string;
  /** Under which names tokens were issued before that still count. */
  readonly formerIssuers?: readonly string[] | undefined;
  /** The default is the issuer. */
  readonly audiences?: readonly string[];
  /** Public or private keys as PEM, also in certificates, whose tokens count besides. */
  readonly checking?: readonly string[];
}

/** `pem`: the private key, asked for at first use. Without one, one is made that ends with the process. */
export function createTokenSigner(pem: () => string = makeTokenKey, terms: TokenTerms = {}): TokenSigner {
  const {
    issuer = tokenIssuer,
    audiences = [issuer, ...(terms.formerIssuers ?? [])],
    checking = [],
    formerIssuers = [],
  } = terms;
  let known: Keys | undefined;
  const keys = (): Keys => {
    known ??= keysOf(pem(), checking);
    return known;
  };
  const remembered = createMemory(rememberedMax);
  return {
    issuer,
    formerIssuers,
    audiences,
    async sign(claims) {
      const { CompactSign } = await import('jose/jws/compact/sign');
      const { signing, own } = keys();
      return new CompactSign(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg: own.algorithm, kid: own.id })
        .sign(signing);
    },
    async read(token) {
      const digest = createHash('sha256').update(token).digest('base64');
      const seen = remembered.get(digest);
      if (seen !== undefined) return seen;
      const claims = await verified(token, keys());
      if (claims !== undefined) remembered.put(digest, claims);
      return claims;
    },
    publicKeys: () => ({
      keys: keys().all.map(({ id, algorithm, key }) => ({
        ...{ use: 'sig', kid: id, alg: algorithm },
        ...key.export({ format: 'jwk' }),
      })),
    }),
  };
}

/** The public half of a key, and the only algorithm that it is used with: which one a token asks for itself counts for nothing. */
interface CheckingKey {
  readonly key: KeyObject;
  readonly id: string;
  readonly algorithm: string;
}

interface Keys {
  readonly signing: KeyObject;
  readonly own: CheckingKey;
  /** With `own` as the first. */
  readonly all: readonly CheckingKey[];
}

/** What is wrong with a private key that is to sign tokens, as PEM; undefined: nothing. Tells nothing of the key. */
export function signingKeyProblem(pem: string): string | undefined {
  return problemOf(() => checkingKey(createPublicKey(createPrivateKey(pem))), 'no private key as PEM');
}

/** What is wrong with keys, or certificates, that are to check tokens, as PEM one after the other; undefined: nothing. */
export function checkingKeysProblem(text: string): string | undefined {
  return problemOf(() => checkingKeysOf(text), 'no public key, private key or certificate as PEM');
}

function problemOf(read: () => unknown, unreadable: string): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof Error && error.message === otherKeys ? `not such a key: ${otherKeys}` : unreadable;
  }
}

function checkingKeysOf(text: string): readonly CheckingKey[] {
  return pemBlocks(text).map((block) => checkingKey(createPublicKey(block)));
}

function keysOf(pem: string, checking: readonly string[]): Keys {
  const signing = createPrivateKey(pem);
  const own = checkingKey(createPublicKey(signing));
  const others = checking.flatMap(checkingKeysOf).filter(({ id }) => id !== own.id);
  return { signing, own, all: [own, ...others] };
}

const otherKeys = 'keys of service account tokens are RSA keys, or ECDSA keys on P-256, P-384 or P-521';

/** Upstream's files of keys may hold several. */
function pemBlocks(text: string): readonly string[] {
  return text.match(/-----BEGIN ([^-]+)-----[\s\S]*?-----END \1-----/g) ?? [text];
}

function checkingKey(key: KeyObject): CheckingKey {
  const algorithm = algorithmOf(key);
  if (algorithm === undefined) throw new Error(otherKeys);
  // As upstream: the digest of the public key's DER.
  const der = key.export({ type: 'spki', format: 'der' });
  return { key, algorithm, id: createHash('sha256').update(der).digest('base64url') };
}

const curves: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  return asymmetricKeyType === 'rsa' ? 'RS256' : curves[asymmetricKeyDetails?.namedCurve ?? ''];
}

async function verified(token: string, { all }: Keys): Promise<JsonObject | undefined> {
  const { compactVerify } = await import('jose/jws/compact/verify');
  const found = (kid: unknown, alg: unknown): KeyObject =>
    all.find(({ id, algorithm }) => id === kid && algorithm === alg)?.key ?? refused();
  try {
    const { payload } = await compactVerify(token, ({ kid, alg }) => found(kid, alg), {
      algorithms: [...new Set(all.map(({ algorithm }) => algorithm))],
    });
    const claims: unknown = JSON.parse(Buffer.from(payload).toString());
    return isObject(claims) ? claims : undefined;
  } catch {
    // Forged, torn or another's: it is all the same to who shows it, and what is wrong may hold parts of the token.
    return undefined;
  }
}

/** Before anything is computed: most tokens that are not ours were signed by somebody else. */
function refused(): never {
  throw new Error('the token was signed with another key');
}

interface Memory {
  get(digest: string): JsonObject | undefined;
  put(digest: string, claims: JsonObject): void;
}

function createMemory(max: number): Memory {
  const entries = new Map<string, JsonObject>();
  const put = (digest: string, claims: JsonObject): void => {
    entries.delete(digest);
    entries.set(digest, claims);
    const [eldest] = entries.keys();
    if (entries.size > max && eldest !== undefined) entries.delete(eldest);
  };
  return {
    put,
    get(digest) {
      const known = entries.get(digest);
      if (known !== undefined) put(digest, known);
      return known;
    },
  };
}
