import type { Container, Pod, ResourceRequirements } from '../../../api/generated/core-v1.ts';
import { pods } from '../../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../../api/issue.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { equal } from '../../../base/equal.ts';
import { fresh } from '../../../base/fresh.ts';
import type { Subresource } from '../../resource.ts';
import { isSidecar, qosClassOf } from './facts.ts';
import { isMirrorPod } from './references.ts';

/** How the containers of a pod get more or less of processors and memory while they run. What comes of it their node says in the status. */
export const resizeSubresource: Subresource<Pod> = {
  name: 'resize',
  verbs: ['get', 'update', 'patch'],
  kind: pods,
  schema: 'io.k8s.api.core.v1.Pod',
  read: (pod) => pod,
  write: (pod, body) => withSizes(pod, body as Pod),
  validateUpdate: resizeIssues,
};

/** Nothing of the body counts but the sizes of its containers. Where those are others, all of them are taken: it is told that they are. */
function withSizes(pod: KubeObject & Pod, body: Partial<Pod>): Pod {
  const { containers = [], initContainers } = body.spec ?? {};
  return {
    ...pod,
    spec: {
      ...fresh,
      ...pod.spec,
      containers: resized(containers, pod.spec.containers),
      ...((initContainers ?? pod.spec.initContainers) !== undefined && {
        initContainers: resized(initContainers ?? [], pod.spec.initContainers ?? []),
      }),
    },
  };
}

function resized(given: readonly Container[], current: readonly Container[]): readonly Container[] {
  if (!areSame(given, current)) return given;
  return current.map((container, index) => {
    const { resources, resizePolicy } = given[index] ?? container;
    const { resources: _resources, resizePolicy: _policy, ...others } = container;
    return {
      ...fresh,
      ...others,
      ...(resources !== undefined && { resources }),
      ...(resizePolicy !== undefined && { resizePolicy }),
    };
  });
}

function areSame(given: readonly Container[], current: readonly Container[]): boolean {
  return given.length === current.length && given.every(({ name }, index) => name === current[index]?.name);
}

function* resizeIssues(next: Pod, current: Pod, at: FieldPath): Iterable<Issue> {
  const whole = whyNever(next, current);
  if (whole !== undefined) {
    // The place of a mistake that is nowhere, as upstream spells it.
    yield { ...at().forbidden(whole), field: '[]' };
    return;
  }
  const place = at('spec');
  if ((current.status?.qosClass ?? qosClassOf(current.spec)) !== qosClassOf(next.spec))
    yield place.invalid(next.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing');
  const others = [...otherContainers(next, current, place)];
  yield* others;
  if (others.length > 0) return;
  for (const [index, container] of (current.spec.initContainers ?? []).entries()) {
    const after = next.spec.initContainers?.[index] ?? container;
    const where = place('initContainers', index, 'resources');
    if (isSidecar(container))
      yield* changedSizes({ after, before: container, kind: ' for sidecar containers', where }, place);
    else if (!equal(after, container)) yield place.forbidden('resources for non-sidecar init containers are immutable');
  }
  for (const [index, container] of current.spec.containers.entries()) {
    const after = next.spec.containers[index] ?? container;
    const where = place('containers', index, 'resources');
    yield* changedSizes({ after, before: container, kind: '', where }, place);
  }
}

function whyNever(next: Pod, current: Pod): string | undefined {
  const isOfAll = ({ spec }: Pod): boolean =>
    Object.keys({ ...spec.resources?.requests, ...spec.resources?.limits }).length > 0;
  if (isOfAll(next) || isOfAll(current)) return 'pods with pod-level resources cannot be resized';
  if (isMirrorPod(current)) return 'static pods cannot be resized';
  return current.spec.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined;
}

function* otherContainers(next: Pod, current: Pod, place: FieldPath): Iterable<Issue> {
  for (const list of ['containers', 'initContainers'] as const) {
    const [after, before] = [next.spec[list] ?? [], current.spec[list] ?? []];
    if (after.length !== before.length) yield place(list).forbidden(`${list} may not be added or removed on resize`);
    else
      for (const [index, { name }] of before.entries())
        if (after[index]?.name !== name)
          yield place(list, index, 'name').forbidden(`${list} may not be renamed or reordered on resize`);
  }
}

interface Sizes {
  readonly after: Container;
  readonly before: Container;
  /** Of which containers it is told. */
  readonly kind: string;
  readonly where: FieldPath;
}

function* changedSizes({ after, before, kind, where }: Sizes, place: FieldPath): Iterable<Issue> {
  for (const list of ['requests', 'limits'] as const) {
    const left = after.resources?.[list] ?? {};
    if (Object.keys(before.resources?.[list] ?? {}).some((name) => !Object.hasOwn(left, name)))
      yield where(list).forbidden(`resource ${list} cannot be removed`);
  }
  const isOther = !equal(fixedOf(after.resources), fixedOf(before.resources));
  // As upstream, whose door takes it and whose rules do not let it change.
  if (isOther || !equal(after.resizePolicy ?? [], before.resizePolicy ?? []))
    yield place.forbidden(`only cpu and memory resources${kind} are mutable`);
}

/** What of it nobody can change while the container runs. */
function fixedOf({ requests, limits, claims }: ResourceRequirements = {}): object {
  const others = (amounts: Readonly<Record<string, string>> = {}): object =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => name !== 'cpu' && name !== 'memory'));
  return { requests: others(requests), limits: others(limits), claims: claims ?? [] };
}
