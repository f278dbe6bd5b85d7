import type {
  Client,
  Cluster,
  DaemonSet,
  Deployment,
  KubeObject,
  Node,
  Pod,
  ReplicaSet,
  StatefulSet,
} from '@signalbox/cluster';
import type { Served } from '@signalbox/cluster/testing';

/** Everything that the API shows at one moment. */
export interface World {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly daemonsets: readonly DaemonSet[];
  readonly statefulsets: readonly StatefulSet[];
  readonly deployments: readonly Deployment[];
  readonly replicasets: readonly ReplicaSet[];
  /** All objects, events too. */
  readonly objects: readonly KubeObject[];
  /** All objects by `<group>/<version>/<plural>`. */
  readonly byResource: ReadonlyMap<string, readonly KubeObject[]>;
}

/** What a checker says: which object, and what is wrong with it. */
export type Finding = string;

export function followed(cluster: Cluster): readonly Served[] {
  return cluster.api
    .describe()
    .filter(({ traits }) => ['list', 'watch'].every((verb) => traits.verbs.some((each) => each === verb)));
}

export async function lookAtWorld(cluster: Cluster, client: Client): Promise<World> {
  const { signal } = new AbortController();
  const byResource = new Map<string, readonly KubeObject[]>();
  for (const { definition, id } of followed(cluster))
    byResource.set(id, (await client.list<KubeObject>(definition, { signal })).items);
  const of = <T extends KubeObject>(id: string): readonly T[] => (byResource.get(id) ?? []) as readonly T[];
  return {
    nodes: of('/v1/nodes'),
    pods: of('/v1/pods'),
    daemonsets: of('apps/v1/daemonsets'),
    statefulsets: of('apps/v1/statefulsets'),
    deployments: of('apps/v1/deployments'),
    replicasets: of('apps/v1/replicasets'),
    objects: [...byResource.values()].flat(),
    byResource,
  };
}

export function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}
