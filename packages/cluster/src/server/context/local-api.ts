import type { APIResource } from '../../api/generated/meta-v1.ts';
import type { User } from '../../api/operation.ts';

/**
 * A group and version of the API that a part of this process answers for: what it says is made when somebody asks, of whatever
 * it likes. What is shown of stored objects is a `ResourceView`. Names are read from paths as those of all resources are, so
 * that the authorizer is asked about verb, group, resource and namespace before the API itself is.
 */
export interface LocalApi {
  readonly group: string;
  readonly version: string;
  /** Place among the groups and versions of discovery; the default is 100 each, the place of metrics. */
  readonly groupPriority?: number;
  readonly versionPriority?: number;
  /** As discovery lists them. Another array when they have changed; asked often, so it answers at once. */
  resources(): readonly APIResource[];
  /** The object or list that is the answer, with its kind and apiVersion. Throws the `StatusError` of a refusal. */
  answer(request: ApiRequest): Promise<object> | object;
}

/** A read: `GET /apis/custom.metrics.k8s.io/v1beta2/namespaces/a/pods/web/rate` gets `pods/rate` of the pod `web` in `a`. */
export interface ApiRequest {
  readonly verb: 'get' | 'list';
  readonly resource: string;
  /** Absent for what is in no namespace, and for all at once. */
  readonly namespace?: string;
  /** With the verb `get`. */
  readonly name?: string;
  readonly subresource?: string;
  readonly query: URLSearchParams;
  readonly user: User;
  /** Aborts when the client has gone away or its time is up. */
  readonly signal: AbortSignal;
}
