import type { CustomResourceSubresourceScale } from '../../api/generated/apiextensions-v1.ts';
import type { Scale } from '../../api/generated/autoscaling-v1.ts';
import { type Issue, root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { isObject } from '../../api/record.ts';
import { scaleColumns } from '../apps/scale.ts';
import { ageColumn, nameColumn } from '../columns.ts';
import type { Column, Subresource } from '../resource.ts';
import { goKind, goText } from './go-value.ts';
import { parseSimplePath, valueAt, withValueAt } from './simple-path.ts';

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

const customScaleColumns: readonly Column[] = [
  nameColumn(),
  ...scaleColumns.slice(1, -1),
  { ...ageColumn(), type: 'date' },
];

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
    columns: customScaleColumns,
    columnsComplete: true,
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
    // A number that is none for replicas is refused with the whole object.
    write: (object, body) => withValueAt<KubeObject>(object, specPath, (body as Partial<Scale>).spec?.replicas ?? 0),
  };
}

const replicasMax = 2 ** 31 - 1;

/** What is scaled has a number of replicas, wherever it stands, whatever its schema says. */
export function* scaledIssues(
  object: KubeObject,
  { specReplicasPath, statusReplicasPath, labelSelectorPath = '' }: CustomResourceSubresourceScale,
): Iterable<Issue> {
  for (const path of [specReplicasPath, statusReplicasPath]) yield* replicasIssues(object, path);
  const selector = readAt(object, labelSelectorPath);
  const fault = selector === undefined ? undefined : faultOf(selector, { path: labelSelectorPath, type: 'string' });
  if (fault !== undefined) yield root.field(labelSelectorPath).invalid('', fault);
}

function* replicasIssues(object: KubeObject, path: string): Iterable<Issue> {
  const found = readAt(object, path);
  if (found === undefined) return;
  const at = root.field(path);
  const fault = faultOf(found, { path, type: 'int64' });
  if (fault !== undefined) yield at.invalid(0, fault);
  else if (Number(found.value) < 0) yield at.invalid(found.value, 'should be a non-negative integer');
  else if (Number(found.value) > replicasMax)
    yield at.invalid(found.value, `should be less than or equal to ${replicasMax}`);
}

interface Found {
  readonly value: unknown;
  /** How far one comes: where a part on the way is no object, not to the end. */
  readonly steps: readonly string[];
  readonly isWhole: boolean;
}

function readAt(object: unknown, path: string): Found | undefined {
  const steps = parseSimplePath(path);
  if (steps === undefined) return undefined;
  let value = object;
  for (const [index, step] of steps.entries()) {
    if (!isObject(value)) return { value, steps: steps.slice(0, index + 1), isWhole: false };
    if (!Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return { value, steps, isWhole: true };
}

/** In the words of upstream, which names types as Go does. */
function faultOf(
  { value, steps, isWhole }: Found,
  { path, type }: { readonly path: string; readonly type: string },
): string | undefined {
  const found = goKind(value);
  if (isWhole && found === type) return undefined;
  const expected = isWhole ? type : 'map[string]interface{}';
  const place = isWhole ? path : `.${steps.join('.')}`;
  return `${place} accessor error: ${goText(value)} is of the type ${found}, expected ${expected}`;
}
