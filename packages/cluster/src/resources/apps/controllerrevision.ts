import type { ControllerRevision } from '../../api/generated/apps-v1.ts';
import { controllerrevisions } from '../../api/generated/kinds.ts';
import { parseApiVersion } from '../../api/gvk.ts';
import { controllerOf } from '../../api/meta.ts';
import { isObject } from '../../api/record.ts';
import { column, countColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { notNegative, unchanged } from '../validation/fields.ts';

/** One version of a DaemonSet's or StatefulSet's template. What it holds never changes; its place in the order may. */
export const controllerrevisionDefinition: ResourceDefinition<ControllerRevision> = defineResource(
  controllerrevisions,
  {
    schema: 'io.k8s.api.apps.v1.ControllerRevision',
    columns: [column('Controller', controllerText), countColumn('Revision', ({ revision }) => revision)],
    *validate({ revision }, at) {
      yield* notNegative(revision, at('revision'));
    },
    // Of what is there already it is enough that it stays.
    *validateCreate({ data }, at) {
      if (data === undefined || data === null) yield at('data').required('data is mandatory');
      else if (!isObject(data)) yield at('data').required('data must be a valid JSON object');
    },
    *validateUpdate(next, current, at) {
      yield* unchanged(next.data, current.data, at('data'));
    },
  },
);

function controllerText(revision: ControllerRevision): string {
  const owner = controllerOf(revision);
  if (owner === undefined) return '<none>';
  const { group } = parseApiVersion(owner.apiVersion);
  const kind = owner.kind.toLowerCase();
  return `${group === '' ? kind : `${kind}.${group}`}/${owner.name}`;
}
