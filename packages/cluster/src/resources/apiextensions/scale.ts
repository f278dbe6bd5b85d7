import type { CustomResourceSubresourceScale } from '../../api/generated/apiextensions-v1.ts';
import type { Scale } from '../../api/generated/autoscaling-v1.ts';
import { root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { invalid, StatusError } from '../../api/status.ts';
import { scaleColumns } from '../apps/scale.ts';
import type { Subresource } from '../resource.ts';
import { parseSimplePath, valueAt, withValueAt } from './simple-path.ts';

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/**
 * The `/scale` of a custom resource. A spec without the replicas field cannot be read as a Scale; the first write through
 * this door sets it.
 */
export function scaleSubresource(scale: CustomResourceSubresourceScale): Subresource {
  const specPath = parseSimplePath(scale.specReplicasPath) ?? [];
  const statusPath = parseSimplePath(scale.statusReplicasPath) ?? [];
  const selectorPath = parseSimplePath(scale.labelSelectorPath ?? '');
  return {
    name: 'scale',
    verbs: ['get', 'update', 'patch'],
    kind: scaleKind,
    schema: 'io.k8s.api.autoscaling.v1.Scale',
    columns: scaleColumns,
    read(object) {
      const replicas = valueAt(object, specPath);
      const selector = selectorPath === undefined ? undefined : valueAt(object, selectorPath);
      const current = valueAt(object, statusPath);
      const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
      const view: Scale = {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion, creationTimestamp },
        spec: typeof replicas === 'number' ? { replicas } : {},
        status: {
          replicas: typeof current === 'number' ? current : 0,
          ...(typeof selector === 'string' && selector !== '' && { selector }),
        },
      };
      return view;
    },
    unreadable(object) {
      if (typeof valueAt(object, specPath) === 'number') return undefined;
      return `the spec replicas field ${JSON.stringify(scale.specReplicasPath)} does not exist`;
    },
    write(object, body) {
      const replicas = (body as Partial<Scale>).spec?.replicas ?? 0;
      if (!Number.isInteger(replicas) || replicas < 0 || replicas >= 2 ** 31)
        throw new StatusError(
          invalid(scaleKind, object.metadata.name, [
            root('spec', 'replicas').invalid(replicas, 'must be greater than or equal to 0'),
          ]),
        );
      return withValueAt<KubeObject>(object, specPath, replicas);
    },
  };
}
