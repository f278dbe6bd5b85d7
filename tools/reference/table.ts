/** What the reference reads of a schema. */
export interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

/** What is in a list or map. */
export function withoutLists(schema: Schema): Schema {
  const { items, additionalProperties } = schema;
  if (items !== undefined) return withoutLists(items);
  return typeof additionalProperties === 'object' ? withoutLists(additionalProperties) : schema;
}

/** Fields in alphabetical order; `linkOf` names what is told elsewhere about the objects in one. */
export function fieldTable(
  { properties = {}, required = [] }: Schema,
  linkOf: (field: string, inner: Schema) => string | undefined,
): string {
  const rows = Object.entries(properties)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, schema]) => {
      const type = typeOf(schema, linkOf(field, withoutLists(schema)));
      const words = [
        ...(required.includes(field) ? ['**Required.**'] : []),
        escaped(schema.description ?? ''),
        ...valuesOf(schema),
      ];
      return `| \`${field}\` | ${type} | ${words.join(' ')} |`;
    });
  return ['| field | type | |', '|---|---|---|', ...rows].join('\n');
}

function typeOf(schema: Schema, link: string | undefined): string {
  const { items, additionalProperties } = schema;
  if (items !== undefined) return `list of ${typeOf(items, link)}`;
  if (typeof additionalProperties === 'object') return `map of ${typeOf(additionalProperties, link)}`;
  if (link !== undefined) return link;
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  return schema.type ?? 'anything';
}

/** What of it a program checks, as far as the text does not say it: the values, and the default that the definition sets. */
function valuesOf(schema: Schema): readonly string[] {
  const { default: preset, description = '' } = schema;
  const values = (withoutLists(schema).enum ?? []).filter((value) => value !== '');
  const words = new Set(description.split(/[\s,;:()]+|\.(?=\s|$)/));
  const areSaid = values.every((value) => words.has(String(value)));
  const isSet = preset !== undefined && preset !== '' && !description.includes(`Default ${textOf(preset)}`);
  return [
    ...(areSaid ? [] : [`Values: ${values.map((value) => `\`${String(value)}\``).join(', ')}.`]),
    ...(isSet ? [`Set by the definition: \`${JSON.stringify(preset)}\`.`] : []),
  ];
}

/** As a text about it writes it. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

/** The anchor of a heading. */
export function headingOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
