/** The sizes of workloads of kinds that others bring along, as their scale says. */
import type { Scale } from '../../api/generated/autoscaling-v1.ts';
import { parseApiVersion, type ResourceType, resourceName } from '../../api/gvk.ts';
import type { OwnerReference } from '../../api/meta.ts';
import { isStatusError } from '../../api/status.ts';
import type { Client } from '../../client/client.ts';
import { noController, type Unread, type Workload } from './expected.ts';

export interface Asking {
  readonly namespace: string;
  /** What is served now. */
  readonly types: readonly ResourceType[];
  readonly client: Pick<Client, 'get'>;
  readonly signal: AbortSignal;
}

/** Asks the API. Rejects where it cannot be asked; what it says is an answer, also a refusal. */
export async function readScale({ unread, pod }: Unread, asking: Asking): Promise<Workload> {
  const { types, namespace, client, signal } = asking;
  const type = typeOf(unread, types);
  if (type === undefined) return { problem: `no matches for kind "${unread.kind}" in version "${unread.apiVersion}"` };
  try {
    const found = await client.get(type, { namespace, name: unread.name, subresource: 'scale', signal });
    const { metadata, spec } = found as unknown as Scale;
    return metadata.uid === unread.uid ? { uid: unread.uid, replicas: spec?.replicas ?? 0 } : noController(pod);
  } catch (error) {
    if (!isStatusError(error)) throw error;
    if (error.status.code !== 404) return { problem: error.message };
    // One that is not there is named; of a door that is not there nothing is.
    const isGone = error.status.details?.name !== undefined;
    return isGone ? noController(pod) : { problem: `${resourceName(type)} does not implement the scale subresource` };
  }
}

/** Any served version of the kind will do; the one of the reference is preferred. */
function typeOf({ apiVersion, kind }: OwnerReference, types: readonly ResourceType[]): ResourceType | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  const fitting = types.filter((type) => type.kind === kind && type.group === group && type.namespaced);
  return fitting.find((type) => type.version === version) ?? fitting[0];
}
