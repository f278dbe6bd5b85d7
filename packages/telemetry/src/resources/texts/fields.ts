import type { CustomResourceDefinition, New } from '@signalbox/cluster';

/** What of a schema its description depends on. */
export interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

export interface FieldSpot {
  /** From the kind to what the field stands in. */
  readonly path: readonly string[];
  /** All that stand there. */
  readonly members: readonly string[];
  readonly field: string;
  readonly schema: Schema;
}

/** Every field of a definition, in its order, each before what is in it. */
export function* fieldsOf({ spec }: New<CustomResourceDefinition>): Iterable<FieldSpot> {
  for (const { schema } of spec.versions) yield* fieldsIn((schema?.openAPIV3Schema ?? {}) as Schema, [spec.names.kind]);
}

function* fieldsIn(
  { properties = {}, items, additionalProperties }: Schema,
  path: readonly string[],
): Iterable<FieldSpot> {
  const members = Object.keys(properties);
  for (const [field, schema] of Object.entries(properties)) {
    yield { path, members, field, schema };
    yield* fieldsIn(schema, [...path, field]);
  }
  if (items !== undefined) yield* fieldsIn(items, path);
  if (typeof additionalProperties === 'object') yield* fieldsIn(additionalProperties, path);
}
