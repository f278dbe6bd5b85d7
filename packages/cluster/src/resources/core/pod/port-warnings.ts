import type { ContainerPort, PodSpec } from '../../../api/generated/core-v1.ts';

/** Ports of a pod that say the same again, or overlap: containers of a pod share one network. */
export function* portWarnings(spec: PodSpec, path: string): Iterable<string> {
  const ports = [...portsOf(spec, path)];
  if (ports.length === 0) return;
  const byNumber = new Map<string, Placed[]>();
  for (const placed of ports) {
    const { port, place } = placed;
    if ((port.hostIP ?? '') !== '' && (port.hostPort ?? 0) === 0)
      yield `${place}: hostIP set without hostPort: ${shownPort(port)}`;
    const key = `${port.containerPort}/${port.protocol ?? 'TCP'}`;
    const others = byNumber.get(key);
    if (others === undefined) {
      byNumber.set(key, [placed]);
      continue;
    }
    for (const other of others) {
      const relation = relationOf(port, other.port);
      if (relation !== undefined) yield `${place}: ${relation} port definition with ${other.place}`;
    }
    others.push(placed);
  }
  yield* nameWarnings(ports);
}

interface Placed {
  readonly port: ContainerPort;
  /** `spec.containers[0].ports[1]` */
  readonly place: string;
}

function* portsOf(spec: PodSpec, path: string): Iterable<Placed> {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const)
    for (const [index, { ports = [] }] of (spec[list] ?? []).entries())
      for (const [number, port] of ports.entries()) yield { port, place: `${path}.${list}[${index}].ports[${number}]` };
}

/** Of two with one number and protocol. */
function relationOf(
  { hostPort = 0, hostIP = '' }: ContainerPort,
  { hostPort: otherPort = 0, hostIP: otherIP = '' }: ContainerPort,
): 'duplicate' | 'overlapping' | 'dangerously ambiguous' | undefined {
  if (hostPort === otherPort && hostIP === otherIP) return 'duplicate';
  if (hostPort === 0 || otherPort === 0) return 'overlapping';
  return hostPort === otherPort && (hostIP === '') !== (otherIP === '') ? 'dangerously ambiguous' : undefined;
}

function* nameWarnings(ports: readonly Placed[]): Iterable<string> {
  const places = new Map<string, string>();
  for (const { port, place } of ports) {
    const { name = '' } = port;
    if (name === '') continue;
    const first = places.get(name);
    if (first === undefined) places.set(name, place);
    else
      yield `${place}: duplicate port name "${name}" with ${first}, services and probes that select ports by name will use ${first}`;
  }
}

/** As Go shows a structure. */
function shownPort({ name = '', hostPort = 0, containerPort, protocol = 'TCP', hostIP = '' }: ContainerPort): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}
