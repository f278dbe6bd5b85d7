import type { GroupVersionKind } from '../../api/gvk.ts';
import { root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { isObject, type JsonObject } from '../../api/record.ts';
import { checkSchema, typeErrorStatus } from '../../api/schema/check.ts';
import { customResourceSchema, ownSchema, type SchemaNode, schemaOf } from '../../api/schema/node.ts';
import { badRequest, invalid, type Status, StatusError } from '../../api/status.ts';
import { present } from '../../base/assert.ts';
import { formatExactJson } from '../../base/exact-json.ts';
import { fresh } from '../../base/fresh.ts';
import type { ResourceDefinition, Subresource } from '../../resources/resource.ts';
import type { Incoming } from './body.ts';

/** What a body has to look like: that of an object as its resource says it, that of a subresource as the subresource does. */
export interface BodyShape {
  readonly definition: GroupVersionKind & Pick<ResourceDefinition, 'schema' | 'unreadable'>;
  /** Set for custom resources. */
  readonly crd?: string;
}

export interface FieldsRequest {
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict' | undefined;
  readonly warnings: string[];
  /** What was wrong with the text of the body already. */
  readonly flaws?: readonly string[];
  readonly isPatch?: boolean;
  /** A patch as a refusal shows it. Absent: what came of it is shown. */
  readonly shownPatch?: (() => string) | undefined;
  /** Only a part of the object is there: nothing may be found missing. */
  readonly partial?: boolean;
}

/**
 * The object with the fields and types that its schema knows; unknown ones are taken out. Throws 400
 * for a value of the wrong type, and for an unknown field when the request is strict.
 */
export function checkFields(shape: BodyShape, incoming: Incoming, request: FieldsRequest): Incoming {
  const { definition } = shape;
  const checked = checkSchema(incoming, schemaFor(shape), {
    unknownFields: 'prune',
    isPart: request.partial === true,
  });
  // A custom resource's own fields are looked at again by its schema's validation, which knows more to say.
  const unreadable =
    shape.crd === undefined
      ? checked.typeErrors
      : checked.typeErrors.filter(({ field }) => field.startsWith('metadata'));
  if (unreadable.length > 0) throw new StatusError(typeErrorStatus(definition, unreadable));
  const fault = definition.unreadable?.(checked.object as KubeObject);
  if (fault !== undefined) throw new StatusError(unreadableStatus(definition, fault));
  report(shape, { incoming, unknown: checked.unknown }, request);
  const object = checked.object as Incoming;
  // A null is an absent field in built-in types, also where it stands for all of the metadata.
  return isObject(object.metadata) ? object : { ...fresh, ...object, metadata: {} };
}

interface Found {
  readonly incoming: Incoming;
  readonly unknown: readonly string[];
}

function report({ definition, crd }: BodyShape, { incoming, unknown }: Found, request: FieldsRequest): void {
  const { fieldValidation, warnings, flaws = [], isPatch = false, shownPatch } = request;
  // What the fields of a patch or of a custom resource are is not known yet when its text is read.
  const twice = isPatch || crd !== undefined ? flaws : knownFlaws(flaws, unknown);
  const texts = [...twice, ...unknown.map((field) => `unknown field ${JSON.stringify(field)}`)];
  if (texts.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation !== 'Strict') {
    warnings.push(...texts.flatMap(warningsIn));
    return;
  }
  const fault = `strict decoding error: ${texts.join(', ')}`;
  // What came of a patch is nothing that the client has sent, so it is shown.
  if (isPatch) {
    const shown = shownPatch === undefined ? formatExactJson(incoming) : shownPatch();
    throw new StatusError(invalid({ group: '', kind: '' }, '', [root('patch').invalid(shown, fault)]));
  }
  throw new StatusError(unreadableStatus(definition, fault));
}

function unreadableStatus({ kind, version }: GroupVersionKind, fault: string): Status {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${fault}`);
}

/** What nobody knows is not also told to be there twice. */
function knownFlaws(flaws: readonly string[], unknown: readonly string[]): readonly string[] {
  if (flaws.length === 0 || unknown.length === 0) return flaws;
  const dropped = new Set(unknown.map((field) => `duplicate field ${JSON.stringify(field)}`));
  return flaws.filter((flaw) => !dropped.has(flaw));
}

const yamlErrors = 'yaml: unmarshal errors:\n';

/** What YAML says twice is one complaint with a line for each, which are told one by one. */
export function warningsIn(text: string): readonly string[] {
  if (!text.startsWith(yamlErrors)) return [text];
  return text
    .slice(yamlErrors.length)
    .split('\n')
    .map((line) => line.trim());
}

const customSchemas = new WeakMap<JsonObject, SchemaNode>();

/** Of what comes in through a subresource. */
export function shapeOf({ name, kind, schema }: Pick<Subresource, 'name' | 'kind' | 'schema'>): BodyShape {
  return { definition: { ...fresh, ...kind, schema: present(schema, `the schema of what comes in through ${name}`) } };
}

/** The schema that a body of this shape must follow. */
export function schemaFor({ definition, crd }: BodyShape): SchemaNode {
  const { schema } = definition;
  if (typeof schema === 'string') return schemaOf(schema);
  let node = customSchemas.get(schema);
  if (node === undefined) {
    node = crd === undefined ? ownSchema(schema) : customResourceSchema(schema);
    customSchemas.set(schema, node);
  }
  return node;
}
