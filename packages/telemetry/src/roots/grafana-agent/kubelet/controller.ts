import {
  type Action,
  type Component,
  type Controller,
  createControllerRunner,
  type Endpoints,
  endpoints,
  type KubeObject,
  mapped,
  type New,
  type Node,
  nodes,
  type Plan,
  type Platform,
  primary,
  type ResourceType,
  type Service,
  services,
} from '@signalbox/cluster';
import { mergedLive } from '../../../operator/merge-live.ts';
import { managedBy } from '../manifests/labels.ts';
import { type KubeletServiceName, kubeletEndpoints, kubeletService } from './manifests.ts';

/** Keeps a headless Service with the addresses of all kubelets, so that ServiceMonitors can select them. */
export function createKubeletServiceSync(platform: Platform, service: KubeletServiceName): Component {
  return createControllerRunner(kubeletController(service), platform);
}

export interface ObservedKubelets {
  readonly nodes: readonly Node[];
  readonly service: Service | undefined;
  readonly endpoints: Endpoints | undefined;
  /** The uid of the stranger that an Event has been written about. */
  readonly told: string | undefined;
}

function kubeletController(name: KubeletServiceName): Controller<ObservedKubelets, string> {
  const own = `${name.namespace}/${name.name}`;
  return {
    name: 'kubelet-service',
    watches: [mapped(nodes, () => [own]), primary(services), primary(endpoints)],
    observe(key, caches, told) {
      if (key !== own) return undefined;
      return {
        nodes: [...caches.of(nodes).values()],
        service: caches.of(services).get(own),
        endpoints: caches.of(endpoints).get(own),
        told,
      };
    },
    plan: (observed) => planKubelets(name, observed),
  };
}

/** Two operators that both keep this Service would overwrite each other for ever: the one that came first has it. */
export function planKubelets(name: KubeletServiceName, observed: ObservedKubelets): Plan<string> {
  const stranger = [observed.service, observed.endpoints].find((live) => live !== undefined && !isOurs(live));
  if (stranger !== undefined)
    return {
      actions: observed.told === stranger.metadata.uid ? [] : [nameTaken(stranger)],
      memory: stranger.metadata.uid,
    };
  return {
    actions: [
      ...step(services, kubeletService(name), observed.service),
      ...step(endpoints, kubeletEndpoints(name, observed.nodes), observed.endpoints),
    ],
  };
}

function nameTaken(stranger: KubeObject): Action {
  return {
    do: 'emit',
    regarding: stranger,
    type: 'Warning',
    reason: 'NameTaken',
    note: 'was not made by this operator and is left alone: delete it, or give the kubelets another Service',
  };
}

function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.['app.kubernetes.io/managed-by'] === managedBy;
}

function step(type: ResourceType, wanted: New<KubeObject>, live: KubeObject | undefined): readonly Action[] {
  if (live === undefined) return [{ do: 'create', type, object: wanted }];
  const object = mergedLive(live, wanted, { ownedPrefixes: [] });
  return object === undefined ? [] : [{ do: 'update', type, object }];
}
