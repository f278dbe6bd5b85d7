/** Rules that the kinds with a selector and a pod template share. */
import type { PodTemplateSpec } from '../../api/generated/core-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import type { LabelSelector } from '../../api/meta.ts';
import { compileSelector, isEmptySelector, validateSelector } from '../../api/selector/selector.ts';
import { type PodTemplateOptions, validatePodTemplate } from '../core/pod/template.ts';

const unreadable = 'invalid label selector';

export interface WorkloadSpec {
  readonly selector?: LabelSelector;
  readonly template?: PodTemplateSpec;
}

export type Unselected = 'required' | 'unmatched' | 'both';

export interface WorkloadRules extends PodTemplateOptions {
  /** How messages call the kind when its selector is empty. */
  readonly emptyName: string;
  /** How messages call the kind when its template may not have a deadline. */
  readonly deadlineName: string;
  /** What is told of a spec that has no selector: that one is needed, that it selects no template, or both. */
  readonly unselected: Unselected;
  /** Whether a selector that cannot be read is told of once more, as a whole. */
  readonly tellsSelector?: boolean;
}

/**
 * The selector says something, selects the template's pods, and the pods are meant to run for ever. `at` is the path of
 * the spec.
 */
export function* validateWorkload(
  { selector, template }: WorkloadSpec,
  at: FieldPath,
  { emptyName, deadlineName, unselected, tellsSelector = false, ...options }: WorkloadRules,
): Iterable<Issue> {
  const issues = [...validateWorkloadSelector({ selector, template, emptyName, unselected, tellsSelector }, at)];
  yield* issues;
  // As upstream, which then does not look at the template.
  if (tellsSelector && issues.some(({ message }) => message.endsWith(unreadable))) return;
  yield* validatePodTemplate(template, at('template'), options);
  yield* validateForever(template, at('template'), deadlineName);
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
  readonly tellsSelector: boolean;
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
    if (tellsSelector) yield at('selector').invalid(selector, unreadable);
  } else if (!compileSelector(selector)(template?.metadata?.labels)) yield unmatched();
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

const parts = [
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'updatedReplicas',
  'currentReplicas',
] as const;

/** No part is more than the whole. `at` is the path of the status. */
export function* validateReplicaCounts(status: ReplicaCounts, at: FieldPath): Iterable<Issue> {
  yield* validateNotNegative(status, at, ['replicas', ...parts]);
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  for (const part of parts)
    if ((status[part] ?? 0) > replicas) yield at(part).invalid(status[part], 'cannot be greater than status.replicas');
  if (availableReplicas > readyReplicas)
    yield at('availableReplicas').invalid(availableReplicas, 'cannot be greater than readyReplicas');
}
