import { merge } from '../../api/apply/merge.ts';
import { anyShape, type Shape } from '../../api/apply/shape.ts';
import { typeProblem } from '../../api/apply/typed.ts';
import type { KubeObject } from '../../api/meta.ts';
import { applyJsonPatch, isFailedTest } from '../../api/patch/json.ts';
import { isObject, type JsonObject } from '../../api/record.ts';
import { checkSchema } from '../../api/schema/check.ts';
import { internalError, StatusError } from '../../api/status.ts';
import type { Variables } from '../../cel/compile.ts';
import { misnamed } from '../../cel/mutation.ts';
import { valuesOf } from '../../cel/values/collections.ts';
import { toJson } from '../../cel/values/json.ts';
import { EvaluationError, List, Mapping, type Value } from '../../cel/values/value.ts';
import type { Compiled, CompiledMutatingPolicy } from '../../resources/admissionregistration/policy-expressions.ts';
import type { MatchedAs } from '../admission/matching.ts';
import type { ServerContext } from '../context/context.ts';
import { schemaFor } from '../intake/fields.ts';
import { versionsOf } from '../writing/owning.ts';
import { atomicPlaces } from './atomic-places.ts';
import { createRun, Exhausted, type Outcome, policyCostMax } from './evaluate.ts';

/** Why a mutation of a policy comes to nothing, in upstream's words. */
export class CannotMutate extends Error {}

type Mutation = CompiledMutatingPolicy['mutations'][number];

export interface Mutating extends Mutation, Pick<Compiled, 'variables'> {
  readonly object: KubeObject;
  readonly given: Variables;
  readonly as: MatchedAs;
}

/** The object as one mutation of a policy leaves it. Throws {@link CannotMutate}. */
export function mutated(context: ServerContext, mutating: Mutating): KubeObject {
  const { object, patchType, as } = mutating;
  const value = valueFrom(mutating);
  try {
    return patchType === 'JSONPatch'
      ? readable(context, as, patched(object, value))
      : applied(object, value, shapeOfKind(context, as, object));
  } catch (error) {
    if (error instanceof EvaluationError) throw new CannotMutate(error.message);
    throw error;
  }
}

function valueFrom({ expression, given, variables }: Mutating): Value {
  const outcome = outcomeOf(() => createRun({ variables }, given, policyCostMax)(expression));
  if ('error' in outcome) throw new CannotMutate(outcome.error);
  return outcome.value;
}

function outcomeOf(run: () => Outcome): Outcome {
  try {
    return run();
  } catch (error) {
    if (error instanceof Exhausted) return { error: error.message, cause: error.message };
    throw error;
  }
}

function patched(object: KubeObject, value: Value): KubeObject {
  if (!(value instanceof List))
    throw new CannotMutate('type mismatch: JSONPatchType.expression should evaluate to array');
  const operations: unknown[] = [];
  for (let index = 0; index < value.length; index++) operations.push(operationOf(value.at(index)));
  try {
    return applyJsonPatch(object as unknown as JsonObject, operations) as unknown as KubeObject;
  } catch (error) {
    // Whoever tests leaves alone what does not pass.
    if (isFailedTest(error)) return object;
    if (error instanceof StatusError) throw new CannotMutate(`JSON Patch: ${error.message}`);
    throw error;
  }
}

function operationOf(value: Value): unknown {
  if (!(value instanceof Mapping) || value.typeName !== 'JSONPatch')
    throw new CannotMutate('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
  const inner = value.get('value');
  if (inner instanceof Mapping && inner.typeName !== undefined) checkNames(inner, inner.typeName);
  return toJson(value);
}

function checkNames(value: Value, path: string): void {
  const problems = [...misnamed(value, path)];
  if (problems.length > 0) throw new CannotMutate(`type mismatch: ${problems.join('\n')}`);
}

function applied(object: KubeObject, value: Value, shape: Shape): KubeObject {
  checkNames(value, 'Object');
  const said = toJson(value);
  if (!isObject(said)) throw new CannotMutate('unsupported return type from ApplyConfiguration expression');
  const { apiVersion, kind } = object;
  const patch = { ...said, apiVersion, kind };
  const problem = typeProblem(patch, shape) ?? unsayable(value, '');
  if (problem !== undefined)
    throw new CannotMutate(`error applying patch: failed to convert patch object to typed object: ${problem}`);
  const atomic = [...atomicPlaces(patch, shape)];
  if (atomic.length > 0)
    throw new CannotMutate(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`,
    );
  return merge(object, patch, shape) as KubeObject;
}

/** What no field is set to by an apply: a null takes nothing away, and bytes are text in base64. */
function unsayable(value: Value | undefined, at: string): string | undefined {
  if (value === null) return `${at}: expected a value, got null`;
  if (value instanceof Uint8Array) return `${at}: expected string, got bytes`;
  if (value instanceof List) return firstOf(valuesOf(value).map((each, index) => unsayable(each, `${at}[${index}]`)));
  if (!(value instanceof Mapping)) return undefined;
  const keys = [...value.keys()].filter((key) => typeof key === 'string');
  return firstOf(keys.map((key) => unsayable(value.get(key), `${at}.${key}`)));
}

function firstOf(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

/**
 * A patch may say anything, and what is no field of the kind would be lost without a word: a fault of the policy, which upstream
 * tells as one of the server. A custom resource is judged by its own schema later.
 */
function readable(context: ServerContext, { resource, kind }: MatchedAs, object: KubeObject): KubeObject {
  const served = context.registry.find(resource);
  if (served === undefined || served.crd !== undefined || served.definition.kind !== kind.kind) return object;
  const { unknown, typeErrors } = checkSchema(object, schemaFor(served), { unknownFields: 'keep' });
  const [wrong] = typeErrors;
  if (wrong !== undefined) throw new StatusError(internalError(wrong.message));
  if (unknown.length === 0) return object;
  // In the order in which upstream meets them, which sorts the keys of what it reads.
  const fields = [...unknown].sort().map((field) => `unknown field ${JSON.stringify(field)}`);
  throw new StatusError(internalError(`strict decoding error: ${fields.join(', ')}`));
}

/** What goes in by a narrower door is of another kind, of which no more is known than its fields. */
function shapeOfKind(context: ServerContext, { resource, kind }: MatchedAs, { apiVersion }: KubeObject): Shape {
  const served = context.registry.find(resource);
  if (served?.definition.kind !== kind.kind) return anyShape;
  return versionsOf(context, served).shapeOf(apiVersion) ?? anyShape;
}
