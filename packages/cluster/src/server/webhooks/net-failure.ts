import { dialFailure } from '../../passing/dial.ts';

interface Met {
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
}

/** Why nobody was met who could be believed, as upstream's server tells it. */
export function netFailure(error: unknown, { host, port, serverName }: Met): string {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const cause = innermost(error);
  const { code = '', message } = cause as NodeJS.ErrnoException;
  switch (code) {
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'CERT_SIGNATURE_FAILURE':
      return `${untrusted}: certificate signed by unknown authority`;
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${untrusted}: certificate has expired or is not yet valid`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${untrusted}: certificate is not valid for ${JSON.stringify(serverName)}: ${message}`;
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `dial tcp ${address}: i/o timeout`;
    case 'UND_ERR_SOCKET':
      return 'EOF';
    default:
      return dialFailure(cause, address);
  }
}

const untrusted = 'tls: failed to verify certificate: x509';

/** The system's own error stands inside of those of libraries; of several tries the first. */
function innermost(error: unknown): Error {
  let at = error;
  for (;;) {
    if (at instanceof AggregateError && at.errors[0] instanceof Error) at = at.errors[0];
    else if (at instanceof Error && at.cause instanceof Error) at = at.cause;
    else return at instanceof Error ? at : new Error(String(at));
  }
}
