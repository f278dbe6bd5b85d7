import {
  type Ingress,
  ingresses,
  type KubeObject,
  type LabelSelector,
  type Pod,
  pods,
  type ResourceType,
  type Service,
  serviceSelector,
  services,
} from '@signalbox/cluster';
import type { PodLogs } from '../resources/pod-logs.ts';
import type { PodMonitor } from '../resources/pod-monitor.ts';
import type { Probe } from '../resources/probe.ts';
import type { ServiceMonitor } from '../resources/service-monitor.ts';
import { portsOf } from '../scrape/pod-ports.ts';
import { labelMisses, SelectorError } from '../world/labels.ts';
import { podProblem } from '../world/workload.ts';
import type { World } from '../world/world.ts';
import type { DroppingRule, JobView, TargetView } from './explanation.ts';

/** Why a job has no targets, and what helps. */
export interface Diagnosis {
  readonly cause: string;
  readonly mend: string;
}

/** Of a job that keeps nothing. What it finds was decided by its rules; here it is put into the words of its owner. */
export function diagnose(monitor: KubeObject, job: JobView, world: World): Diagnosis {
  switch (monitor.kind) {
    case 'ServiceMonitor':
      return ofSelected(monitor, job, {
        world,
        type: services,
        selector: (monitor as ServiceMonitor).spec.selector,
        otherType: pods,
        barren: (service) => withoutEndpoints(service, world),
      });
    case 'PodMonitor':
    case 'PodLogs':
      return ofSelected(monitor, job, {
        world,
        type: pods,
        selector: (monitor as PodLogs | PodMonitor).spec.selector,
        otherType: services,
        barren: withoutAddress,
      });
    case 'Probe': {
      const { ingress } = (monitor as Probe).spec.targets ?? {};
      return ingress === undefined
        ? furthest(job)
        : ofSelected<Ingress>(monitor, job, {
            world,
            type: ingresses,
            selector: ingress.selector,
            otherType: undefined,
            barren: () => ({ cause: 'has no rules', mend: 'give it a host' }),
          });
    }
    default:
      return furthest(job);
  }
}

interface Selected<T extends KubeObject> {
  readonly world: World;
  readonly type: ResourceType<T>;
  readonly selector: LabelSelector | undefined;
  /** What people take for it. */
  readonly otherType: ResourceType | undefined;
  /** Why an object that is selected brings no targets. */
  readonly barren: (object: T) => Diagnosis;
}

function ofSelected<T extends KubeObject>(monitor: KubeObject, job: JobView, selected: Selected<T>): Diagnosis {
  const { world, type, selector = {}, barren } = selected;
  const misses = missFinder(selector);
  const namespaces = job.looks[0]?.namespaces;
  const near = inNamespaces(world, type, namespaces);
  const found = near.filter((object) => misses(object).length === 0);
  const [first] = found;
  if (first === undefined) return nothingSelected(monitor, { ...selected, near, namespaces, misses });
  const targets = job.targets.filter(({ discovered }) => found.some((object) => isOf(discovered, object)));
  if (targets.length > 0) return furthest({ ...job, targets }, world);
  const { cause, mend } = barren(first);
  return { cause: `${nameOf(first)} is selected, but ${cause}`, mend };
}

type MissFinder = (object: KubeObject) => readonly string[];

function missFinder(selector: LabelSelector): MissFinder {
  try {
    const misses = labelMisses(selector);
    return ({ metadata }) => misses(metadata.labels ?? {});
  } catch (error) {
    if (error instanceof SelectorError) return () => [error.message];
    throw error;
  }
}

function inNamespaces<T extends KubeObject>(
  world: World,
  type: ResourceType<T>,
  namespaces: readonly string[] | undefined,
): readonly T[] {
  return namespaces === undefined ? world.list(type) : namespaces.flatMap((each) => world.list(type, each));
}

interface Near<T extends KubeObject> extends Selected<T> {
  readonly near: readonly T[];
  readonly namespaces: readonly string[] | undefined;
  readonly misses: MissFinder;
}

function nothingSelected<T extends KubeObject>(
  monitor: KubeObject,
  { world, type, otherType, near, namespaces, misses }: Near<T>,
): Diagnosis {
  const where = namespaces === undefined ? 'any namespace' : `namespace ${namespaces.join(', ')}`;
  const [elsewhere] = world.list(type).filter((object) => misses(object).length === 0);
  if (elsewhere !== undefined)
    return {
      cause: `it looks only in ${where}, and what its selector matches is elsewhere: ${nameOf(elsewhere)}`,
      mend: `set ${namespaceField(monitor)} to { matchNames: [${elsewhere.metadata.namespace}] } (unless the root ignores namespace selectors), or move the ${monitor.kind} there`,
    };
  const [other] =
    otherType === undefined
      ? []
      : inNamespaces(world, otherType, namespaces).filter((object) => misses(object).length === 0);
  if (other !== undefined)
    return {
      cause: `spec.selector matches no ${type.kind} in ${where}; it matches the labels of ${nameOf(other)}, and a ${monitor.kind} goes by those of ${type.kind}s`,
      mend: `give the labels to the ${type.kind}, or use a ${monitor.kind === 'ServiceMonitor' ? 'PodMonitor' : 'ServiceMonitor'}`,
    };
  const [nearest] = [...near].sort((a, b) => misses(a).length - misses(b).length);
  if (nearest === undefined)
    return {
      cause: `there is no ${type.kind} in ${where}`,
      mend: `create the ${type.kind}, or look for it elsewhere with ${namespaceField(monitor)}`,
    };
  return {
    cause: `its selector matches no ${type.kind} in ${where}; the nearest is ${nameOf(nearest)}: ${misses(nearest).join('; ')}`,
    mend: `label the ${type.kind}, or change the selector`,
  };
}

function namespaceField({ kind }: KubeObject): string {
  return kind === 'Probe' ? 'spec.targets.ingress.namespaceSelector' : 'spec.namespaceSelector';
}

function isOf(labels: TargetView['discovered'], { kind, metadata }: KubeObject): boolean {
  return (
    labels['__meta_kubernetes_namespace'] === metadata.namespace &&
    labels[`__meta_kubernetes_${kind.toLowerCase()}_name`] === metadata.name
  );
}

function withoutEndpoints(service: Service, world: World): Diagnosis {
  if (service.spec.type === 'ExternalName')
    return {
      cause: 'it is an ExternalName, which has no endpoints',
      mend: 'name the host in a ScrapeConfig or a Probe',
    };
  const selector = serviceSelector(service);
  if (selector === undefined)
    return {
      cause: 'it has no selector, and nobody wrote endpoints for it',
      mend: 'give it a selector, or create an EndpointSlice',
    };
  const misses = missFinder({ matchLabels: selector });
  const near = world.list(pods, service.metadata.namespace);
  const behind = near.filter((pod) => misses(pod).length === 0);
  const [first] = behind;
  if (first !== undefined) {
    if ((service.spec.ports ?? []).length === 0) return { cause: 'it has no ports', mend: 'give it the port' };
    const { cause, mend } = withoutAddress(first);
    return { cause: `none of its pods can be reached: ${nameOf(first)} ${cause}`, mend };
  }
  const [nearest] = [...near].sort((a, b) => misses(a).length - misses(b).length);
  return {
    cause: `its own selector matches no pod${nearest === undefined ? '' : `; the nearest is ${nameOf(nearest)}: ${misses(nearest).join('; ')}`}`,
    mend: 'mend the selector of the Service, or the labels of the pods',
  };
}

function withoutAddress(pod: Pod): Diagnosis {
  const { phase = 'Pending', podIP = '' } = pod.status ?? {};
  if (podIP !== '') return { cause: `has ended (${phase})`, mend: 'see why with kubectl describe pod' };
  return {
    cause: `has no address yet (${phase}: ${podProblem(pod) ?? 'it is ready'})`,
    mend: 'see why it does not run with kubectl describe pod',
  };
}

/** The target that came through most rules, and the rule that dropped it. */
function furthest({ targets, looks, unknown }: JobView, world?: World): Diagnosis {
  const dropped = targets.flatMap((target) => (target.fate.kept ? [] : [{ target, ...target.fate }]));
  const [first] = [...dropped].sort((a, b) => (b.by?.number ?? Infinity) - (a.by?.number ?? Infinity));
  if (first === undefined)
    return unknown.length > 0
      ? { cause: `its targets come from ${unknown.join(', ')}`, mend: 'ask the agents: explain a live cluster' }
      : {
          cause: `discovery finds nothing${looks.length === 0 ? '' : ` (role ${looks.map(({ role }) => role).join(', ')})`}`,
          mend: '',
        };
  const what = [first.target.of, first.target.address].filter((part) => part !== '').join(' at ');
  const ports =
    first.by === undefined || world === undefined
      ? undefined
      : portTrouble(first.target, { ...first, by: first.by, world });
  if (ports !== undefined) return ports;
  return {
    cause: `${what === '' ? 'its target' : what} is dropped: ${first.reason}`,
    mend: first.by?.whose === 'the monitor' ? `mend ${first.by.field}` : '',
  };
}

const portName = /^__meta_kubernetes_(endpoint|endpointslice)_port_name$/;
const containerPort = /^__meta_kubernetes_pod_container_port_(name|number)$/;

function portTrouble(
  { discovered }: TargetView,
  { by, world }: { readonly by: DroppingRule; readonly world: World },
): Diagnosis | undefined {
  const source = by.rule.source_labels?.[0] ?? '';
  const wanted = by.rule.regex ?? '';
  const namespace = discovered['__meta_kubernetes_namespace'] ?? '';
  if (portName.test(source)) {
    const service = world.get(services, `${namespace}/${discovered['__meta_kubernetes_service_name'] ?? ''}`);
    if (service === undefined) return undefined;
    const ports = service.spec.ports ?? [];
    const numbered = ports.find(({ port, targetPort }) => String(port) === wanted || String(targetPort) === wanted);
    return {
      cause: `${nameOf(service)} has no port called "${wanted}": it has ${ports.map(portText).join(', ') || 'none'}`,
      mend: portMend(wanted, numbered),
    };
  }
  if (!containerPort.test(source)) return undefined;
  const pod = world.get(pods, `${namespace}/${discovered['__meta_kubernetes_pod_name'] ?? ''}`);
  if (pod === undefined) return undefined;
  const declared = portsOf(pod).flatMap(({ container, port }) =>
    port === undefined ? [] : [`${portText({ name: port.name, port: port.containerPort })} of ${container.name}`],
  );
  const kind = source.endsWith('name') ? `called "${wanted}"` : wanted;
  return {
    cause: `no container of ${nameOf(pod)} declares a port ${kind}: it has ${declared.join(', ') || 'none'}`,
    mend: 'declare the port in the containers of the pod, or name one that is there',
  };
}

function portText({ name, port }: { readonly name?: string | undefined; readonly port: number }): string {
  return name ? `"${name}" (${port})` : `${port} without a name`;
}

function portMend(wanted: string, numbered: { readonly name?: string; readonly port: number } | undefined): string {
  if (numbered?.name !== undefined && numbered.name !== '')
    return `port is the name of a port of the Service: port: ${numbered.name}`;
  if (numbered !== undefined) return 'port is the name of a port of the Service: give that port a name';
  return `name a port that is there, or call the Service's port "${wanted}"`;
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}
