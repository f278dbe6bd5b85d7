import type { TLSConfig } from '../resources/fields.ts';
import type { Place } from './checks.ts';

export interface Login {
  readonly bearerTokenFile?: string | undefined;
  readonly tlsConfig?: TLSConfig | undefined;
}

/** Rejects files of the agent's container, which belong to the administrator. `forbidden` says whose word that is. */
export function denyFiles(
  { bearerTokenFile, tlsConfig }: Login,
  { leaf, at, forbidden }: Place & { readonly forbidden: string },
): void {
  const files = {
    bearerTokenFile,
    'tlsConfig.caFile': tlsConfig?.caFile,
    'tlsConfig.certFile': tlsConfig?.certFile,
    'tlsConfig.keyFile': tlsConfig?.keyFile,
  };
  for (const [field, file] of Object.entries(files))
    if (file !== undefined && file !== '')
      leaf.reject('FileAccessDenied', `${at}.${field}`, `${forbidden}: use a Secret`);
}
