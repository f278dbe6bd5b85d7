import type {
  Container,
  NodeSelectorTerm,
  Pod,
  PreferredSchedulingTerm,
  Toleration,
} from '../api/generated/core-v1.ts';
import { type Key, keyOf } from '../api/meta.ts';
import type { Labels } from '../api/selector/selector.ts';
import { fromTimestamp } from '../base/clock.ts';
import { type MountedClaim, mountedClaims } from '../resources/core/pod/claims.ts';
import { type Amounts, isSidecar, podRequests, podRequestsWith } from '../resources/core/pod/facts.ts';
import { type PodTerms, podTermsOf } from './counting/pod-terms.ts';

/** What the scheduler wants to know about a pod. Made once per version of the pod. */
export interface PodView {
  readonly pod: Pod;
  readonly key: Key;
  readonly namespace: string;
  readonly labels: Labels;
  readonly uid: string;
  readonly priority: number;
  /** Infinite before: who has not started yet has done the least, however long ago it was made. */
  readonly startedMs: number;
  readonly requests: Amounts;
  /** Requests for scoring: containers that name none count as small ones, so that a node does not fill up with them. */
  readonly assumedCpuMilli: number;
  readonly assumedMemoryBytes: number;
  readonly hostPorts: readonly HostPort[];
  /** The claims that it mounts, those made for it included. */
  readonly claims: readonly MountedClaim[];
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector: Readonly<Record<string, string>> | undefined;
  readonly requiredTerms: readonly NodeSelectorTerm[] | undefined;
  readonly preferredTerms: readonly PreferredSchedulingTerm[];
  /** The only nodes that `matchFields metadata.name` allows; undefined when the pod is not pinned. */
  readonly pinnedTo: ReadonlySet<string> | undefined;
  /** What it says of other pods; undefined for most. */
  readonly terms: PodTerms | undefined;
}

export interface HostPort {
  readonly protocol: string;
  readonly port: number;
  /** `0.0.0.0` is every address. */
  readonly ip: string;
}

/** Upstream's stand-ins for containers without requests. */
const smallCpuMilli = 100;
const smallMemoryBytes = 200 * 1024 * 1024;

const noLabels: Labels = Object.freeze({});

const views = new WeakMap<Pod, PodView>();

export function podView(pod: Pod): PodView {
  const known = views.get(pod);
  if (known !== undefined) return known;
  const view = viewOf(pod);
  views.set(pod, view);
  return view;
}

function viewOf(pod: Pod): PodView {
  const { spec } = pod;
  const { startTime } = pod.status;
  const requests = podRequests(pod);
  const { hostPorts } = containerFacts(spec.containers);
  const sidecars = spec.initContainers?.filter(isSidecar) ?? nothing;
  const affinity = spec.affinity?.nodeAffinity;
  const requiredTerms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return {
    pod,
    key: keyOf(pod),
    namespace: pod.metadata.namespace ?? '',
    labels: pod.metadata.labels ?? noLabels,
    uid: pod.metadata.uid,
    priority: spec.priority ?? 0,
    startedMs: startTime === undefined ? Number.POSITIVE_INFINITY : fromTimestamp(startTime),
    requests,
    ...assumed(pod, requests),
    hostPorts: sidecars.length === 0 ? hostPorts : hostPortsOf([...sidecars, ...spec.containers]),
    claims: mountedClaims(pod),
    tolerations: spec.tolerations ?? nothing,
    nodeSelector: spec.nodeSelector,
    requiredTerms,
    preferredTerms: affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? nothing,
    pinnedTo: requiredTerms && pinning(requiredTerms),
    terms: podTermsOf(pod),
  };
}

type Assumed = Pick<PodView, 'assumedCpuMilli' | 'assumedMemoryBytes'>;

/** By hand where nothing but plain containers counts, as for most pods. */
function assumed(pod: Pod, { cpuMilli, memoryBytes }: Amounts): Assumed {
  const { containers, initContainers, resources } = pod.spec;
  const { withoutCpu, withoutMemory } = containerFacts(containers);
  if (initContainers === undefined && resources === undefined)
    return {
      assumedCpuMilli: cpuMilli + smallCpuMilli * withoutCpu,
      assumedMemoryBytes: memoryBytes + smallMemoryBytes * withoutMemory,
    };
  const requests = podRequestsWith(pod, { cpu: `${smallCpuMilli}m`, memory: `${smallMemoryBytes}` });
  return { assumedCpuMilli: requests.cpuMilli, assumedMemoryBytes: requests.memoryBytes };
}

interface ContainerFacts {
  /** How many request none. */
  readonly withoutCpu: number;
  readonly withoutMemory: number;
  readonly hostPorts: readonly HostPort[];
}

/** All versions of a pod share its containers. */
const factsOfContainers = new WeakMap<readonly Container[], ContainerFacts>();

function containerFacts(containers: readonly Container[]): ContainerFacts {
  let known = factsOfContainers.get(containers);
  if (known === undefined) {
    const countWithout = (resource: string): number =>
      containers.filter(({ resources }) => resources?.requests?.[resource] === undefined).length;
    known = {
      withoutCpu: countWithout('cpu'),
      withoutMemory: countWithout('memory'),
      hostPorts: hostPortsOf(containers),
    };
    // Of what may still change nothing is remembered.
    if (Object.isFrozen(containers)) factsOfContainers.set(containers, known);
  }
  return known;
}

/** Views are kept as long as versions of their pods are: what says nothing is one value for all of them. */
const nothing: readonly never[] = Object.freeze([]);

function hostPortsOf(containers: readonly Container[]): readonly HostPort[] {
  const ports: HostPort[] = [];
  for (const container of containers)
    for (const { hostPort = 0, protocol = 'TCP', hostIP = '' } of container.ports ?? [])
      if (hostPort > 0) ports.push({ protocol, port: hostPort, ip: hostIP === '' ? '0.0.0.0' : hostIP });
  return ports.length === 0 ? nothing : ports;
}

/** By its terms, which all versions of a pod share. */
const pinnings = new WeakMap<readonly NodeSelectorTerm[], { readonly to: ReadonlySet<string> | undefined }>();

function pinning(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  let known = pinnings.get(terms);
  if (known === undefined) {
    known = { to: pinnedTo(terms) };
    pinnings.set(terms, known);
  }
  return known.to;
}

/** Terms are alternatives, so the pod is pinned only if every one of them names its nodes. */
function pinnedTo(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const field = matchFields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    if (field === undefined) return undefined;
    for (const name of field.values ?? []) names.add(name);
  }
  return names;
}
