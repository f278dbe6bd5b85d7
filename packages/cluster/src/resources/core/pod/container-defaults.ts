import type {
  Container,
  ContainerPort,
  EnvVar,
  EnvVarSource,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  ObjectFieldSelector,
  Probe,
  ResourceFieldSelector,
  ResourceRequirements,
} from '../../../api/generated/core-v1.ts';
import { canonicalQuantity, formatQuantity, parseQuantity } from '../../../api/quantity.ts';
import { fresh } from '../../../base/fresh.ts';
import { amend, each, fill, fillZero, withoutOff } from './fill.ts';

const containerFields = Object.freeze({
  resources: Object.freeze({}),
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
});
const inputSwitches = ['stdin', 'stdinOnce', 'tty'] as const;
const portFields = Object.freeze({ protocol: 'TCP' });
const probeFields = Object.freeze({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
const httpFields = Object.freeze({ path: '/', scheme: 'HTTP' });
const fieldSelectorFields = Object.freeze({ apiVersion: 'v1' });
const resourceSelectorFields = Object.freeze({ divisor: '0' });

/** Rules of a container for its own restarts are dropped in silence, as upstream does by default: there it is an alpha feature. */
export function withoutRestarts<T extends Container>(container: T): T {
  if (container.restartPolicy === undefined && container.restartPolicyRules === undefined) return container;
  const { restartPolicy: _policy, restartPolicyRules: _rules, ...rest } = container;
  return rest as T;
}

/** Of an init container it stays that it runs beside the others. */
export function sidecarAtMost(container: Container): Container {
  if (container.restartPolicy !== 'Always') return withoutRestarts(container);
  if (container.restartPolicyRules === undefined) return container;
  const { restartPolicyRules: _rules, ...rest } = container;
  return rest;
}

/** What every container has, in pods as in templates. */
export function defaultContainer<T extends Container>(container: T): T {
  let next: Container = fill<Container>(withoutOff<Container>(container, inputSwitches), containerFields);
  if (isEmpty(next.imagePullPolicy)) next = { ...fresh, ...next, imagePullPolicy: pullPolicyOf(next.image ?? '') };
  next = amend(next, 'ports', (ports) => each(ports, defaultPort));
  next = amend(next, 'env', (env) => each(env, defaultEnvVar));
  next = amend(next, 'resources', canonicalResources);
  next = amend(next, 'livenessProbe', defaultProbe);
  next = amend(next, 'readinessProbe', defaultProbe);
  next = amend(next, 'startupProbe', defaultProbe);
  next = amend(next, 'lifecycle', defaultLifecycle);
  return next as T;
}

/** What containers get in pods alone: requests from limits, and host ports on the host's network. */
export function defaultPodContainer(
  container: Container,
  { hostNetwork }: { readonly hostNetwork: boolean },
): Container {
  const next = amend(container, 'resources', requestsFromLimits);
  return hostNetwork ? amend(next, 'ports', (ports) => each(ports, defaultHostPort)) : next;
}

/** `Always` for images that may change under their name: tag `latest`, or neither tag nor digest. */
/** What is no reference has no tag that could be the latest: validation or a node will complain about it. */
const repository =
  /^(?:(?:[a-zA-Z0-9.-]*[.A-Z][a-zA-Z0-9.-]*|localhost|[a-zA-Z0-9.-]+:\d+)(?::\d+)?\/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;

export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  const at = image.indexOf('@');
  const named = at < 0 ? image : image.slice(0, at);
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  if (colon >= 0) return named.slice(colon + 1) === 'latest' ? 'Always' : 'IfNotPresent';
  return at < 0 && repository.test(named) ? 'Always' : 'IfNotPresent';
}

/** Quantities as the API shows them: `0.5` is `500m`. What is no quantity stays for validation to complain about. */
export function canonicalResources(resources: ResourceRequirements): ResourceRequirements {
  return amend(amend(resources, 'limits', canonicalAmounts), 'requests', canonicalAmounts);
}

export function canonicalAmounts(amounts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  let copy: Record<string, string> | undefined;
  for (const name of Object.keys(amounts)) {
    const text = amounts[name] ?? '';
    const canonical = canonicalMilli(text);
    if (canonical === undefined || canonical === text) continue;
    copy ??= { ...fresh, ...amounts };
    copy[name] = canonical;
  }
  return copy ?? amounts;
}

/** Resource amounts are kept in thousandths at most; finer ones are rounded up. */
function canonicalMilli(text: string): string | undefined {
  const canonical = canonicalQuantity(text);
  if (canonical === undefined || !(canonical.endsWith('n') || canonical.endsWith('u') || canonical.includes('e-')))
    return canonical;
  const nano = parseQuantity(canonical) ?? 0n;
  const milli = 1_000_000n;
  const rest = nano % milli;
  return formatQuantity(rest === 0n ? nano : nano - rest + (nano < 0n ? -milli : milli), text);
}

export function requestsFromLimits(resources: ResourceRequirements): ResourceRequirements {
  const { limits, requests } = resources;
  if (limits === undefined) return resources;
  if (requests !== undefined && Object.keys(limits).every((name) => Object.hasOwn(requests, name))) return resources;
  return { ...fresh, ...resources, requests: { ...fresh, ...limits, ...requests } };
}

export function defaultFieldSelector(selector: ObjectFieldSelector): ObjectFieldSelector {
  return fill(selector, fieldSelectorFields);
}

export function defaultResourceSelector(selector: ResourceFieldSelector): ResourceFieldSelector {
  return fill(selector, resourceSelectorFields);
}

function defaultPort(port: ContainerPort): ContainerPort {
  return fill(port, portFields);
}

function defaultHostPort(port: ContainerPort): ContainerPort {
  return fillZero(port, { hostPort: port.containerPort });
}

function defaultEnvVar(variable: EnvVar): EnvVar {
  return variable.valueFrom === undefined ? variable : amend(variable, 'valueFrom', defaultEnvVarSource);
}

function defaultEnvVarSource(source: EnvVarSource): EnvVarSource {
  return amend(amend(source, 'fieldRef', defaultFieldSelector), 'resourceFieldRef', defaultResourceSelector);
}

function defaultProbe(probe: Probe): Probe {
  const next = amend(fillZero(probe, probeFields), 'httpGet', defaultHttpGet);
  return amend(next, 'grpc', (grpc) => (grpc.service === undefined ? { ...fresh, ...grpc, service: '' } : grpc));
}

function defaultHttpGet(action: HTTPGetAction): HTTPGetAction {
  return fill(action, httpFields);
}

function defaultLifecycle(lifecycle: Lifecycle): Lifecycle {
  return amend(amend(lifecycle, 'postStart', defaultHandler), 'preStop', defaultHandler);
}

function defaultHandler(handler: LifecycleHandler): LifecycleHandler {
  return amend(handler, 'httpGet', defaultHttpGet);
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === '';
}
