/** `apiregistration.k8s.io/v1`: who answers for a group and version of the API. */
import { type ResourceType, resourceType } from './gvk.ts';
import type { KubeObject } from './meta.ts';

export interface APIServiceReference {
  readonly namespace?: string;
  readonly name?: string;
  readonly port?: number;
}

export interface APIServiceSpec {
  readonly group?: string;
  readonly version?: string;
  /** Absent: this server answers itself. */
  readonly service?: APIServiceReference;
  /** PEM in base64. */
  readonly caBundle?: string;
  readonly insecureSkipTLSVerify?: boolean;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

export interface APIServiceCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface APIService extends KubeObject {
  readonly spec: APIServiceSpec;
  readonly status?: { readonly conditions?: readonly APIServiceCondition[] };
}

export const apiservices: ResourceType<APIService> = resourceType<APIService>({
  ...{ group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices', kind: 'APIService', namespaced: false },
});

/** `v1beta1.metrics.k8s.io`; `v1.` for the core group. */
export function apiServiceName({ group, version }: { readonly group: string; readonly version: string }): string {
  return `${version}.${group}`;
}
