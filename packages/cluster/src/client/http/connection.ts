/** What a client needs to reach an API server and to say who it is. */
export interface Connection {
  /** `https://host:6443`, with a path in front of the API if there is one. */
  readonly server: string;
  readonly tls: ClientTls;
  readonly credentials: CredentialSource;
}

export interface ClientTls {
  /** PEM. Without one the computer's own list of authorities counts. */
  readonly ca?: string;
  /** Takes any certificate. */
  readonly insecureSkipVerify?: boolean;
  /** The name that the server's certificate must bear, instead of the URL's host. */
  readonly serverName?: string;
}

export interface ClientCredentials {
  /** The value of the `Authorization` header. */
  readonly authorization?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
}

export interface CredentialSource {
  /** `refused`: the server did not accept what it was given last, so nothing remembered may be used. */
  get(options: { readonly refused: boolean; readonly signal: AbortSignal }): Promise<ClientCredentials>;
}

export function fixedCredentials(credentials: ClientCredentials): CredentialSource {
  return { get: () => Promise.resolve(credentials) };
}
