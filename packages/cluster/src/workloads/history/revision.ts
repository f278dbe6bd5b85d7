import type { ControllerRevision } from '../../api/generated/apps-v1.ts';
import type { PodTemplateSpec } from '../../api/generated/core-v1.ts';
import { type KubeObject, keyOf, type New } from '../../api/meta.ts';
import type { Cache } from '../../client/cache.ts';
import { controllerReference } from '../owner.ts';
import { canonical, canonicalText } from './canonical.ts';
import { templateHash } from './hash.ts';

/**
 * A revision keeps a pod template as the strategic merge patch that brings it back: `kubectl rollout undo` sends the data
 * of a revision as it is.
 */
interface RevisionData {
  readonly spec?: { readonly template?: PodTemplateSpec & { readonly $patch?: string } };
}

/** The template that a revision keeps. */
const templates = new WeakMap<ControllerRevision, PodTemplateSpec>();

export function templateOf(revision: Pick<ControllerRevision, 'data'> & object): PodTemplateSpec | undefined {
  const known = templates.get(revision as ControllerRevision);
  if (known !== undefined) return known;
  const stored = (revision.data as RevisionData | undefined)?.spec?.template;
  if (stored === undefined) return undefined;
  const { $patch: _, ...template } = stored;
  templates.set(revision as ControllerRevision, template);
  return template;
}

export function keepsTemplate(revision: ControllerRevision, template: PodTemplateSpec): boolean {
  const kept = templateOf(revision);
  return kept !== undefined && canonicalText(kept) === canonicalText(template);
}

/** Oldest first. */
export function inOrderOfRevision(revisions: readonly ControllerRevision[]): readonly ControllerRevision[] {
  return [...revisions].sort(
    (a, b) =>
      compare(a.revision, b.revision) ||
      compare(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
      compare(a.metadata.name, b.metadata.name),
  );
}

/** Never by subtraction: a revision may have more digits than a number can hold. */
function compare<T extends string | number>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The name under which a template's revision stands or will stand. */
export interface RevisionName {
  readonly name: string;
  readonly hash: string;
  /** How often the hash had to be changed because another template had taken the name. */
  readonly collisionCount: number;
  /** What stands there already: the same template, but in other hands (e.g. of a deleted owner of the same name). */
  readonly existing: ControllerRevision | undefined;
}

export interface Naming {
  readonly prefix: string;
  readonly template: PodTemplateSpec;
  readonly namespace: string | undefined;
  readonly collisionCount: number;
  readonly revisions: Pick<Cache<ControllerRevision>, 'get'>;
}

const collisionsMax = 1_000;

/** Finds a name that no other template has taken. */
export function revisionName({ prefix, template, namespace, collisionCount, revisions }: Naming): RevisionName {
  for (let count = collisionCount; ; count++) {
    const hash = templateHash(template, count);
    const name = `${prefix}-${hash}`;
    const existing = revisions.get(keyOf({ metadata: { name, ...(namespace !== undefined && { namespace }) } }));
    if (existing === undefined || keepsTemplate(existing, template) || count - collisionCount >= collisionsMax)
      return { name, hash, collisionCount: count, existing };
  }
}

export interface NewRevision {
  readonly owner: KubeObject;
  readonly name: string;
  readonly revision: number;
  readonly template: PodTemplateSpec;
  /** Added to the template's labels. */
  readonly labels: Readonly<Record<string, string>>;
}

export function newRevision({ owner, name, revision, template, labels }: NewRevision): New<ControllerRevision> {
  const { namespace, annotations } = owner.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      labels: { ...template.metadata?.labels, ...labels },
      // Carries `kubernetes.io/change-cause` into `kubectl rollout history`.
      ...(annotations !== undefined && { annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    data: canonical({ spec: { template: { ...template, $patch: 'replace' } } }),
    revision,
  };
}
