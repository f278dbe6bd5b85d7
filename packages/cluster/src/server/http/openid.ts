import { type JsonWebKeySet, tokenIssuer } from '../context/tokens.ts';
import { bytesAnswer } from './codec/answer.ts';
import type { Route } from './route.ts';

export interface OpenIdSources {
  readonly keys: () => JsonWebKeySet;
  readonly issuer?: string;
  /** Where this server is reached: `https://127.0.0.1:6443`. */
  readonly url: () => string;
}

const keysPath = '/openid/v1/jwks';

/** For those who check tokens of service accounts themselves: who issues them, and the keys to check them by. */
export function openIdRoutes({ keys, issuer = tokenIssuer, url }: OpenIdSources): readonly Route[] {
  const route = (path: string, contentType: string, content: () => object): Route => ({
    ...{ path, covers: 'path', methods: ['GET'], seat: 'read' },
    answer: () =>
      bytesAnswer(200, Buffer.from(JSON.stringify(content())), {
        'content-type': contentType,
        'cache-control': 'public, max-age=3600',
      }),
  });
  return [
    route('/.well-known/openid-configuration', 'application/json', () => ({
      issuer,
      jwks_uri: `${url()}${keysPath}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...new Set(keys().keys.map(({ alg }) => alg))],
    })),
    route(keysPath, 'application/jwk-set+json', keys),
  ];
}
