import type { KubeObject } from '../../api/meta.ts';
import type { PatchOperation, Waiting } from '../../api/operation.ts';
import { isObject, type JsonObject } from '../../api/record.ts';
import { checkSchema } from '../../api/schema/check.ts';
import type { SchemaNode } from '../../api/schema/node.ts';
import { equal } from '../../base/equal.ts';
import { fresh } from '../../base/fresh.ts';
import type { ServerContext } from '../context/context.ts';
import { sameForm } from '../context/conversion.ts';
import { objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import { reviewersOf } from '../context/reviewer.ts';
import { type ObjectWrite, type WriteRequest, writeRequest } from '../context/write-request.ts';
import { schemaFor } from '../intake/fields.ts';
import { ownersAfter, type Sent, withOwners } from './owning.ts';
import { checkStatus } from './prepare.ts';

type WithStatus = KubeObject & { readonly status?: JsonObject };

/**
 * The write of a patch that says one condition of a status, and texts beside it, of a kind that {@link ResourceDefinition.says}
 * so: only what is said is read, merged and compared. Undefined: it has to go the way of all patches, which comes to the same.
 */
export function sayingOf(
  context: ServerContext,
  { served, operation }: { readonly served: Served; readonly operation: PatchOperation },
  waiting: Waiting,
): ObjectWrite | undefined {
  const { namespace, name } = operation;
  const said = saidBy(served, operation);
  if (said === undefined) return undefined;
  const stored = context.store.get(objectKey(served.prefix, namespace, name));
  const current = stored?.value as WithStatus | undefined;
  if (stored === undefined || current === undefined || said.uid !== current.metadata.uid) return undefined;
  const request = writeRequest(served, operation, waiting);
  if (reviewersOf(context, request).length > 0) return undefined;
  const after = withSaid(context, { said, current }, request);
  return after && { request, key: stored.key, before: { stored, object: current }, after, ends: false };
}

/** The object with what is said of it; refuses what is not valid with 422. Undefined: something may be wrong with it, or nothing changes. */
export function withSaid(
  context: ServerContext,
  { said, current }: { readonly said: Omit<Said, 'uid'>; readonly current: KubeObject },
  request: WriteRequest,
): KubeObject | undefined {
  const { status } = current as WithStatus;
  const change = status && changeBy(said, status, conditionOf(request.served));
  return change && withChange(context, { change, current }, request);
}

export interface Said {
  readonly uid: unknown;
  readonly condition: JsonObject;
  readonly texts: JsonObject;
}

/** Of whom, and what; undefined where the patch says anything else besides. */
function saidBy(
  { definition, conversion }: Served,
  { patchType, subresource, body, flaws = [] }: PatchOperation,
): Said | undefined {
  const says = definition.says;
  if (says === undefined || patchType !== 'strategic' || subresource !== 'status') return undefined;
  if (flaws.length > 0 || conversion !== sameForm) return undefined;
  if (!isObject(body) || !hasOnly(body, atTop)) return undefined;
  const { metadata, status } = body;
  if (!isObject(metadata) || !hasOnly(metadata, inMetadata) || !isObject(status)) return undefined;
  const { conditions, ...texts } = status;
  const [condition, ...more] = Array.isArray(conditions) ? (conditions as readonly unknown[]) : [];
  if (!isObject(condition) || more.length > 0) return undefined;
  for (const field in texts) if (!says.includes(field) || !isText(texts[field])) return undefined;
  return { uid: metadata['uid'], condition, texts };
}

const atTop: ReadonlySet<string> = new Set(['metadata', 'status']);
const inMetadata: ReadonlySet<string> = new Set(['uid']);

function hasOnly(object: JsonObject, fields: ReadonlySet<string>): boolean {
  for (const field in object) if (!fields.has(field)) return false;
  return true;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

const nodes = new WeakMap<Served, SchemaNode>();

/** What a condition of this kind looks like. */
function conditionOf(served: Served): SchemaNode {
  let node = nodes.get(served);
  if (node === undefined) {
    node = schemaFor(served).properties?.get('status')?.properties?.get('conditions')?.items ?? {};
    nodes.set(served, node);
  }
  return node;
}

/** A status, and what of it was and is different. */
interface StatusChange {
  readonly status: JsonObject;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Undefined where something may be wrong with it, or nothing changes. */
function changeBy(
  { condition, texts }: Omit<Said, 'uid'>,
  current: JsonObject,
  node: SchemaNode,
): StatusChange | undefined {
  const list = current['conditions'] ?? [];
  const place = Array.isArray(list) ? placeOf(list, condition['type']) : 'unclear';
  if (!Array.isArray(list) || place === 'unclear') return undefined;
  const conditions = list as readonly unknown[];
  const old = conditions[place];
  // A directive of a patch is a field that nobody knows, and null is one that is not there.
  const { object, typeErrors, unknown } = checkSchema(isObject(old) ? { ...old, ...condition } : condition, node, {
    unknownFields: 'prune',
  });
  if (typeErrors.length > 0 || unknown.length > 0) return undefined;
  if (equal(object, old) && Object.keys(texts).every((field) => texts[field] === current[field])) return undefined;
  // As the strategic merge has it: a new one stands in front.
  const next =
    old === undefined ? [object, ...conditions] : conditions.map((each, index) => (index === place ? object : each));
  const before: Record<string, unknown> = {};
  for (const field in texts) if (current[field] !== undefined) before[field] = current[field];
  // Where there is no list yet, it is new as well.
  if (old !== undefined || conditions.length > 0) before['conditions'] = old === undefined ? [] : [old];
  return {
    status: { ...current, conditions: next, ...texts },
    before,
    after: { ...fresh, ...texts, conditions: [object] },
  };
}

/** Where the condition of that type stands; -1: nowhere. */
function placeOf(conditions: readonly unknown[], type: unknown): number | 'unclear' {
  let place = -1;
  for (let index = 0; index < conditions.length; index++) {
    const condition = conditions[index];
    const own = isObject(condition) ? condition['type'] : undefined;
    if (typeof own !== 'string' || (own === type && place >= 0)) return 'unclear';
    if (own === type) place = index;
  }
  return place;
}

interface Drafting {
  readonly change: StatusChange;
  readonly current: KubeObject;
}

/** The object after it. Refuses what is not valid with 422. */
function withChange(
  context: ServerContext,
  { change: { status, before, after }, current }: Drafting,
  request: WriteRequest,
): KubeObject {
  const { definition } = request.served;
  const given: WithStatus = { ...fresh, ...current, status };
  const next = definition.defaultsByStatus?.(given, current) ?? given;
  const { metadata } = current;
  const parts = { live: { metadata, status: before }, sent: { metadata, status: after }, given: undefined };
  const owners = ownersAfter(context, parts as unknown as Sent, request);
  const owned = withOwners(next, owners);
  checkStatus({ next: owned, current }, request);
  return owned;
}
