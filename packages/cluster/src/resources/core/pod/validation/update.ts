import type { Container, NodeSelectorTerm, Pod, PodSpec, Toleration } from '../../../../api/generated/core-v1.ts';
import type { FieldPath, Issue } from '../../../../api/issue.ts';
import { equal } from '../../../../base/equal.ts';
import { dnsSubdomain } from '../../../validation/names.ts';

const secondsMax = 2_147_483_647;
const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/** A pod is nearly immutable: what an update may not change, as upstream words it. */
export function* validatePodUpdate(next: Pod, current: Pod, at: FieldPath): Iterable<Issue> {
  if (next.spec === current.spec) return;
  const place = at('spec');
  const counted = [
    ...sameCount(next, current, 'containers', place),
    ...sameCount(next, current, 'initContainers', place),
  ];
  yield* counted;
  if (counted.length > 0) return;
  yield* validateDeadline(next.spec, current.spec, place);
  yield* validateGates(next.spec, current.spec, place('schedulingGates'));
  yield* validateAddedTolerations(next.spec, current.spec, place('tolerations'));
  if (isGated(current.spec)) yield* validateNarrowing(next.spec, current.spec, place);
  const changed = otherChanges(next.spec, current.spec);
  if (changed.length > 0)
    yield place.forbidden(`pod updates may not change fields other than ${changeable}\n${changed.join('\n')}`);
}

/** The pod's history of nodes and quality of service is not the node agent's to rewrite. */
export function* validatePodStatusUpdate(next: Pod, current: Pod, at: FieldPath): Iterable<Issue> {
  for (const [index, { observedGeneration }] of (next.status?.conditions ?? []).entries())
    yield* validateSeen(observedGeneration, at('status', 'conditions', index));
  if ((next.spec?.nodeName ?? '') !== (current.spec.nodeName ?? ''))
    yield at('status', 'nodeName').forbidden('may not be changed directly');
  const { qosClass = '', containerStatuses = [], initContainerStatuses = [] } = next.status ?? {};
  const { nominatedNodeName = '' } = next.status ?? {};
  if (nominatedNodeName !== '' && nominatedNodeName !== current.status?.nominatedNodeName)
    yield* dnsSubdomain(nominatedNodeName, at('status', 'nominatedNodeName'));
  yield* validateSeen(next.status?.observedGeneration, at('status'));
  if (qosClass !== '' && current.status?.qosClass !== undefined && qosClass !== current.status.qosClass)
    yield at('status', 'qosClass').invalid(qosClass, 'field is immutable');
  if (current.spec.restartPolicy === 'Always') return;
  yield* validateTransitions({ next: containerStatuses, current: current.status?.containerStatuses ?? [] }, current, {
    at: at('status', 'containerStatuses'),
    restartable: () => false,
  });
  const sidecars = new Set(
    (current.spec.initContainers ?? [])
      .filter(({ restartPolicy }) => restartPolicy === 'Always')
      .map(({ name }) => name),
  );
  yield* validateTransitions(
    { next: initContainerStatuses, current: current.status?.initContainerStatuses ?? [] },
    current,
    { at: at('status', 'initContainerStatuses'), restartable: (name) => sidecars.has(name) },
  );
}

/** Which version of the spec somebody has seen. */
function* validateSeen(generation: number | undefined, at: FieldPath): Iterable<Issue> {
  if (generation !== undefined && generation < 0)
    yield at('observedGeneration').invalid(generation, 'must be a non-negative integer');
}

type Statuses = NonNullable<Pod['status']['containerStatuses']>;

interface TransitionOptions {
  readonly at: FieldPath;
  restartable(name: string): boolean;
}

/** A container that has ended for good does not run again. */
function* validateTransitions(
  { next, current }: { readonly next: Statuses; readonly current: Statuses },
  pod: Pod,
  { at, restartable }: TransitionOptions,
): Iterable<Issue> {
  for (const [index, before] of current.entries()) {
    const ended = before.state?.terminated;
    if (ended === undefined || restartable(before.name)) continue;
    if (ended.exitCode !== 0 && pod.spec.restartPolicy === 'OnFailure') continue;
    const after = next.find(({ name }) => name === before.name);
    if (after !== undefined && after.state?.terminated === undefined)
      yield at(index, 'state').forbidden('may not be transitioned to non-terminated state');
  }
}

function* sameCount(next: Pod, current: Pod, list: 'containers' | 'initContainers', at: FieldPath): Iterable<Issue> {
  if ((next.spec?.[list] ?? []).length !== (current.spec[list] ?? []).length)
    yield at(list).forbidden('pod updates may not add or remove containers');
}

function* validateDeadline(next: PodSpec, current: PodSpec, place: FieldPath): Iterable<Issue> {
  const seconds = next.activeDeadlineSeconds;
  const before = current.activeDeadlineSeconds;
  const at = place('activeDeadlineSeconds');
  if (seconds === undefined) {
    if (before !== undefined) yield at.invalid(undefined, 'must not update from a positive integer to nil value');
  } else if (seconds < 0 || seconds > secondsMax)
    yield at.invalid(seconds, `must be between 0 and ${secondsMax}, inclusive`);
  else if (before !== undefined && before < seconds)
    yield at.invalid(seconds, 'must be less than or equal to previous value');
}

function* validateGates(next: PodSpec, current: PodSpec, at: FieldPath): Iterable<Issue> {
  const known = new Set((current.schedulingGates ?? []).map(({ name }) => name));
  for (const [index, { name }] of (next.schedulingGates ?? []).entries())
    if (!known.has(name))
      yield at(index, 'name').forbidden(`only deletion is allowed, but found new scheduling gate '${name}'`);
}

function* validateAddedTolerations(next: PodSpec, current: PodSpec, at: FieldPath): Iterable<Issue> {
  if (next.tolerations === current.tolerations) return;
  const kept = (next.tolerations ?? []).map(timeless);
  for (const toleration of current.tolerations ?? [])
    if (!kept.some((other) => equal(other, timeless(toleration)))) {
      yield at.forbidden('existing toleration can not be modified except its tolerationSeconds');
      return;
    }
}

function timeless({ tolerationSeconds: _seconds, ...toleration }: Toleration): Toleration {
  return toleration;
}

const freeFields: ReadonlySet<keyof PodSpec> = new Set<keyof PodSpec>([
  'activeDeadlineSeconds',
  'tolerations',
  'schedulingGates',
]);

/** Paths of the changes that no rule allows. */
function otherChanges(next: PodSpec, current: PodSpec): readonly string[] {
  const changed: string[] = [];
  const gated = isGated(current);
  for (const field of new Set([...Object.keys(next), ...Object.keys(current)]) as Set<keyof PodSpec>) {
    if (freeFields.has(field) || next[field] === current[field]) continue;
    if (field === 'containers' || field === 'initContainers')
      changed.push(...containerChanges(next[field] ?? [], current[field] ?? [], field));
    else if (equal(next[field], current[field]) || allowedOnce(field, next, current)) continue;
    else if (gated && isAboutNodes(field, next, current)) continue;
    else changed.push(`spec.${field}`);
  }
  return changed;
}

function allowedOnce(field: keyof PodSpec, next: PodSpec, current: PodSpec): boolean {
  return (
    field === 'terminationGracePeriodSeconds' &&
    (current.terminationGracePeriodSeconds ?? 0) < 0 &&
    next.terminationGracePeriodSeconds === 1
  );
}

function isGated({ schedulingGates = [] }: PodSpec): boolean {
  return schedulingGates.length > 0;
}

/** What has rules of its own while a pod waits at a gate. An affinity that says nothing is another one than none. */
function isAboutNodes(field: keyof PodSpec, next: PodSpec, current: PodSpec): boolean {
  if (field !== 'affinity') return field === 'nodeSelector';
  const { nodeAffinity: before, ...othersBefore } = current.affinity ?? {};
  const { nodeAffinity: after, ...othersAfter } = next.affinity ?? {};
  return equal(othersBefore, othersAfter) && !equal(before, after);
}

/** While a pod waits at a gate, more may be asked of its node, never less. */
function* validateNarrowing(next: PodSpec, current: PodSpec, at: FieldPath): Iterable<Issue> {
  const selected = Object.entries(current.nodeSelector ?? {});
  if (selected.some(([key, value]) => next.nodeSelector?.[key] !== value))
    yield at('nodeSelector').invalid(
      next.nodeSelector,
      'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    );
  const before = termsOf(current) ?? [];
  if (before.length === 0) return;
  const after = termsOf(next);
  const place = at('affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  if (after?.length !== before.length) {
    yield place.invalid(after, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed');
    return;
  }
  for (const [index, term] of after.entries())
    if (!narrows(term, before[index] ?? {}))
      yield place(index).invalid(term, 'only additions are allowed (no mutations or deletions)');
}

function termsOf({ affinity }: PodSpec): readonly NodeSelectorTerm[] | undefined {
  return affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
}

/** A term that asks for nothing matches no node, so whatever is added to it would ask for less. */
function narrows(next: NodeSelectorTerm, current: NodeSelectorTerm): boolean {
  const lists = ['matchExpressions', 'matchFields'] as const;
  const isEmpty = (term: NodeSelectorTerm): boolean => lists.every((list) => (term[list] ?? []).length === 0);
  if (isEmpty(current)) return isEmpty(next);
  return lists.every((list) =>
    (current[list] ?? []).every((requirement, index) => equal(next[list]?.[index], requirement)),
  );
}

function containerChanges(next: readonly Container[], current: readonly Container[], list: string): readonly string[] {
  const changed: string[] = [];
  for (const [index, container] of next.entries()) {
    const before = current[index];
    if (before === container || before === undefined) continue;
    for (const field of new Set([...Object.keys(container), ...Object.keys(before)]) as Set<keyof Container>)
      if (field !== 'image' && !equal(given(container[field]), given(before[field])))
        changed.push(`spec.${list}[${index}].${field}`);
  }
  return changed;
}

/** What is not set is the same as no, and as an empty text. */
function given(value: unknown): unknown {
  return value === false || value === '' ? undefined : value;
}
