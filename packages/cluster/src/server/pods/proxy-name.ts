import { badRequest, StatusError } from '../../api/status.ts';

/** Whom a proxy leads to: `web`, `web:8080`, `https:web:8443`. */
export interface ProxyName {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  /** Empty: not given. */
  readonly port: string;
}

export interface PodPort {
  readonly pod: { readonly name: string; readonly node: string };
  readonly port: number;
  readonly scheme: 'http' | 'https';
}

export function proxyName(text: string): ProxyName {
  const parts = text.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme))
    throw new StatusError(
      badRequest(`invalid proxy request "${text}": it is [SCHEME:]NAME[:PORT], with http or https`),
    );
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port };
}
