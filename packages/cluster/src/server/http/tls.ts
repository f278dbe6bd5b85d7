import type { SecureContextOptions } from 'node:tls';
import type { RequestHeaderTerms } from '../../api/front-proxy.ts';
import { certificatesIn } from '../auth/client-trust.ts';

/** All PEM. Client certificates count when `ca` has signed them. */
export interface ServerTls {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
  /** Who may say in headers that somebody else asks; absent: nobody. */
  readonly requestHeader?: RequestHeaderTerms | undefined;
}

/** Where nobody signs certificates of clients the list is empty: without one, Node would trust the authorities of the web. */
export function contextOf({ key, cert, ca, requestHeader }: ServerTls): SecureContextOptions {
  const authorities = [...certificatesIn(ca), ...certificatesIn(requestHeader?.ca ?? '')];
  return { key, cert, ca: authorities, minVersion: 'TLSv1.2' };
}
