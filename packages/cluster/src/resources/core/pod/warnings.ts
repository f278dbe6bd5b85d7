import type { Container, Pod, PodSpec, PodTemplateSpec, Volume } from '../../../api/generated/core-v1.ts';
import { dnsLabelProblems } from '../../../api/names.ts';
import { parseQuantity } from '../../../api/quantity.ts';
import { claimSpecWarnings, endedSourceWarnings } from '../given-up.ts';
import { portWarnings } from './port-warnings.ts';

const unit = 1_000_000_000n;

/** Things that are allowed in a pod but seldom meant. */
export function* podWarnings(pod: Pod): Iterable<string> {
  yield* podSpecWarnings(pod.spec ?? { containers: [] }, 'spec');
}

/** Of a new pod, whose name is that of a host. */
export function newPodWarnings({ metadata }: Pod): Iterable<string> {
  return hostnameWarnings(metadata.name, "the Pod's hostname");
}

/** Of what makes pods that are called after it. */
export function nameWarnings(name: string): Iterable<string> {
  return hostnameWarnings(name, 'Pod names and hostnames');
}

function* hostnameWarnings(name: string, where: string): Iterable<string> {
  const problems = dnsLabelProblems(name);
  if (problems.length === 0) return;
  yield `metadata.name: this is used in ${where}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`;
}

/** The same for templates; `path` is where the spec stands, e.g. `spec.template.spec`. */
export function* podSpecWarnings(spec: PodSpec, path: string): Iterable<string> {
  for (const [index, { labelSelector }] of (spec.topologySpreadConstraints ?? []).entries())
    if (labelSelector === undefined) yield `${path}.topologySpreadConstraints[${index}].labelSelector: ${noPod}`;
  yield* listWarnings(spec, path);
  for (const list of ['initContainers', 'containers'] as const) {
    const containers = spec[list];
    if (containers === undefined) continue;
    for (let index = 0; index < containers.length; index++)
      yield* containerWarnings(containers[index] as Container, `${path}.${list}[${index}]`);
  }
  yield* portWarnings(spec, path);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0)
    yield `${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`;
  if (spec.affinity !== undefined) yield* affinityWarnings(spec.affinity, `${path}.affinity`);
}

interface Counted {
  readonly metadata: { readonly generation?: number };
}

/** Of the template at `path`; nothing where it is a change that does not count: it was warned of when it came. */
export function templateWarnings(
  template: PodTemplateSpec | undefined,
  { path, next, current }: { readonly path: string; readonly next: Counted; readonly current: Counted | undefined },
): Iterable<string> {
  if (current !== undefined && next.metadata.generation === current.metadata.generation) return [];
  return podSpecWarnings(template?.spec ?? { containers: [] }, `${path}.spec`);
}

const noPod = 'a null labelSelector results in matching no pod';

function* affinityWarnings(affinity: NonNullable<PodSpec['affinity']>, path: string): Iterable<string> {
  for (const name of ['podAffinity', 'podAntiAffinity'] as const) {
    const required = affinity[name]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const [index, { labelSelector }] of required.entries())
      if (labelSelector === undefined)
        yield `${path}.${name}.requiredDuringSchedulingIgnoredDuringExecution[${index}].labelSelector: ${noPod}`;
    const preferred = affinity[name]?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const [index, { podAffinityTerm }] of preferred.entries())
      if (podAffinityTerm?.labelSelector === undefined)
        yield `${path}.${name}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm.labelSelector: ${noPod}`;
  }
}

/** Entries of lists that say nothing, or the same again. */
function* listWarnings({ hostAliases, imagePullSecrets, volumes }: PodSpec, path: string): Iterable<string> {
  if (volumes !== undefined)
    for (let index = 0; index < volumes.length; index++)
      yield* volumeWarnings(volumes[index] as Volume, `${path}.volumes[${index}]`);
  const addresses = new Set<string>();
  for (const [index, { ip }] of (hostAliases ?? []).entries()) {
    if (addresses.has(ip)) yield `${path}.hostAliases[${index}].ip: duplicate ip "${ip}"`;
    addresses.add(ip);
  }
  const secrets = new Set<string>();
  for (const [index, { name = '' }] of (imagePullSecrets ?? []).entries()) {
    const at = `${path}.imagePullSecrets[${index}].name`;
    if (name === '') yield `${at}: invalid empty name ""`;
    else if (secrets.has(name)) yield `${at}: duplicate name "${name}"`;
    secrets.add(name);
  }
}

function* volumeWarnings(volume: Volume, path: string): Iterable<string> {
  const { name, projected, ephemeral } = volume;
  yield* endedSourceWarnings(volume, path);
  if (ephemeral !== undefined)
    yield* claimSpecWarnings(ephemeral.volumeClaimTemplate?.spec, `${path}.ephemeral.volumeClaimTemplate.spec`);
  for (const source of projected?.sources ?? [])
    if (Object.keys(source).length === 0) yield `volume "${name}" (Projected) has no sources provided`;
}

function* containerWarnings({ resources, env }: Container, path: string): Iterable<string> {
  if (resources !== undefined) {
    for (const list of ['limits', 'requests'] as const)
      for (const [name, text] of Object.entries(resources[list] ?? {}))
        if (name !== 'cpu' && isFraction(text))
          yield `${path}.resources.${list}[${name}]: fractional byte value "${text}" is invalid, must be an integer`;
  }
  if (env !== undefined && env.length > 1) yield* duplicateNames(env, `${path}.env`);
}

function isFraction(text: string): boolean {
  const nano = parseQuantity(text);
  return nano !== undefined && nano % unit !== 0n;
}

function* duplicateNames(env: NonNullable<Container['env']>, path: string): Iterable<string> {
  const seen = new Set<string>();
  for (const [index, { name, value = '' }] of env.entries()) {
    // A later variable may build on an earlier one of its name.
    if (seen.has(name) && !value.includes(`$(${name})`))
      yield `${path}[${index}]: hides previous definition of "${name}", which may be dropped when using apply`;
    seen.add(name);
  }
}
