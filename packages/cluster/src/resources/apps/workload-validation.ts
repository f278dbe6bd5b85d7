/** Rules that the kinds with a selector and a pod template share. */
import type { PodTemplateSpec } from '../../api/generated/core-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import type { LabelSelector } from '../../api/meta.ts';
import { compileSelector, isEmptySelector, validateSelector } from '../../api/selector/selector.ts';
import { type PodTemplateOptions, validatePodTemplate } from '../core/pod/template.ts';

export interface WorkloadSpec {
  readonly selector?: LabelSelector;
  readonly template?: PodTemplateSpec;
}

export type Unselected = 'required' | 'unmatched' | 'both';

export interface WorkloadRules extends PodTemplateOptions {
  /** How messages call the kind when its selector is empty. */
  readonly emptyName: string;
  /** How messages call the kind when its template may not have a deadline. Absent: that is judged elsewhere. */
  readonly deadlineName?: string;
  /** What is told of a spec that has no selector: that one is needed, that it selects no template, or both. */
  readonly unselected: Unselected;
  /** In which words a selector that cannot be read is told of once more, as a whole. As upstream, its template is not looked at then. */
  readonly tellsSelector?: string;
}

/**
 * The selector says something, selects the template's pods, and the pods are meant to run for ever. `at` is the path of
 * the spec.
 */
export function* validateWorkload(
  { selector, template }: WorkloadSpec,
  at: FieldPath,
  { emptyName, deadlineName, unselected, tellsSelector, ...options }: WorkloadRules,
): Iterable<Issue> {
  yield* validateWorkloadSelector({ selector, template, emptyName, unselected, tellsSelector }, at);
  if (tellsSelector !== undefined && !isReadable(selector, at)) return;
  yield* validatePodTemplate(template, at('template'), options);
  if (deadlineName !== undefined) yield* validateForever(template, at('template'), deadlineName);
}

/** The pods are meant to run for ever. `at` is the path of the template, `kind` what messages call the workload. */
export function* validateForever(template: PodTemplateSpec | undefined, at: FieldPath, kind: string): Iterable<Issue> {
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  if (restartPolicy !== 'Always') yield at('spec', 'restartPolicy').notSupported(restartPolicy ?? '', ['Always']);
  if (activeDeadlineSeconds !== undefined)
    yield at('spec', 'activeDeadlineSeconds').forbidden(`activeDeadlineSeconds in ${kind} is not Supported`);
}

interface Selecting {
  readonly selector: LabelSelector | undefined;
  readonly template: PodTemplateSpec | undefined;
  readonly emptyName: string;
  readonly unselected: Unselected;
  readonly tellsSelector: string | undefined;
}

function* validateWorkloadSelector(
  { selector, template, emptyName, unselected, tellsSelector }: Selecting,
  at: FieldPath,
): Iterable<Issue> {
  const unmatched = (): Issue =>
    at('template', 'metadata', 'labels').invalid(
      template?.metadata?.labels ?? null,
      '`selector` does not match template `labels`',
    );
  if (selector === undefined) {
    if (unselected !== 'unmatched') yield at('selector').required();
    if (unselected !== 'required') yield unmatched();
    return;
  }
  const issues = [...validateSelector(selector, at('selector'))];
  yield* issues;
  if (isEmptySelector(selector)) yield at('selector').invalid(selector, `empty selector is invalid for ${emptyName}`);
  else if (issues.length > 0) {
    if (tellsSelector !== undefined) yield at('selector').invalid(selector, tellsSelector);
  } else if (!compileSelector(selector)(template?.metadata?.labels)) yield unmatched();
}

function isReadable(selector: LabelSelector | undefined, at: FieldPath): boolean {
  if (selector === undefined || isEmptySelector(selector)) return true;
  return [...validateSelector(selector, at('selector'))].length === 0;
}

export function* validateNotNegative<T extends object>(
  counts: T,
  at: FieldPath,
  fields: readonly (keyof T & string)[],
): Iterable<Issue> {
  for (const field of fields) {
    const count = counts[field];
    if (typeof count === 'number' && count < 0) yield at(field).invalid(count, 'must be greater than or equal to 0');
  }
}

interface Collisions {
  readonly status?: { readonly collisionCount?: number };
}

/** The count of hash collisions only grows: names are made from it. */
export function* validateCollisions(next: Collisions, current: Collisions, at: FieldPath): Iterable<Issue> {
  const before = current.status?.collisionCount;
  const after = next.status?.collisionCount;
  if (before !== undefined && (after ?? 0) < before)
    yield at('status', 'collisionCount').invalid(after ?? 0, 'cannot be decremented');
}

interface ReplicaCounts {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentReplicas?: number;
}

type Part = Exclude<keyof ReplicaCounts, 'replicas'>;

/** What ReplicaSets and ReplicationControllers count of their pods. */
export const replicaSetParts: readonly Part[] = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];

interface Counting {
  /** What the kind counts. */
  readonly parts: readonly Part[];
  /** What messages call `readyReplicas`. */
  readonly ready?: string;
}

/** No part is more than the whole. `at` is the path of the status. */
export function* validateReplicaCounts(
  status: ReplicaCounts,
  at: FieldPath,
  { parts, ready = 'readyReplicas' }: Counting,
): Iterable<Issue> {
  yield* validateNotNegative(status, at, ['replicas', ...parts]);
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  for (const part of parts) {
    const count = status[part] ?? 0;
    if (count > replicas) yield at(part).invalid(count, 'cannot be greater than status.replicas');
  }
  if (availableReplicas > readyReplicas)
    yield at('availableReplicas').invalid(availableReplicas, `cannot be greater than ${ready}`);
}
