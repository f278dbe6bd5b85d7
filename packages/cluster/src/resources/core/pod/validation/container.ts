import type { Container, ContainerPort, EphemeralContainer, PodSpec } from '../../../../api/generated/core-v1.ts';
import type { Issue } from '../../../../api/issue.ts';
import { dnsLabel, isDnsLabel } from '../../../validation/names.ts';
import { validateEnvironment } from './env.ts';
import { validateVolumeMounts } from './mount.ts';
import { inside, type Place } from './place.ts';
import { portNameFaults, portNumberText, validateLifecycle, validateProbe } from './probe.ts';
import { validateContainerResources } from './resources.ts';
import { validateContainerSecurity } from './security.ts';

/** What a container's check needs to know of its pod. */
export interface ContainerRules {
  /** The pod's volumes; whether each is a block device does not show here. */
  readonly volumes: ReadonlySet<string>;
  readonly gracePeriodSeconds: number;
  readonly hostUsers: boolean;
  /** Names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>;
}

const pullPolicies: readonly string[] = ['Always', 'IfNotPresent', 'Never'];
const messagePolicies: readonly string[] = ['File', 'FallbackToLogsOnError'];
const protocols: readonly string[] = ['SCTP', 'TCP', 'UDP'];
const resizePolicies: readonly string[] = ['NotRequired', 'RestartContainer'];
const resizable: readonly string[] = ['cpu', 'memory'];
const onlyInRegular = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const notInEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

/** All three lists of a pod. Names are unique across them. */
export function* validateAllContainers(spec: PodSpec, place: Place, rules: ContainerRules): Iterable<Issue> {
  const containers = spec.containers ?? [];
  const names = new Set<string>();
  if (containers.length === 0) yield place()('containers').required();
  for (let index = 0; index < containers.length; index++) {
    const container = containers[index] as Container;
    const at = inside(place, 'containers', index);
    yield* validateName(container.name, at, names);
    yield* validateCommon(container, at, rules);
    yield* validateRunning(container, at, rules);
  }
  yield* validateHostPorts(containers, inside(place, 'containers'));
  yield* validateInitContainers(spec.initContainers ?? [], inside(place, 'initContainers'), { names, ...rules });
  yield* validateEphemeralContainers(spec, inside(place, 'ephemeralContainers'), { names, ...rules });
}

interface NamedRules extends ContainerRules {
  readonly names: Set<string>;
}

function* validateInitContainers(
  containers: readonly Container[],
  place: Place,
  { names, ...rules }: NamedRules,
): Iterable<Issue> {
  for (let index = 0; index < containers.length; index++) {
    const container = containers[index] as Container;
    const at = inside(place, index);
    yield* validateName(container.name, at, names);
    yield* validateCommon(container, at, rules);
    const { restartPolicy } = container;
    if (restartPolicy === 'Always') yield* validateRunning(container, at, rules);
    else
      for (const field of onlyInRegular)
        if (container[field] !== undefined)
          yield at()(field).forbidden('may not be set for init containers without restartPolicy=Always');
    // Init containers run one after the other, so only each for itself can be in conflict.
    yield* validateHostPorts([container], place, index);
  }
}

function* validateEphemeralContainers(spec: PodSpec, place: Place, { names, ...rules }: NamedRules): Iterable<Issue> {
  const containers = spec.ephemeralContainers ?? [];
  for (let index = 0; index < containers.length; index++) {
    const container = containers[index] as EphemeralContainer;
    const at = inside(place, index);
    yield* validateName(container.name, at, names);
    yield* validateCommon(container, at, rules);
    const target = container.targetContainerName ?? '';
    const targets = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
    if (target !== '' && !targets.some(({ name }) => name === target))
      yield at()('targetContainerName').notFound(target);
    for (const field of notInEphemeral)
      if (isGiven(container[field])) yield at()(field).forbidden(`cannot be set for an Ephemeral Container`);
    for (const [position, mount] of (container.volumeMounts ?? []).entries())
      for (const field of ['subPath', 'subPathExpr'] as const)
        if ((mount[field] ?? '') !== '')
          yield at()('volumeMounts', position, field).forbidden('cannot be set for an Ephemeral Container');
  }
}

function isGiven(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function* validateName(name: string | undefined, at: Place, names: Set<string>): Iterable<Issue> {
  if (name === undefined || name === '') {
    yield at()('name').required();
    return;
  }
  if (!isDnsLabel(name)) yield* dnsLabel(name, at()('name'));
  if (names.has(name)) yield at()('name').duplicate(name);
  names.add(name);
}

function* validateCommon(container: Container | EphemeralContainer, at: Place, rules: ContainerRules): Iterable<Issue> {
  if ((container.image ?? '') === '') yield at()('image').required();
  yield* oneOf(container.terminationMessagePolicy, inside(at, 'terminationMessagePolicy'), messagePolicies);
  if (container.ports !== undefined) yield* validatePorts(container.ports, inside(at, 'ports'));
  yield* validateEnvironment(container, at);
  yield* validateVolumeMounts(container, at, rules.volumes);
  yield* oneOf(container.imagePullPolicy, inside(at, 'imagePullPolicy'), pullPolicies);
  if (container.resources !== undefined)
    yield* validateContainerResources(container.resources, inside(at, 'resources'), rules.claims);
  if (container.resizePolicy !== undefined)
    yield* validateResizePolicy(container.resizePolicy, inside(at, 'resizePolicy'));
  if (container.securityContext !== undefined)
    yield* validateContainerSecurity(container.securityContext, inside(at, 'securityContext'), rules);
}

/** What containers that keep running have: handlers and probes. */
function* validateRunning(container: Container, at: Place, rules: ContainerRules): Iterable<Issue> {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  if (lifecycle !== undefined) yield* validateLifecycle(lifecycle, inside(at, 'lifecycle'), rules);
  if (livenessProbe !== undefined) {
    yield* validateProbe(livenessProbe, inside(at, 'livenessProbe'));
    yield* onlyOneSuccess(livenessProbe.successThreshold, inside(at, 'livenessProbe'));
  }
  if (readinessProbe !== undefined) {
    yield* validateProbe(readinessProbe, inside(at, 'readinessProbe'));
    if (readinessProbe.terminationGracePeriodSeconds !== undefined)
      yield at()('readinessProbe', 'terminationGracePeriodSeconds').invalid(
        readinessProbe.terminationGracePeriodSeconds,
        'must not be set for readinessProbes',
      );
  }
  if (startupProbe !== undefined) {
    yield* validateProbe(startupProbe, inside(at, 'startupProbe'));
    yield* onlyOneSuccess(startupProbe.successThreshold, inside(at, 'startupProbe'));
  }
}

function* onlyOneSuccess(threshold: number | undefined, at: Place): Iterable<Issue> {
  if (threshold !== 1) yield at()('successThreshold').invalid(threshold ?? 0, 'must be 1');
}

function* validatePorts(ports: readonly ContainerPort[], place: Place): Iterable<Issue> {
  const names = new Set<string>();
  for (let index = 0; index < ports.length; index++) {
    const { name = '', containerPort = 0, hostPort = 0, protocol } = ports[index] as Partial<ContainerPort>;
    const at = inside(place, index);
    if (name !== '') {
      const faults = portNameFaults(name);
      for (const fault of faults) yield at()('name').invalid(name, fault);
      if (faults.length === 0 && names.has(name)) yield at()('name').duplicate(name);
      names.add(name);
    }
    if (containerPort === 0) yield at()('containerPort').required();
    else if (!isPort(containerPort)) yield at()('containerPort').invalid(containerPort, portNumberText);
    if (hostPort !== 0 && !isPort(hostPort)) yield at()('hostPort').invalid(hostPort, portNumberText);
    yield* oneOf(protocol, inside(at, 'protocol'), protocols);
  }
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}

/** A host port, on one address and protocol, can be given once. */
function* validateHostPorts(containers: readonly Container[], place: Place, offset = 0): Iterable<Issue> {
  let taken: Set<string> | undefined;
  for (let index = 0; index < containers.length; index++) {
    const ports = containers[index]?.ports ?? [];
    for (let position = 0; position < ports.length; position++) {
      const { hostPort = 0, hostIP = '', protocol = '' } = ports[position] as ContainerPort;
      if (hostPort === 0) continue;
      const used = `${protocol}/${hostIP}/${hostPort}`;
      taken ??= new Set();
      if (taken.has(used)) yield place()(index + offset, 'ports', position, 'hostPort').duplicate(used);
      taken.add(used);
    }
  }
}

function* validateResizePolicy(policies: NonNullable<Container['resizePolicy']>, place: Place): Iterable<Issue> {
  const seen = new Set<string>();
  for (const [index, { resourceName, restartPolicy }] of policies.entries()) {
    if (seen.has(resourceName)) yield place()(index).duplicate(resourceName);
    seen.add(resourceName);
    // Both are told of the list, as upstream does.
    yield* oneOf(resourceName, place, resizable);
    yield* oneOf(restartPolicy, place, resizePolicies);
  }
}

/** Required, and one of the words. */
export function* oneOf(value: string | undefined, at: Place, words: readonly string[]): Iterable<Issue> {
  if (value === undefined || value === '') yield at().required();
  else if (!words.includes(value)) yield at().notSupported(value, words);
}
