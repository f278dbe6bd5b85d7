import type { Scale } from '../../api/generated/autoscaling-v1.ts';
import { root } from '../../api/issue.ts';
import type { KubeObject, LabelSelector } from '../../api/meta.ts';
import { formatSelector } from '../../api/selector/selector.ts';
import { invalid, StatusError } from '../../api/status.ts';
import { ageColumn, column, integerColumn } from '../columns.ts';
import type { Column, Subresource } from '../resource.ts';

interface Scalable<Spec = { readonly replicas?: number; readonly selector?: LabelSelector }> extends KubeObject {
  readonly spec: Spec & { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

/** What `kubectl get --subresource=scale` shows, whatever is scaled. */
export const scaleColumns: readonly Column[] = [
  column('Name', ({ metadata }) => metadata.name),
  integerColumn('Desired', (scale) => (scale as Scale).spec?.replicas ?? 0),
  integerColumn('Available', (scale) => (scale as Scale).status?.replicas ?? 0),
  ageColumn(),
];

/**
 * `/scale`: the number of replicas and nothing else, the same for every kind that has them. `selectorOf` where the selector is
 * written in another way than most write it.
 */
export function scaleSubresource<T extends Scalable<unknown>>(
  selectorOf: (spec: T['spec']) => LabelSelector | undefined = (spec) => (spec as Scalable['spec']).selector,
): Subresource<T> {
  return {
    name: 'scale',
    verbs: ['get', 'update', 'patch'],
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    schema: 'io.k8s.api.autoscaling.v1.Scale',
    columns: scaleColumns,
    columnsComplete: true,
    read: (object) => toScale(object, selectorOf(object.spec)),
    write: (object, body) => withReplicas(object, body as Scale),
  };
}

function toScale({ metadata, spec, status }: Scalable<unknown>, selects: LabelSelector | undefined): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const selector = formatSelector(selects);
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion, creationTimestamp },
    // Zero is left out, as Go leaves it out.
    spec: { ...((spec.replicas ?? 0) !== 0 && { replicas: spec.replicas ?? 0 }) },
    status: { replicas: status?.replicas ?? 0, ...(selector !== '' && { selector }) },
  };
}

function withReplicas<T extends Scalable<unknown>>(object: T, scale: Scale): T {
  const replicas = scale.spec?.replicas ?? 0;
  if (replicas < 0) {
    const issue = root('spec', 'replicas').invalid(replicas, 'must be greater than or equal to 0');
    throw new StatusError(invalid({ group: 'autoscaling', kind: 'Scale' }, object.metadata.name, [issue]));
  }
  return object.spec.replicas === replicas ? object : { ...object, spec: { ...object.spec, replicas } };
}
