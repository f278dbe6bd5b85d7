import type { CustomResourceDefinition, New } from '@signalbox/cluster';
import { effectNotes, outerWithoutEffect } from './effects.ts';
import type { Schema } from './fields.ts';
import { tellerOf, textOf } from './lookup.ts';

type Version = CustomResourceDefinition['spec']['versions'][number];

/** The definition, with what each field means. */
export function described(definition: New<CustomResourceDefinition>): New<CustomResourceDefinition> {
  const { spec } = definition;
  const { kind } = spec.names;
  return { ...definition, spec: { ...spec, versions: spec.versions.map((version) => withTexts(version, kind)) } };
}

function withTexts(version: Version, kind: string): Version {
  const schema = version.schema?.openAPIV3Schema as Schema | undefined;
  if (schema === undefined) return version;
  const openAPIV3Schema = told(schema, { path: [kind], description: textOf('', tellerOf([kind], [])) });
  return { ...version, schema: { openAPIV3Schema } } as Version;
}

interface Telling {
  readonly path: readonly string[];
  readonly description?: string | undefined;
}

/** Lists and maps stand for what is in them, and have no text of their own. */
function told(schema: Schema, { path, description }: Telling): Schema {
  const { properties, items, additionalProperties } = schema;
  const hasMembers = typeof additionalProperties === 'object';
  if (properties === undefined && items === undefined && !hasMembers)
    return description === undefined ? schema : { description, ...schema };
  return {
    ...(description !== undefined && { description }),
    ...schema,
    ...(properties !== undefined && { properties: fieldsTold(properties, path) }),
    ...(items !== undefined && { items: told(items, { path }) }),
    ...(hasMembers && { additionalProperties: told(additionalProperties, { path }) }),
  };
}

function fieldsTold(
  properties: Readonly<Record<string, Schema>>,
  path: readonly string[],
): Readonly<Record<string, Schema>> {
  const tell = describing(path, Object.keys(properties));
  const all: Record<string, Schema> = {};
  for (const [field, schema] of Object.entries(properties))
    all[field] = isMetadata(field, path) ? schema : told(schema, { path: [...path, field], description: tell(field) });
  return all;
}

/** An API server puts its own schema there, text included, and refuses a definition that says anything about it. */
function isMetadata(field: string, path: readonly string[]): boolean {
  return field === 'metadata' && path.length === 1;
}

/**
 * What is said of the fields of one object: `path` leads from the kind to it, `members` are all of them. Nothing: nobody
 * has described the field.
 */
export function describing(path: readonly string[], members: readonly string[]): (field: string) => string | undefined {
  const nothing = outerWithoutEffect(path);
  if (nothing !== undefined) return () => `Part of ${nothing}: no effect.`;
  const teller = tellerOf(path, members);
  const notes = effectNotes(path);
  return (field) => {
    const text = textOf(field, teller);
    const note = notes?.get(field);
    return text === undefined || note === undefined ? text : `${text} ${note}`;
  };
}
