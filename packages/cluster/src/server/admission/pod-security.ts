import type { Namespace, Pod } from '../../api/generated/core-v1.ts';
import {
  cronjobs,
  daemonsets,
  deployments,
  jobs,
  namespaces,
  pods,
  podtemplates,
  replicasets,
  replicationcontrollers,
  statefulsets,
} from '../../api/generated/kinds.ts';
import { isSameResource } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { forbidden, invalid, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import type { Judged } from '../../resources/core/pod/security/check.ts';
import {
  asksMore,
  type Level,
  levelText,
  type Policy,
  policyIssues,
  policyOf,
  violations,
  violationText,
} from '../../resources/core/pod/security/levels.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';

const workloads = [
  ...[deployments, daemonsets, statefulsets, replicasets, replicationcontrollers, jobs, cronjobs, podtemplates],
];
/** Of a pod these change nothing that a level is about. */
const ignoredDoors: ReadonlySet<string> = new Set(['binding', 'eviction', 'status']);
const podsMax = 3_000;

/** Holds pods to the level that the labels of their namespace name. Whoever makes pods is only warned. */
export const podSecurity: AdmissionPlugin = {
  name: 'PodSecurity',
  resources: [namespaces, pods, ...workloads],
  checkCreate(object, world) {
    const { definition } = world.served;
    if (isSameResource(definition, namespaces)) refuseLabels(object, world);
    else if (isSameResource(definition, pods)) judgePod(object as Pod, world);
    else warnOfTemplate(object, world);
  },
  checkUpdate(next, current, world) {
    const { served, subresource } = world;
    if (isSameResource(served.definition, pods)) {
      if (ignoredDoors.has(subresource ?? '') || !isOther(next as Pod, current as Pod)) return;
      judgePod(next as Pod, world);
    } else if (subresource === undefined)
      if (isSameResource(served.definition, namespaces)) judgeNamespace(next, current as Namespace, world);
      else warnOfTemplate(next, world);
  },
};

function policyFor({ metadata }: KubeObject, { get }: AdmissionWorld): Policy {
  return policyOf(get(namespaces, { name: metadata.namespace ?? '' })?.metadata.labels);
}

function judgePod(pod: Pod, world: AdmissionWorld): void {
  const { enforce, audit, warn } = policyFor(pod, world);
  world.annotate('pod-security.kubernetes.io/enforce-policy', levelText(enforce));
  noteOf(pod, { level: audit, world });
  const found = violations(pod, enforce);
  if (found.length > 0)
    throw new StatusError(
      forbidden(
        world.served.definition,
        pod.metadata.name,
        `violates PodSecurity "${levelText(enforce)}": ${violationText(found)}`,
      ),
    );
  warnOf(pod, { level: warn, world });
}

function warnOf(pod: Judged, { level, world }: Against): void {
  const found = violations(pod, level);
  if (found.length > 0) world.warn(`would violate PodSecurity "${levelText(level)}": ${violationText(found)}`);
}

interface Against {
  readonly level: Level;
  readonly world: AdmissionWorld;
}

function noteOf(pod: Judged, { level, world }: Against): void {
  const found = violations(pod, level);
  if (found.length === 0) return;
  const text = `would violate PodSecurity "${levelText(level)}": ${violationText(found)}`;
  world.annotate('pod-security.kubernetes.io/audit-violations', text);
}

type WithTemplate = KubeObject & {
  readonly template?: Partial<Judged>;
  readonly spec?: {
    readonly template?: Partial<Judged>;
    readonly jobTemplate?: { readonly spec?: { readonly template?: Partial<Judged> } };
  };
};

function warnOfTemplate(object: KubeObject, world: AdmissionWorld): void {
  const { audit, warn } = policyFor(object, world);
  if (audit.name === 'privileged' && warn.name === 'privileged') return;
  const { template, spec } = object as WithTemplate;
  const found = template ?? spec?.template ?? spec?.jobTemplate?.spec?.template;
  if (found?.spec === undefined) return;
  const judged = { metadata: found.metadata ?? {}, spec: found.spec };
  noteOf(judged, { level: audit, world });
  warnOf(judged, { level: warn, world });
}

/** Of what a pod may change the images and what stands in old annotations could be another matter. */
function isOther(next: Pod, current: Pod): boolean {
  const seen = ({ metadata, spec }: Pod): unknown => ({
    images: [spec.initContainers, spec.containers, spec.ephemeralContainers].map((list) =>
      (list ?? []).map(({ name, image }) => [name, image]),
    ),
    annotations: Object.entries(metadata.annotations ?? {}).filter(([key]) => /apparmor|seccomp/.test(key)),
  });
  return !equal(seen(next), seen(current));
}

function refuseLabels({ metadata }: KubeObject, { served }: AdmissionWorld): void {
  const issues = [...policyIssues(metadata.labels)];
  if (issues.length > 0) throw new StatusError(invalid(served.definition, metadata.name, issues));
}

function judgeNamespace(next: KubeObject, current: Namespace, world: AdmissionWorld): void {
  // What was wrong before may stay.
  if (!equal([...policyIssues(next.metadata.labels)], [...policyIssues(current.metadata.labels)]))
    refuseLabels(next, world);
  const { enforce } = policyOf(next.metadata.labels);
  if (!asksMore(enforce, policyOf(current.metadata.labels).enforce)) return;
  for (const warning of podWarnings(next.metadata.name, { enforce, world })) world.warn(warning);
}

/** Which pods are there that could not come any more. They stay. */
function podWarnings(
  namespace: string,
  { enforce, world }: { readonly enforce: Level; readonly world: AdmissionWorld },
): readonly string[] {
  const all = world.list(pods, { namespace });
  const names = new Map<string, string[]>();
  for (const pod of all.slice(0, podsMax)) {
    const reasons = violations(pod, enforce).map(({ reason }) => reason);
    if (reasons.length === 0) continue;
    const text = reasons.join(', ');
    names.set(text, [...(names.get(text) ?? []), pod.metadata.name]);
  }
  const lines = [...names].map(([text, [first = '', ...others]]) => `${first}${andOthers(others.length)}: ${text}`);
  return [
    ...(all.length > podsMax
      ? [`new PodSecurity enforce level only checked against the first ${podsMax} of ${all.length} existing pods`]
      : []),
    ...(lines.length > 0
      ? [`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${levelText(enforce)}"`]
      : []),
    ...lines.sort(),
  ];
}

function andOthers(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' (and 1 other pod)' : ` (and ${count} other pods)`;
}
