/** What becomes of stored flow schemas and priority levels: which are put back, and which are said to dangle. Pure. */
import type {
  FlowSchema,
  FlowSchemaCondition,
  PriorityLevelConfiguration,
} from '../../api/generated/flowcontrol-v1.ts';
import type { KubeObject } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import { autoUpdate, builtinLevels, builtinSchemas, mandatory } from '../../resources/flowcontrol/builtin.ts';

export interface FlowState {
  readonly schemas: readonly FlowSchema[];
  readonly levels: readonly PriorityLevelConfiguration[];
}

export interface FlowChange {
  readonly does: 'create' | 'update';
  readonly object: FlowSchema | PriorityLevelConfiguration;
}

/** `now`: the time as objects say it. */
export function planFlowObjects({ schemas, levels }: FlowState, now: string): readonly FlowChange[] {
  const names = new Set([...levels, ...builtinLevels].map(({ metadata }) => metadata.name));
  const told = (schema: FlowSchema): FlowSchema => withCondition(schema, names, now);
  return [
    ...missing(levels, builtinLevels).map((object) => ({ does: 'create', object }) as const),
    ...missing(schemas, builtinSchemas).map((object) => ({ does: 'create', object: told(object) }) as const),
    ...updates(levels, (level) => restored(level, builtinLevels)),
    ...updates(schemas, (schema) => told(restored(schema, builtinSchemas))),
  ];
}

function missing<T extends KubeObject>(stored: readonly T[], builtin: readonly T[]): readonly T[] {
  const names = new Set(stored.map(({ metadata }) => metadata.name));
  return builtin.filter(({ metadata }) => !names.has(metadata.name));
}

/** What ends is let go of: it is made anew then. */
function updates<T extends FlowSchema | PriorityLevelConfiguration>(
  stored: readonly T[],
  wanted: (object: T) => T,
): readonly FlowChange[] {
  return stored.flatMap((object): FlowChange[] => {
    if (object.metadata.deletionTimestamp !== undefined) return [];
    const next = wanted(object);
    return next === object ? [] : [{ does: 'update', object: next }];
  });
}

/** The mandatory ones are as they must be; what is suggested is, as long as its owner has not said that it is theirs. */
function restored<T extends FlowSchema | PriorityLevelConfiguration>(stored: T, builtin: readonly T[]): T {
  const { name, annotations = {}, generation = 1 } = stored.metadata;
  const expected = builtin.find(({ metadata }) => metadata.name === name);
  if (expected === undefined) return stored;
  const isMandatory = mandatory.has(name);
  // Without a word of its owner it is theirs from the first change on.
  const stated = annotations[autoUpdate] ?? String(generation === 1);
  const isOurs = isMandatory || stated === 'true';
  const value = String(isOurs);
  // The shares of the exempt level are its owner's.
  const isRight =
    !isOurs || equal(stored.spec, expected.spec) || (isMandatory && stored.spec !== undefined && isExempt(stored));
  if (annotations[autoUpdate] === value && isRight) return stored;
  const metadata = { ...stored.metadata, annotations: { ...annotations, [autoUpdate]: value } };
  return isRight ? { ...stored, metadata } : { ...stored, spec: expected.spec, metadata: withGeneration(metadata) };
}

function isExempt({ spec }: FlowSchema | PriorityLevelConfiguration): boolean {
  return 'type' in spec && spec.type === 'Exempt';
}

function withGeneration<T extends KubeObject['metadata']>(metadata: T): T {
  return { ...metadata, generation: (metadata.generation ?? 1) + 1 };
}

function withCondition(schema: FlowSchema, levels: ReadonlySet<string>, now: string): FlowSchema {
  const { name } = schema.spec.priorityLevelConfiguration;
  const { conditions = [] } = schema.status ?? {};
  const known = conditions.find(({ type }) => type === 'Dangling');
  const said = dangling(name, levels.has(name));
  if (known?.status === said.status && known?.reason === said.reason && known?.message === said.message) return schema;
  const lastTransitionTime = known?.status === said.status ? (known?.lastTransitionTime ?? now) : now;
  const others = conditions.filter((each) => each !== known);
  return { ...schema, status: { ...schema.status, conditions: [...others, { ...said, lastTransitionTime }] } };
}

/** In upstream's words. */
function dangling(level: string, exists: boolean): FlowSchemaCondition {
  const about = `This FlowSchema references the PriorityLevelConfiguration object named "${level}"`;
  return exists
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${about} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${about} but there is no such object` };
}
