import { failure, StatusError } from '../../api/status.ts';

/** Failures before anything reached the server: what was asked for has certainly not been done. */
const beforeSending: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; is the server running?',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up just now',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the host',
  UND_ERR_CONNECT_TIMEOUT: 'the connection took too long',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority; check certificate-authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority; check certificate-authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by an unknown authority; check certificate-authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown authority; check certificate-authority',
  CERT_SIGNATURE_FAILURE: 'its certificate is signed by an unknown authority; check certificate-authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host; check server or tls-server-name',
};

/** A Status for what happened on the way. 503: certainly not done. 504: nobody knows whether it was done. */
export function unreachable(server: string, cause: unknown): StatusError {
  const code = codeOf(cause);
  const why = code === undefined ? undefined : beforeSending[code];
  if (why !== undefined)
    return new StatusError(failure(503, 'ServiceUnavailable', `cannot reach ${server}: ${why}`, {}), { cause });
  const words = cause instanceof Error ? cause.message : String(cause);
  const message = `lost the connection to ${server} before the answer came (${code ?? words}); the request may have been carried out`;
  return new StatusError(failure(504, 'Timeout', message, {}), { cause });
}

/** Nobody answered: it is not the API that says so. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof StatusError && error.cause !== undefined && (error.code === 503 || error.code === 504);
}

function codeOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === 'string') return code;
  }
  return undefined;
}
