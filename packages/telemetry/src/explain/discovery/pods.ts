import { nodes, type Pod, pods } from '@signalbox/cluster';
import type { LabelSet } from '../../relabel/execute.ts';
import { portLabels, portsOf } from '../../scrape/pod-ports.ts';
import type { World } from '../../world/world.ts';
import { hostPort, meta, objectLabels, podLabels } from './meta-labels.ts';

/** One target per declared port; a container that declares none is one target without a port. Pods without an address are none. */
export function podTargets(pod: Pod): readonly LabelSet[] {
  const ip = pod.status?.podIP ?? '';
  if (ip === '') return [];
  const common = { [`${meta}namespace`]: pod.metadata.namespace ?? '', ...podLabels(pod) };
  return portsOf(pod).map((each) => ({
    __address__: each.port === undefined ? ip : hostPort(ip, each.port.containerPort),
    ...common,
    ...portLabels(each),
    [`${meta}pod_container_init`]: String(each.isInit),
  }));
}

/** What comes from a pod's node to its targets, where a job asks for it. */
export function nodeLabelsOf(nodeName: string | undefined, world: World): LabelSet {
  const node = nodeName === undefined ? undefined : world.get(nodes, nodeName);
  return node === undefined ? {} : { [`${meta}node_name`]: node.metadata.name, ...objectLabels('node', node) };
}

export function podsIn(world: World, namespaces: readonly string[] | undefined): readonly Pod[] {
  return namespaces === undefined ? world.list(pods) : namespaces.flatMap((each) => world.list(pods, each));
}
