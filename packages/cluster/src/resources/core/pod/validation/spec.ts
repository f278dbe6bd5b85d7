import type { Pod, PodSpec, PodTemplateSpec } from '../../../../api/generated/core-v1.ts';
import type { FieldPath, Issue } from '../../../../api/issue.ts';
import {
  annotationsIssues,
  dnsLabel,
  dnsSubdomain,
  isDnsLabel,
  isDnsSubdomain,
  isQualifiedName,
  labelIssues,
  qualifiedName,
} from '../../../validation/names.ts';
import { oneOf, validateAllContainers } from './container.ts';
import { validateHostNetworkPorts, validateNameResolution } from './network.ts';
import { inside, type Place } from './place.ts';
import { validateOverhead, validatePodResources } from './resources.ts';
import { validatePlacement } from './scheduling.ts';
import { validateHostProcesses, validateOwnUsers, validatePodSecurity } from './security.ts';
import { validateVolumes } from './volume.ts';

const restartPolicies: readonly string[] = ['Always', 'OnFailure', 'Never'];
const dnsPolicies: readonly string[] = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const preemptionPolicies: readonly string[] = ['Never', 'PreemptLowerPriority'];
const operatingSystems: readonly string[] = ['linux', 'windows'];
const secondsMax = 2_147_483_647;

/** What must hold of every pod, new or changed. */
export function* validatePod(pod: Pod, at: FieldPath): Iterable<Issue> {
  const { spec } = pod;
  const place: Place = () => at('spec');
  yield* validatePodSpec(spec, place, { isPod: true });
  yield* validateImages(spec, place);
}

/** What must hold of a pod on its way in, besides {@link validatePod}. */
export function* validatePodCreate({ spec }: Pod, at: FieldPath): Iterable<Issue> {
  if ((spec?.ephemeralContainers ?? []).length > 0)
    yield at('spec', 'ephemeralContainers').forbidden('cannot be set on create');
  if ((spec?.nodeName ?? '') !== '' && (spec?.schedulingGates ?? []).length > 0)
    yield at('spec', 'nodeName').forbidden('cannot be set until all schedulingGates have been cleared');
}

export interface PodTemplateOptions {
  /** Volumes that the workload adds to every pod, such as a StatefulSet's claims: mounts may name them. */
  readonly extraVolumes?: Iterable<string>;
}

/** `at` is the template's own path, e.g. `root('spec', 'template')`. */
export function* validatePodTemplate(
  template: PodTemplateSpec | undefined,
  at: FieldPath,
  options: PodTemplateOptions = {},
): Iterable<Issue> {
  const { metadata, spec = { containers: [] } } = template ?? {};
  // Upstream leaves out that they are in the metadata, and clients show it so.
  if (metadata?.labels !== undefined) yield* labelIssues(metadata.labels, at('labels'));
  if (metadata?.annotations !== undefined) yield* annotationsIssues(metadata.annotations, at('annotations'));
  const place: Place = () => at('spec');
  yield* validatePodSpec(spec, place, { isPod: false, ...options });
  if ((spec.ephemeralContainers ?? []).length > 0)
    yield at('spec', 'ephemeralContainers').forbidden('ephemeral containers not allowed in pod template');
}

const noClaims: ReadonlySet<string> = new Set();

interface PodSpecRules extends PodTemplateOptions {
  readonly isPod: boolean;
}

function* validatePodSpec(spec: PodSpec, at: Place, { isPod, extraVolumes }: PodSpecRules): Iterable<Issue> {
  const { terminationGracePeriodSeconds } = spec;
  if (terminationGracePeriodSeconds === undefined) yield at()('terminationGracePeriodSeconds').required();
  const volumes = new Set<string>();
  if (spec.volumes !== undefined) yield* validateVolumes(spec.volumes, inside(at, 'volumes'), volumes);
  for (const name of extraVolumes ?? []) volumes.add(name);
  yield* validateAllContainers(spec, at, {
    volumes,
    gracePeriodSeconds: terminationGracePeriodSeconds ?? 0,
    hostUsers: spec.hostUsers !== false,
    claims: spec.resourceClaims === undefined ? noClaims : new Set(spec.resourceClaims.map(({ name }) => name)),
  });
  yield* validateHostNetworkPorts(spec, at, { isPod });
  yield* oneOf(spec.restartPolicy, inside(at, 'restartPolicy'), restartPolicies);
  yield* oneOf(spec.dnsPolicy, inside(at, 'dnsPolicy'), dnsPolicies);
  yield* validatePlacement(spec, at);
  yield* validatePodSecurity(spec, inside(at, 'securityContext'));
  yield* validateOwnUsers(spec, at);
  yield* validateHostProcesses(spec, at);
  yield* validateNameResolution(spec, at);
  yield* validateGates(spec, at);
  yield* validateNames(spec, at);
  yield* validateRuntime(spec, at);
}

/** Gates hold a pod back: from being scheduled, from being ready. */
function* validateGates({ readinessGates, schedulingGates }: PodSpec, at: Place): Iterable<Issue> {
  if (readinessGates !== undefined)
    for (const [index, { conditionType = '' }] of readinessGates.entries())
      if (!isQualifiedName(conditionType))
        yield* qualifiedName(conditionType, at()('readinessGates', index, 'conditionType'));
  if (schedulingGates === undefined) return;
  const seen = new Set<string>();
  for (const [index, { name = '' }] of schedulingGates.entries()) {
    if (!isQualifiedName(name)) yield* qualifiedName(name, at()('schedulingGates', index));
    if (seen.has(name)) yield at()('schedulingGates', index).duplicate(name);
    seen.add(name);
  }
}

/** Names that the spec gives the pod, and names of other objects. */
function* validateNames(spec: PodSpec, at: Place): Iterable<Issue> {
  for (const field of ['serviceAccountName', 'nodeName', 'priorityClassName', 'runtimeClassName'] as const) {
    const name = spec[field];
    if (name === undefined || (name === '' && field !== 'runtimeClassName')) continue;
    if (!isDnsSubdomain(name)) yield* dnsSubdomain(name, at()(field));
  }
  for (const field of ['hostname', 'subdomain'] as const) {
    const name = spec[field];
    if (name !== undefined && name !== '' && !isDnsLabel(name)) yield* dnsLabel(name, at()(field));
  }
  if (spec.resourceClaims !== undefined) yield* validateClaims(spec.resourceClaims, inside(at, 'resourceClaims'));
}

type Claims = NonNullable<PodSpec['resourceClaims']>;

/** Each has a name of its own, and either a claim or a template to make one from. */
function* validateClaims(claims: readonly Partial<Claims[number]>[], at: Place): Iterable<Issue> {
  const names = new Set<string>();
  for (const [index, claim] of claims.entries()) {
    const { name = '', resourceClaimName, resourceClaimTemplateName } = claim;
    if (name === '') yield at()(index, 'name').required();
    else if (names.has(name)) yield at()(index, 'name').duplicate(name);
    else if (!isDnsLabel(name)) yield* dnsLabel(name, at()(index, 'name'));
    names.add(name);
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined)
      yield at()(index).invalid(claim, `at most one of ${eitherClaim('or')} may be specified`);
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined)
      yield at()(index).invalid(claim, `must specify one of: ${eitherClaim(',')}`);
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
      const chosen = claim[field];
      if (chosen !== undefined && !isDnsSubdomain(chosen)) yield* dnsSubdomain(chosen, at()(index, field));
    }
  }
}

function eitherClaim(between: 'or' | ','): string {
  return `\`resourceClaimName\`${between === 'or' ? ' or' : ','} \`resourceClaimTemplateName\``;
}

function* validateRuntime(spec: PodSpec, at: Place): Iterable<Issue> {
  const { activeDeadlineSeconds, preemptionPolicy, os } = spec;
  if (activeDeadlineSeconds !== undefined && (activeDeadlineSeconds < 1 || activeDeadlineSeconds > secondsMax))
    yield at()('activeDeadlineSeconds').invalid(
      activeDeadlineSeconds,
      `must be between 1 and ${secondsMax}, inclusive`,
    );
  if (preemptionPolicy !== undefined)
    yield* oneOf(preemptionPolicy, inside(at, 'preemptionPolicy'), preemptionPolicies);
  if (spec.overhead !== undefined) yield* validateOverhead(spec.overhead, inside(at, 'overhead'));
  if (spec.resources !== undefined) yield* validatePodResources(spec, inside(at, 'resources'));
  if (os !== undefined) {
    if ((os.name ?? '') === '') yield at()('os', 'name').required();
    else yield* oneOf(os.name, inside(at, 'os'), operatingSystems);
  }
}

/** Templates may carry blanks in images, for the sake of old ones that do. Pods may not. */
function* validateImages(spec: PodSpec, at: Place): Iterable<Issue> {
  for (const list of ['containers', 'initContainers', 'ephemeralContainers'] as const) {
    const containers = spec[list];
    if (containers === undefined) continue;
    for (let index = 0; index < containers.length; index++) {
      const image = containers[index]?.image ?? '';
      if (image !== image.trim())
        yield at()(list, index, 'image').invalid(image, 'must not have leading or trailing whitespace');
    }
  }
}
