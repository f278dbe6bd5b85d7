/** Whether a node lets a pod in that nobody but its author has placed there. */
import type { Node, Pod } from '../api/generated/core-v1.ts';
import { milliValue, wholeValue } from '../api/quantity.ts';
import { matchesNodeSelectorTerms } from '../api/selector/selector.ts';
import { untolerated } from '../api/tolerations.ts';
import { isPodTerminal, podCondition, podRequests } from '../resources/core/pod/facts.ts';
import type { PodEvent, PodSeen } from './driver.ts';

/** As the kubelet tells it: in the pod's status and by an event. */
export interface Refusal {
  readonly failed: NonNullable<PodSeen['failed']>;
  readonly event: PodEvent;
}

const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** The scheduler has looked at all others, and whoever has begun was let in. A mirror shows what runs already. */
export function isToBeJudged(pod: Pod): boolean {
  return (
    pod.status.startTime === undefined &&
    podCondition(pod, 'PodScheduled') === undefined &&
    pod.metadata.annotations?.[mirrorAnnotation] === undefined
  );
}

/** Who is on the node. */
export interface Company {
  readonly here: readonly Pod[];
  /** Something of it runs, or has run: it was let in, whatever the API shows of it yet. */
  hasBegun(pod: Pod): boolean;
}

/** Undefined: the pod may come in, or has. */
export function whyRefused(pod: Pod, { node, here, hasBegun }: Company & { readonly node: Node }): Refusal | undefined {
  if (hasBegun(pod)) return undefined;
  const isIn = (other: Pod): boolean => other !== pod && (!isToBeJudged(other) || hasBegun(other));
  return refusalOf(pod, { node, others: here.filter(isIn) });
}

/** `others` are the pods that the node has let in. */
function refusalOf(
  pod: Pod,
  { node, others }: { readonly node: Node; readonly others: readonly Pod[] },
): Refusal | undefined {
  const staying = others.filter((other) => !isPodTerminal(other));
  const lacking = shortageOf(pod, { node, others: staying });
  if (lacking !== undefined) return refused(`OutOf${lacking.resource}`, shortageText(lacking));
  if (!isSelected(pod, node)) return unfit('NodeAffinity');
  if (staying.some((other) => portsCollide(pod, other))) return unfit('NodePorts');
  const taints = untolerated(node.spec.taints, pod.spec.tolerations, ['NoExecute']);
  return taints.length > 0 ? unfit('TaintToleration') : undefined;
}

function unfit(rule: string): Refusal {
  return refused(rule, `Predicate ${rule} failed`);
}

function refused(reason: string, text: string): Refusal {
  return {
    failed: { reason, message: `Pod was rejected: ${text}` },
    event: { type: 'Warning', reason, note: text },
  };
}

/** Why what the pod asks for now cannot be given to it. */
export interface SizeRefusal {
  /** Never on this node, or not yet. */
  readonly reason: 'Infeasible' | 'Deferred';
  readonly message: string;
}

/** Undefined: there is room for it. */
export function whyNotResized(
  pod: Pod,
  { node, here }: Pick<Company, 'here'> & { readonly node: Node },
): SizeRefusal | undefined {
  const others = here.filter((other) => other.metadata.uid !== pod.metadata.uid && !isPodTerminal(other));
  const lacking = shortageOf(pod, { node, others });
  if (lacking === undefined) return undefined;
  const { resource, requested, capacity } = lacking;
  if (requested <= capacity) return { reason: 'Deferred', message: shortageText(lacking) };
  const message = `Node didn't have enough capacity: ${resource}, requested: ${requested}, capacity: ${capacity}`;
  return { reason: 'Infeasible', message };
}

interface Shortage {
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

function shortageText({ resource, requested, used, capacity }: Shortage): string {
  return `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
}

/** What the node does not count is not looked at: a machine says what it has when it registers. */
function shortageOf(
  pod: Pod,
  { node, others }: { readonly node: Node; readonly others: readonly Pod[] },
): Shortage | undefined {
  for (const [resource, text] of Object.entries(node.status.allocatable ?? {})) {
    const capacity = resource === 'cpu' ? milliValue(text) : wholeValue(text);
    const requested = requestOf(pod, resource);
    if (requested === 0) continue;
    const used = others.reduce((total, other) => total + requestOf(other, resource), 0);
    if (requested > capacity - used) return { resource, requested, used, capacity };
  }
  return undefined;
}

function requestOf(pod: Pod, amount: string): number {
  const { cpuMilli, memoryBytes, ephemeralBytes, extended } = podRequests(pod);
  switch (amount) {
    case 'pods':
      return 1;
    case 'cpu':
      return cpuMilli;
    case 'memory':
      return memoryBytes;
    case 'ephemeral-storage':
      return ephemeralBytes;
    default:
      return extended[amount] ?? 0;
  }
}

function isSelected({ spec }: Pod, { metadata }: Node): boolean {
  const { labels = {}, name } = metadata;
  if (Object.entries(spec.nodeSelector ?? {}).some(([key, value]) => labels[key] !== value)) return false;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || matchesNodeSelectorTerms(terms, { labels, fields: { 'metadata.name': name } });
}

interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

const everyAddress = '0.0.0.0';

function portsCollide(a: Pod, b: Pod): boolean {
  const own = hostPortsOf(a);
  if (own.length === 0) return false;
  const other = hostPortsOf(b);
  return own.some((port) =>
    other.some(
      (taken) =>
        taken.port === port.port &&
        taken.protocol === port.protocol &&
        [port.ip, taken.ip].some((ip, index, both) => ip === everyAddress || ip === both[1 - index]),
    ),
  );
}

function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  return spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, protocol = 'TCP', hostIP = '' }) =>
      hostPort === 0 ? [] : [{ port: hostPort, protocol, ip: hostIP === '' ? everyAddress : hostIP }],
    ),
  );
}
