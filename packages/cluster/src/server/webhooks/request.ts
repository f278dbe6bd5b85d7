import type { KubeObject } from '../../api/meta.ts';
import type { JsonObject } from '../../api/record.ts';
import { type Described, describeRequest } from '../admission/request.ts';

export interface AdmissionQuestion extends Described {
  readonly version: ReviewVersion;
  readonly uid: string;
  /** Of the version as which the webhook takes the resource. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

export type ReviewVersion = 'v1' | 'v1beta1';

/** The first of the versions that this server speaks as well. */
export function reviewVersion(understood: readonly string[]): ReviewVersion | undefined {
  return understood.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1');
}

/** What is posted to a webhook: an AdmissionReview. */
export function admissionReview({ version, uid, object, oldObject, ...described }: AdmissionQuestion): JsonObject {
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...describeRequest(described), object: object ?? null, oldObject: oldObject ?? null },
  };
}
