import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { certificatesigningrequests } from '../../api/generated/kinds.ts';
import { groups } from '../../api/identities.ts';
import type { User } from '../../api/operation.ts';
import { forbidden, StatusError } from '../../api/status.ts';
import { type CertificateRequest, parseCertificateRequest } from '../../resources/certificates/request.ts';
import type { AdmissionPlugin } from '../context/admission.ts';

const clientSigner = 'kubernetes.io/kube-apiserver-client';

/** A request for a certificate says who made it, whatever its body says; nobody asks for one of the masters. */
export const certificateAdmission: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  resources: [certificatesigningrequests],
  create(object, { user }) {
    const request = object as CertificateSigningRequest;
    const { spec } = request;
    const asked = spec.signerName === clientSigner ? readable(spec.request) : undefined;
    if (asked?.organizations.includes(groups.masters) === true)
      throw new StatusError(
        forbidden(
          certificatesigningrequests,
          request.metadata.name,
          `use of ${clientSigner} signer with ${groups.masters} group is not allowed`,
        ),
      );
    return { ...request, spec: ofRequestor(spec, user) } as CertificateSigningRequest;
  },
};

type Spec = CertificateSigningRequest['spec'];

/** The wish, with who has it in place of who the body says. */
function ofRequestor(spec: Spec, { name, uid, groups: memberships, extra }: User): Spec {
  const { username: _username, uid: _uid, groups: _groups, extra: _extra, ...wish } = spec;
  return {
    ...wish,
    username: name,
    ...(uid !== undefined && uid !== '' && { uid }),
    ...(memberships.length > 0 && { groups: memberships }),
    ...(extra !== undefined && Object.keys(extra).length > 0 && { extra }),
  };
}

/** What is no request is refused by validation, which says why. */
function readable(request: string | undefined): CertificateRequest | undefined {
  try {
    return parseCertificateRequest(request ?? '');
  } catch {
    return undefined;
  }
}
