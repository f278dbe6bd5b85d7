import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { certificatesigningrequests, subjectaccessreviews } from '../../api/generated/kinds.ts';
import { controllerUser } from '../../api/system-identities.ts';
import { toTimestamp } from '../../base/clock.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import { createKeyedWork, type RunContext } from '../../runtime/keyed-work.ts';
import { hasCondition, kubeletClientAsked } from './signers.ts';

const name = 'certificatesigningrequest-approving';

interface Recognized {
  /** What whoever asks must be allowed to create. */
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  readonly message: string;
}

/** In upstream's words, which `kubectl get csr -o yaml` shows. */
const recognized: Readonly<Record<'for itself' | 'for another', Recognized>> = {
  'for itself': {
    subresource: 'selfnodeclient',
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
  },
  'for another': {
    subresource: 'nodeclient',
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
  },
};

/** Approves what agents of nodes ask for, where roles say that they may have it. It asks the API, so it is no `Controller`. */
export function createRequestApprover(platform: Platform): Component {
  const { informers, clock } = platform;
  const work = createKeyedWork({
    name,
    user: controllerUser(name),
    platform,
    workers: 2,
    async handle(key, context) {
      const request = informers.of(certificatesigningrequests).get(key);
      if (request !== undefined && isOpen(request)) await decide(request, { context, nowMs: clock.nowMs() });
      return undefined;
    },
  });
  return {
    name,
    async run({ signal }) {
      await informers.sync([certificatesigningrequests], { signal });
      const stop = informers.listen(certificatesigningrequests, ({ type, object }) => {
        if (type !== 'deleted' && isOpen(object)) work.add(object.metadata.name);
      });
      await work.run({ signal }).finally(stop);
    },
  };
}

function isOpen(request: CertificateSigningRequest): boolean {
  return !hasCondition(request, 'Approved', 'Denied') && kubeletClientAsked(request) !== undefined;
}

async function decide(
  request: CertificateSigningRequest,
  { context, nowMs }: { readonly context: RunContext; readonly nowMs: number },
): Promise<void> {
  const asked = kubeletClientAsked(request);
  if (asked === undefined) return;
  const ways = asked === 'for itself' ? [recognized['for itself'], recognized['for another']] : [recognized[asked]];
  for (const { subresource, message } of ways) {
    if (!(await isAllowed(request, subresource, context))) continue;
    await context.client.update(certificatesigningrequests, approved(request, { message, nowMs }), {
      subresource: 'approval',
      signal: context.signal,
    });
    return;
  }
}

async function isAllowed(
  { spec: { username, groups, uid, extra } }: CertificateSigningRequest,
  subresource: string,
  { client, signal }: RunContext,
): Promise<boolean> {
  const { group, resource } = certificatesigningrequests;
  const { status } = await client.create(
    subjectaccessreviews,
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: {
        user: username ?? '',
        ...(groups !== undefined && { groups }),
        ...(uid !== undefined && { uid }),
        ...(extra !== undefined && { extra }),
        resourceAttributes: { group, resource, subresource, verb: 'create', version: '*' },
      },
    } as never,
    { signal },
  );
  return (status as { readonly allowed?: boolean }).allowed === true;
}

function approved(
  request: CertificateSigningRequest,
  { message, nowMs }: { readonly message: string; readonly nowMs: number },
): CertificateSigningRequest {
  const now = toTimestamp(nowMs);
  const condition = {
    ...{ type: 'Approved', status: 'True', reason: 'AutoApproved', message },
    ...{ lastUpdateTime: now, lastTransitionTime: now },
  };
  return {
    ...request,
    status: { ...request.status, conditions: [...(request.status?.conditions ?? []), condition] },
  };
}
