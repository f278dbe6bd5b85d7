import { type Container, type KubeObject, type Pod, pods, type ResourceType, resourceId } from '@signalbox/cluster';

/**
 * What an operator keeps of objects of which a cluster has very many, and of which it needs little: of Pods the labels, ports
 * and address. For a process whose caches nobody else reads.
 */
export function operatorTrim(type: ResourceType): ((object: KubeObject) => KubeObject) | undefined {
  return resourceId(type) === resourceId(pods) ? (object) => trimmed(object as Pod) : undefined;
}

function trimmed({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  const { name, namespace, uid, resourceVersion, creationTimestamp, labels, deletionTimestamp } = metadata;
  const { phase, podIP } = status ?? {};
  return Object.freeze({
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
      ...(labels !== undefined && { labels }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: {
      containers: spec.containers.map(ports),
      ...(spec.initContainers !== undefined && { initContainers: spec.initContainers.map(ports) }),
    },
    status: { ...(phase !== undefined && { phase }), ...(podIP !== undefined && { podIP }) },
  });
}

function ports({ name, ports: declared }: Container): Container {
  return { name, ...(declared !== undefined && { ports: declared }) };
}
