import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { certificatesigningrequests } from '../../api/generated/kinds.ts';
import { controllerUser } from '../../api/system-identities.ts';
import { toTimestamp } from '../../base/clock.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import { createKeyedWork } from '../../runtime/keyed-work.ts';
import { hasCondition, isIssued, signability, validity } from './signers.ts';

/** What is to be certified, and for what. */
export interface SigningWish {
  /** The request as it stands in a CertificateSigningRequest: PEM in base64. */
  readonly request: string;
  readonly usages: readonly string[];
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** PEM. Ends with the authority, if that is sooner. */
export type SignCertificate = (wish: SigningWish) => Promise<string>;

const name = 'certificatesigningrequest-signing';

/** Signs what was approved for the signers that every cluster has. To sign takes a moment, so it is no `Controller` whose plan is pure. */
export function createRequestSigner(platform: Platform, sign: SignCertificate): Component {
  const { informers, clock } = platform;
  const work = createKeyedWork({
    name,
    user: controllerUser(name),
    platform,
    workers: 2,
    async handle(key, { perform }) {
      const request = informers.of(certificatesigningrequests).get(key);
      if (request === undefined || !isDue(request)) return undefined;
      const status = await outcome(request, { sign, nowMs: clock.nowMs() });
      if (status === undefined) return undefined;
      const object: CertificateSigningRequest = { ...request, status };
      await perform([{ do: 'setStatus', type: certificatesigningrequests, object }]);
      return undefined;
    },
  });
  return {
    name,
    async run({ signal }) {
      await informers.sync([certificatesigningrequests], { signal });
      const stop = informers.listen(certificatesigningrequests, ({ type, object }) => {
        if (type !== 'deleted' && isDue(object)) work.add(object.metadata.name);
      });
      await work.run({ signal }).finally(stop);
    },
  };
}

function isDue(request: CertificateSigningRequest): boolean {
  return hasCondition(request, 'Approved') && !hasCondition(request, 'Denied', 'Failed') && !isIssued(request);
}

/** Undefined: it is for others to sign. */
async function outcome(
  request: CertificateSigningRequest,
  { sign, nowMs }: { readonly sign: SignCertificate; readonly nowMs: number },
): Promise<CertificateSigningRequest['status'] | undefined> {
  const { spec, status } = request;
  const found = signability(request);
  switch (found.is) {
    case 'others':
      return undefined;
    case 'fault': {
      const now = toTimestamp(nowMs);
      const failed = {
        ...{ type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message: found.message },
        ...{ lastUpdateTime: now, lastTransitionTime: now },
      };
      return { ...status, conditions: [...(status?.conditions ?? []), failed] };
    }
    case 'signable': {
      const pem = await sign({ request: spec.request, usages: spec.usages ?? [], ...validity(request, nowMs) });
      return { ...status, certificate: Buffer.from(pem).toString('base64') };
    }
    default:
      return found satisfies never;
  }
}
