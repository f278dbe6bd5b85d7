import {
  apiVersionOf,
  daemonsets,
  deployments,
  namespaces,
  nodes,
  pods,
  type ResourceType,
  replicasets,
  resourceName,
  services,
  statefulsets,
} from '@signalbox/cluster';
import { loadedTypes } from './load.ts';

const known: ReadonlyMap<string, ResourceType> = new Map(
  [pods, services, nodes, namespaces, deployments, replicasets, statefulsets, daemonsets, ...loadedTypes].map(
    (type: ResourceType) => [resourceName(type), type],
  ),
);

/** What an object of `pods`, `prometheuses.monitoring.coreos.com` is called in a reference to it. */
export function kindOf(resource: string): { readonly kind: string; readonly apiVersion?: string } {
  const type = known.get(resource);
  if (type !== undefined) return { kind: type.kind, apiVersion: apiVersionOf(type) };
  const word = (resource.split('.')[0] ?? resource).replace(/s$/, '');
  return { kind: `${word.slice(0, 1).toUpperCase()}${word.slice(1)}` };
}
