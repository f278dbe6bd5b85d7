import { goText } from '../../api/go-text.ts';
import { type Issue, plainPath, root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { Outcome, PatchOperation, PatchType, Waiting } from '../../api/operation.ts';
import { applyJsonPatch } from '../../api/patch/json.ts';
import { applyMergePatch } from '../../api/patch/merge.ts';
import { applyStrategicPatch } from '../../api/patch/strategic.ts';
import { isObject, type JsonObject, without } from '../../api/record.ts';
import { failure, invalid, type Status, StatusError } from '../../api/status.ts';
import type { ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import { writeRequest } from '../context/write-request.ts';
import { schemaFor } from '../intake/fields.ts';
import { apply } from './apply.ts';
import { commit, outcomeOf } from './commit.ts';
import { type Door, type DoorRequest, doorOf } from './door.ts';
import { sayingOf } from './saying.ts';
import { enter, throughDoor } from './through-door.ts';

/**
 * Changes what the patch names. A patch that carries no resourceVersion applies to whatever stands there, so it is applied
 * again when somebody else was faster.
 */
export function patch(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: PatchOperation },
  waiting: Waiting,
): Promise<Outcome<KubeObject>> {
  checkOptions(operation);
  const saying = sayingOf(context, { served, operation }, waiting);
  if (saying === undefined) return patchBy(context, { served, operation }, waiting);
  return commit(context, saying).then((written) =>
    written.ok
      ? outcomeOf(200, written, saying.request.warnings)
      : // Somebody was faster.
        patchBy(context, { served, operation }, waiting),
  );
}

function patchBy(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: PatchOperation },
  waiting: Waiting,
): Promise<Outcome<KubeObject>> {
  const { namespace, name, subresource, options } = operation;
  const door = doorOf(served, { subresource, verb: 'patch' });
  const request: DoorRequest = {
    fieldValidation: options.fieldValidation,
    flaws: flawsOf(operation),
    isPatch: true,
    wasText: true,
    ...(operation.patchType === 'strategic' && { shownPatch: () => goText(operation.body) }),
    ...writeRequest(served, operation, waiting),
  };
  const way = { door, request, namespace, name };
  const { patchType } = operation;
  if (patchType === 'apply') return apply(context, { operation, way }, waiting);
  const patched = patcher(served, door, { ...operation, patchType });
  return throughDoor(context, way, (shown) => {
    const after = patched(shown as unknown as JsonObject);
    return after === (shown as unknown) ? undefined : { incoming: enter(way, after) };
  });
}

/** Who applies has a name, and nobody else takes fields by force (422). */
function checkOptions({ patchType, options }: PatchOperation): void {
  const isApply = patchType === 'apply';
  const issues: Issue[] = [];
  if (isApply && (options.fieldManager ?? '') === '')
    issues.push(root('fieldManager').required('is required for apply patch'));
  if (!isApply && options.force !== undefined)
    issues.push(root('force').forbidden('may not be specified for non-apply patch'));
  if (issues.length > 0) throw new StatusError(invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', issues));
}

/** Of a JSON patch the list of its operations is read strictly, not the object. */
function flawsOf({ patchType, flaws = [], body }: PatchOperation): readonly string[] {
  return patchType === 'json' ? [...flaws, ...unknownMembers(body)].map((flaw) => `json patch ${flaw}`) : flaws;
}

const members: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);
const unknownMax = 100;

function unknownMembers(patch: unknown): readonly string[] {
  const found: string[] = [];
  for (const [index, operation] of (Array.isArray(patch) ? (patch as readonly unknown[]) : []).entries())
    for (const member of isObject(operation) ? Object.keys(operation) : [])
      if (!members.has(member) && found.length < unknownMax)
        found.push(`unknown field ${JSON.stringify(plainPath([index, member]))}`);
  return found;
}

function patcher(
  served: Served,
  door: Door,
  { patchType, body }: PatchOperation & { readonly patchType: Exclude<PatchType, 'apply'> },
): (object: JsonObject) => JsonObject {
  switch (patchType) {
    case 'json':
      return (object) => withSomeKind(applyJsonPatch(object, body));
    case 'merge':
      return (object) => withSomeKind(applyMergePatch(object, body));
    case 'strategic': {
      if (served.crd !== undefined) throw new StatusError(unsupported(strategicOnCustom));
      // What a subresource shows may be of another kind; its fields then merge by their plain names.
      const schema = door.kind.kind === served.definition.kind ? schemaFor(served) : {};
      return (object) => withKindOf(object, applyStrategicPatch(object, body, schema));
    }
    default:
      return patchType satisfies never;
  }
}

/** An empty kind is none, which may be left out. */
function withSomeKind(patched: JsonObject): JsonObject {
  return patched['kind'] === '' ? without(patched, ['kind']) : patched;
}

/** Of what a strategic merge patch makes of an object, nobody looks at the kind and the version: it is one of its own. */
function withKindOf({ apiVersion, kind }: JsonObject, patched: JsonObject): JsonObject {
  const isTold = isText(patched['apiVersion']) && isText(patched['kind']);
  if (!isTold || (patched['apiVersion'] === apiVersion && patched['kind'] === kind)) return patched;
  return { ...patched, apiVersion, kind };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || value === undefined;
}

const strategicOnCustom =
  'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';

function unsupported(message: string): Status {
  return failure(415, 'UnsupportedMediaType', message);
}
