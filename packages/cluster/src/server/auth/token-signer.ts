import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { isObject, type JsonObject } from '../../api/record.ts';
import { assert } from '../../base/assert.ts';
import type { TokenSigner } from '../context/tokens.ts';
import { makeTokenKey, readTokenKey } from './token-key.ts';

/** The only one that is signed with and taken: which one a token asks for itself counts for nothing. */
const algorithm = 'ES256';

/** A signature is checked once. Of more tokens than this the one that was shown longest ago is checked again. */
const rememberedMax = 10_000;

/** `pem`: the private key, asked for at first use. Without one, one is made that ends with the process. */
export function createTokenSigner(pem: () => string = makeTokenKey): TokenSigner {
  let known: Keys | undefined;
  const keys = (): Keys => {
    known ??= keysOf(pem());
    return known;
  };
  const remembered = createMemory(rememberedMax);
  return {
    async sign(claims) {
      const { CompactSign } = await import('jose/jws/compact/sign');
      return new CompactSign(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg: algorithm, kid: keys().id })
        .sign(keys().private);
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
      keys: [{ use: 'sig', kid: keys().id, alg: algorithm, ...keys().public.export({ format: 'jwk' }) }],
    }),
  };
}

interface Keys {
  readonly private: KeyObject;
  readonly public: KeyObject;
  readonly id: string;
}

function keysOf(pem: string): Keys {
  const key = readTokenKey(pem);
  assert(key !== undefined, 'tokens are signed with an ECDSA key on P-256');
  const publicKey = createPublicKey(key);
  // As upstream: the digest of the public key's DER.
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { private: key, public: publicKey, id: createHash('sha256').update(der).digest('base64url') };
}

async function verified(token: string, keys: Keys): Promise<JsonObject | undefined> {
  const { compactVerify } = await import('jose/jws/compact/verify');
  try {
    const { payload } = await compactVerify(token, ({ kid }) => (kid === keys.id ? keys.public : refused()), {
      algorithms: [algorithm],
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
