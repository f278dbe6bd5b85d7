import type { KubeObject } from '../../api/meta.ts';
import type { Outcome, PatchOperation } from '../../api/operation.ts';
import { applyJsonPatch } from '../../api/patch/json.ts';
import { applyMergePatch } from '../../api/patch/merge.ts';
import { applyStrategicPatch } from '../../api/patch/strategic.ts';
import type { JsonObject } from '../../api/record.ts';
import { failure, type Status, StatusError } from '../../api/status.ts';
import type { ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import { writeRequest } from '../context/write-request.ts';
import { schemaFor } from '../intake/fields.ts';
import { type Door, type DoorRequest, doorOf } from './door.ts';
import { enter, throughDoor } from './through-door.ts';

/**
 * Changes what the patch names. A patch that carries no resourceVersion applies to whatever stands there, so it is applied
 * again when somebody else was faster.
 */
export async function patch(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: PatchOperation },
  waiting: { readonly signal: AbortSignal },
): Promise<Outcome<KubeObject>> {
  const { namespace, name, subresource, options } = operation;
  const door = doorOf(served, { subresource, verb: 'patch' });
  const apply = applier(served, door, operation);
  const request: DoorRequest = {
    ...writeRequest(served, operation, waiting),
    fieldValidation: options.fieldValidation,
    flaws: flawsOf(operation),
    isPatch: true,
  };
  const way = { door, request, namespace, name };
  return throughDoor(context, way, (shown) => {
    const after = apply(shown as unknown as JsonObject);
    return after === (shown as unknown) ? undefined : enter(way, after);
  });
}

/** Of a JSON patch the list of its operations is read strictly, not the object. */
function flawsOf({ patchType, flaws = [] }: PatchOperation): readonly string[] {
  return patchType === 'json' ? flaws.map((flaw) => `json patch ${flaw}`) : flaws;
}

function applier(served: Served, door: Door, { patchType, body }: PatchOperation): (object: JsonObject) => JsonObject {
  switch (patchType) {
    case 'json':
      return (object) => applyJsonPatch(object, body);
    case 'merge':
      return (object) => applyMergePatch(object, body);
    case 'strategic': {
      if (served.crd !== undefined) throw new StatusError(unsupported(strategicOnCustom));
      // What a subresource shows may be of another kind; its fields then merge by their plain names.
      const schema = door.kind.kind === served.definition.kind ? schemaFor(served) : {};
      return (object) => applyStrategicPatch(object, body, schema);
    }
    case 'apply':
      throw new StatusError(unsupported(noServerSideApply));
    default:
      return patchType satisfies never;
  }
}

const strategicOnCustom =
  'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json';

const noServerSideApply =
  'this server does not track field ownership, so it takes no server-side apply; use kubectl apply without --server-side, or a merge patch';

function unsupported(message: string): Status {
  return failure(415, 'UnsupportedMediaType', message);
}
