import { fromOpenApiV3, type SchemaNode } from '../../../api/schema/node.ts';
import { kubernetesStored } from '../../../cel/environment.ts';
import { type Declared, declare } from '../../../cel/types/declared.ts';
import { escapeName } from '../../../cel/types/escape.ts';
import { type CompiledRule, compileRules } from './compile-rule.ts';
import { hasRules } from './definition-rules.ts';

/** The rules of a schema and where they stand; only parts with rules in them. */
export interface RuleTree {
  readonly schema: SchemaNode;
  readonly declared: Declared | undefined;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly additional: RuleTree | undefined;
  readonly items: RuleTree | undefined;
}

/** Undefined when a schema has no rules. Reads and compiles them all. */
export function ruleTreeOf(schema: unknown, { isResource }: { readonly isResource: boolean }): RuleTree | undefined {
  const node = fromOpenApiV3(schema);
  if (!hasRules(node)) return undefined;
  return treeOf(node, declare(node, { isResource, name: 'self' }));
}

function treeOf(schema: SchemaNode, declared: Declared | undefined): RuleTree | undefined {
  if (!hasRules(schema)) return undefined;
  const { additionalProperties, items } = schema;
  const properties = new Map<string, RuleTree>();
  for (const [name, part] of schema.properties ?? []) {
    if (!hasRules(part)) continue;
    const escaped = escapeName(name);
    const field =
      escaped === undefined
        ? declare(part, { isResource: part.embeddedResource === true, name: 'self' })
        : declared?.field?.(escaped);
    const tree = field === undefined ? undefined : treeOf(part, field);
    if (tree !== undefined) properties.set(name, tree);
  }
  return {
    schema,
    declared,
    rules: declared === undefined ? [] : compileRules(schema, { declared, base: kubernetesStored }),
    properties,
    additional: typeof additionalProperties === 'object' ? treeOf(additionalProperties, declared?.element) : undefined,
    items: items === undefined ? undefined : treeOf(items, declared?.element),
  };
}
