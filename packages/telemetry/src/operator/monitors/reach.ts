import {
  type EndpointSlice,
  endpointslices,
  ingresses,
  type KubeObject,
  type Pod,
  pods,
  type ResourceType,
  services,
} from '@signalbox/cluster';
import { isKept } from '../../relabel/execute.ts';
import type { RelabelRule } from '../../relabel/rule.ts';
import type { ScrapeEndpoint } from '../../resources/fields.ts';
import type { PodLogs } from '../../resources/pod-logs.ts';
import type { PodMetricsEndpoint, PodMonitor } from '../../resources/pod-monitor.ts';
import type { Probe } from '../../resources/probe.ts';
import type { ServiceMonitor } from '../../resources/service-monitor.ts';
import { namespaceNames } from '../../scrape/discovery.ts';
import { portLabels, portsOf } from '../../scrape/pod-ports.ts';
import { portRules } from '../../scrape/target-rules.ts';
import type { Looks } from '../component.ts';
import type { Sight, Wanted } from './sight.ts';

/**
 * Whether a monitor finds anything. Rules of its own are not run: what they drop, somebody wanted dropped. `unknown`: it is
 * looked for where nothing is known of. `pending`: what it is looked for among has not been fetched yet.
 */
export type Reach =
  | { readonly finds: 'something'; readonly by: readonly Witness[] }
  | { readonly finds: 'nothing'; readonly reason: string; readonly message: string; readonly waits: Waits }
  | { readonly finds: 'pending' | 'unknown' };

/** As long as it is as it was, something is found. */
export interface Witness {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/** Nothing is found before something of this kind changes. */
export interface Waits extends Wanted {
  readonly type: ResourceType;
}

/** All kinds that monitors are looked for among. */
export const sightTypes: readonly ResourceType[] = [services, endpointslices, pods, ingresses];

/** Which of them a monitor is looked for among. */
export function reachedTypes({ kind, spec }: KubeObject & { readonly spec?: unknown }): readonly ResourceType[] {
  switch (kind) {
    case 'ServiceMonitor': {
      const { endpoints = [] } = spec as Partial<ServiceMonitor['spec']>;
      // Which ports containers declare counts only where they are asked for.
      return [services, endpointslices, ...(endpoints.some(asksContainers) ? [pods] : [])];
    }
    case 'PodMonitor':
    case 'PodLogs':
      return [pods];
    case 'Probe':
      return (spec as Partial<Probe['spec']>).targets?.staticConfig === undefined ? [ingresses] : [];
    default:
      return [];
  }
}

function asksContainers({ port, targetPort }: ScrapeEndpoint): boolean {
  return !port && Boolean(targetPort);
}

/** Pure. A monitor that was left out is not asked about. */
export function reachOf(
  monitor: KubeObject,
  { sight, looks }: { readonly sight: Sight; readonly looks: Looks },
): Reach {
  if (looks.isElsewhere) return { finds: 'unknown' };
  const wantedBy = (selecting: Selecting): Wanted => ({
    selector: selecting.selector ?? {},
    namespaces: namespaceNames({
      home: monitor.metadata.namespace ?? '',
      namespaces: selecting.namespaceSelector,
      ignoreNamespaceSelectors: looks.isHomeOnly,
    }),
  });
  switch (monitor.kind) {
    case 'ServiceMonitor':
      return byServices((monitor as ServiceMonitor).spec, wantedBy((monitor as ServiceMonitor).spec), sight);
    case 'PodMonitor':
      return byPods((monitor as PodMonitor).spec, wantedBy((monitor as PodMonitor).spec), sight);
    case 'PodLogs':
      return byPods({}, wantedBy((monitor as PodLogs).spec), sight);
    case 'Probe': {
      const { staticConfig, ingress } = (monitor as Probe).spec.targets ?? {};
      if (staticConfig !== undefined || ingress === undefined) return { finds: 'something', by: [] };
      return byIngresses(wantedBy(ingress), sight);
    }
    default:
      return { finds: 'unknown' };
  }
}

type Selecting = Pick<ServiceMonitor['spec'], 'namespaceSelector'> & Partial<Pick<ServiceMonitor['spec'], 'selector'>>;

function byServices({ endpoints = [] }: Partial<ServiceMonitor['spec']>, wanted: Wanted, sight: Sight): Reach {
  const nothing = (reason: string, message: string): Reach => ({
    finds: 'nothing',
    reason,
    message,
    waits: { type: services, ...wanted },
  });
  if (endpoints.length === 0) return nothing('NothingDeclared', 'spec.endpoints is empty');
  let isAnyMatched = false;
  let isAnyPopulated = false;
  for (const service of sight.select(services, wanted)) {
    isAnyMatched = true;
    const slices = sight.slicesOf(service).filter(isPopulated);
    if (slices.length > 0) isAnyPopulated = true;
    for (const slice of slices)
      if (endpoints.some((endpoint) => leadsTo(slice, endpoint, sight)))
        return {
          finds: 'something',
          by: [
            { type: services, object: service },
            { type: endpointslices, object: slice },
          ],
        };
  }
  if (!isAnyMatched) return nothing('NoMatchingService', `no Service ${placeOf(wanted)} matches spec.selector`);
  if (!isAnyPopulated) return nothing('NoEndpoints', `no matching Service ${placeOf(wanted)} has endpoints`);
  return nothing('NoMatchingPort', `no matching Service ${placeOf(wanted)} has ${portTexts(endpoints)}`);
}

/** An endpoint that is not ready is found all the same. */
function isPopulated({ endpoints, ports }: EndpointSlice): boolean {
  return (ports ?? []).length > 0 && endpoints.some(({ addresses }) => addresses.length > 0);
}

const portName = '__meta_kubernetes_endpointslice_port_name';

function leadsTo(slice: EndpointSlice, endpoint: ScrapeEndpoint, sight: Sight): boolean {
  const ports = slice.ports ?? [];
  // Nearly always; the rule, which is a pattern, is run for all else.
  if (endpoint.port && ports.some(({ name }) => name === endpoint.port)) return true;
  const rules = Object.freeze(portRules(endpoint, portName));
  if (!asksContainers(endpoint)) return ports.some(({ name = '' }) => isKept({ [portName]: name }, rules));
  // Ports of its containers are found with a pod, also those that the Service does not lead to.
  return slice.endpoints.some(({ targetRef }) => {
    const key = `${targetRef?.namespace ?? slice.metadata.namespace}/${targetRef?.name ?? ''}`;
    const pod = targetRef?.kind === 'Pod' ? sight.get(pods, key) : undefined;
    return pod !== undefined && hasPort(pod, rules);
  });
}

function hasPort(pod: Pod, rules: readonly RelabelRule[]): boolean {
  return portsOf(pod).some((port) => isKept(portLabels(port), rules));
}

function byPods({ podMetricsEndpoints: endpoints }: Partial<PodMonitor['spec']>, wanted: Wanted, sight: Sight): Reach {
  const nothing = (reason: string, message: string): Reach => ({
    finds: 'nothing',
    reason,
    message,
    waits: { type: pods, ...wanted },
  });
  if (endpoints?.length === 0) return nothing('NothingDeclared', 'spec.podMetricsEndpoints is empty');
  let isAnyMatched = false;
  let isAnyReachable = false;
  for (const pod of sight.select(pods, wanted)) {
    isAnyMatched = true;
    if ((pod.status?.podIP ?? '') === '') continue;
    isAnyReachable = true;
    if (endpoints === undefined || endpoints.some((endpoint) => isScraped(pod, endpoint)))
      return { finds: 'something', by: [{ type: pods, object: pod }] };
  }
  if (!isAnyMatched) return nothing('NoMatchingPod', `no Pod ${placeOf(wanted)} matches spec.selector`);
  if (!isAnyReachable) return nothing('NoReachablePod', `no matching Pod ${placeOf(wanted)} has an address`);
  return nothing('NoMatchingPort', `no matching Pod ${placeOf(wanted)} runs with ${portTexts(endpoints ?? [])}`);
}

function isScraped(pod: Pod, endpoint: PodMetricsEndpoint): boolean {
  const { phase = '' } = pod.status ?? {};
  if (endpoint.filterRunning !== false && (phase === 'Failed' || phase === 'Succeeded')) return false;
  if (endpoint.port && portsOf(pod).some(({ port }) => port?.name === endpoint.port)) return true;
  return hasPort(pod, Object.freeze(portRules(endpoint, '__meta_kubernetes_pod_container_port_name')));
}

function byIngresses(wanted: Wanted, sight: Sight): Reach {
  let isAnyMatched = false;
  for (const ingress of sight.select(ingresses, wanted)) {
    isAnyMatched = true;
    if ((ingress.spec?.rules ?? []).length > 0)
      return { finds: 'something', by: [{ type: ingresses, object: ingress }] };
  }
  return {
    finds: 'nothing',
    reason: isAnyMatched ? 'NoRules' : 'NoMatchingIngress',
    message: isAnyMatched
      ? `no matching Ingress ${placeOf(wanted)} has rules`
      : `no Ingress ${placeOf(wanted)} matches spec.targets.ingress.selector`,
    waits: { type: ingresses, ...wanted },
  };
}

/** Of many namespaces the first. */
const shownMax = 3;

function placeOf({ namespaces }: Wanted): string {
  if (namespaces === undefined) return 'in any namespace';
  const more = namespaces.length - shownMax;
  return `in namespace ${namespaces.slice(0, shownMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

type NamedPort = ScrapeEndpoint & { readonly portNumber?: number };

function portTexts(endpoints: readonly NamedPort[]): string {
  return [...new Set(endpoints.map(portText))].join(', or ');
}

function portText({ port, portNumber, targetPort }: NamedPort): string {
  if (port) return `a port called "${port}"`;
  if (portNumber) return `a container port ${portNumber}`;
  return targetPort ? `a container port ${targetPort}` : 'a port';
}
