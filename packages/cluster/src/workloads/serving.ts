/** Which pods stand behind a Service, and on which ports: shared by the two kinds that write it down. */
import type { Pod, Service, ServicePort } from '../api/generated/core-v1.ts';
import { pods, services } from '../api/generated/kinds.ts';
import { keyOf } from '../api/meta.ts';
import { equal } from '../base/equal.ts';
import type { Caches } from '../client/cache.ts';
import { isPodTerminal, isSidecar, podReady } from '../resources/core/pod/facts.ts';
import { mapped, nobody, type Watch } from '../runtime/controller.ts';

type Selector = Readonly<Record<string, string>>;

/** Undefined for Services whose endpoints somebody else looks after: without a selector, or names of other hosts. */
export function serviceSelector({ spec }: Service): Selector | undefined {
  const { selector, type } = spec;
  if (selector === undefined || type === 'ExternalName') return undefined;
  for (const _ in selector) return selector;
  return undefined;
}

function selectorMatches(selector: Selector, labels: Selector | undefined): boolean {
  for (const key in selector) if (labels?.[key] !== selector[key]) return false;
  return true;
}

/** The pods of the Service, whatever state they are in. */
export function podsBehind(service: Service, caches: Caches): readonly Pod[] {
  const selector = serviceSelector(service);
  if (selector === undefined) return [];
  const near = caches.of(pods).inNamespace(service.metadata.namespace ?? '');
  return near.filter(({ metadata }) => selectorMatches(selector, metadata.labels));
}

/** A pod wakes the Services that select it, or did, when something that endpoints tell has changed. */
export const podsWakeServices: Watch<Pod> = mapped(pods, ({ type, object, previous }, caches) => {
  const near = caches.of(services).inNamespace(object.metadata.namespace ?? '');
  // Every cluster has one that selects nobody.
  if (!near.some((service) => serviceSelector(service) !== undefined)) return nobody;
  const labelsChanged = previous !== undefined && !equal(previous.metadata.labels, object.metadata.labels);
  if (type === 'updated' && !labelsChanged && tellsTheSame(previous, object)) return nobody;
  return near.filter((service) => selectsEither(service, object, labelsChanged ? previous : undefined)).map(keyOf);
});

function selectsEither(service: Service, pod: Pod, previous: Pod | undefined): boolean {
  const selector = serviceSelector(service);
  if (selector === undefined) return false;
  if (selectorMatches(selector, pod.metadata.labels)) return true;
  return previous !== undefined && selectorMatches(selector, previous.metadata.labels);
}

function tellsTheSame(a: Pod, b: Pod): boolean {
  return (
    a.metadata.uid === b.metadata.uid &&
    a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
    a.status.podIP === b.status.podIP &&
    podReady(a) === podReady(b) &&
    isPodTerminal(a) === isPodTerminal(b) &&
    a.spec.nodeName === b.spec.nodeName &&
    equal(a.status.podIPs, b.status.podIPs)
  );
}

/** Whether the pod can be reached at all: it has an address and has not ended. */
export function isReachable(pod: Pod): boolean {
  return (pod.status.podIP ?? '') !== '' && !isPodTerminal(pod);
}

/** The port of the pod that the Service's port leads to; undefined when the pod has none of that name. */
export function targetPort(pod: Pod, { targetPort: target, port, protocol = 'TCP' }: ServicePort): number | undefined {
  if (typeof target !== 'string') return target === undefined || target === 0 ? port : target;
  if (/^\d+$/.test(target)) return Number(target);
  const sidecars = (pod.spec.initContainers ?? []).filter(isSidecar);
  for (const { ports = [] } of [...pod.spec.containers, ...sidecars])
    for (const { name, containerPort, protocol: spoken = 'TCP' } of ports)
      if (name === target && spoken === protocol) return containerPort;
  return undefined;
}

/** A pod that asks for a name of its own below the Service gets it. */
export function hostnameUnder(service: Service, { metadata, spec }: Pod): string | undefined {
  const { hostname = '', subdomain } = spec;
  if (hostname === '' || subdomain !== service.metadata.name) return undefined;
  return metadata.namespace === service.metadata.namespace ? hostname : undefined;
}

export function isHeadless({ spec }: Service): boolean {
  return spec.clusterIP === 'None';
}

/** Carried by what belongs to a headless Service, so that proxies can leave it out. */
export const headlessLabel = 'service.kubernetes.io/headless';

/** When a Service was last written down, and what had been known of it then. */
export interface Served {
  readonly writtenMs: number;
  readonly seen: Seen;
}

/** When what endpoints tell last changed, in the time stamps of the objects that tell it. */
export interface Seen {
  readonly service: string;
  /** By the pod's name: since when it is ready, or not. */
  readonly pods: ReadonlyMap<string, string>;
}

/** Carried by what is written, so that proxies can tell how long a change was on its way to them. */
export const triggerAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';

/**
 * The first of the changes since the Service was last looked at; of a Service that is new its creation. Undefined: what is
 * written has another cause.
 */
export function triggerOf(
  service: Service,
  pods: readonly Pod[],
  before: Seen | undefined,
): { readonly seen: Seen; readonly trigger: string | undefined } {
  const created = service.metadata.creationTimestamp;
  const since = new Map<string, string>();
  for (const { metadata, status } of pods) {
    const ready = status.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
    if (ready !== undefined) since.set(metadata.name, ready);
  }
  const seen: Seen = { service: created, pods: since };
  if (before === undefined) return { seen, trigger: created };
  const changed = [...since].filter(([name, at]) => at > (before.pods.get(name) ?? '')).map(([, at]) => at);
  if (created > before.service) changed.push(created);
  return { seen, trigger: changed.sort()[0] };
}

const pauseFromPods = 100;
const pauseMsMax = 1_000;

/**
 * Milliseconds to wait before writing again. A Service of thousands of pods would be written anew with each pod that
 * comes up, and every node reads along; a short pause that grows with the Service gathers them. Undefined: go ahead.
 */
export function pauseMs(
  podCount: number,
  { served, nowMs }: { readonly served: Served | undefined; readonly nowMs: number },
): number | undefined {
  if (served === undefined || podCount < pauseFromPods) return undefined;
  const leftMs = served.writtenMs + Math.min(pauseMsMax, podCount / 5) - nowMs;
  return leftMs > 0 ? leftMs : undefined;
}
