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
  /** Rules that stand in `allOf` are about the same value. */
  readonly allOf: readonly RuleTree[];
}

/** Undefined when the schema of a custom resource has no rules. Reads and compiles them all. */
export function ruleTreeOf(schema: unknown): RuleTree | undefined {
  const node = fromOpenApiV3(schema);
  if (!hasRules(node)) return undefined;
  return treeOf({ rules: node, schema: node }, declare(node, { isResource: true, name: 'self' }));
}

/** What stands in `allOf` brings rules only; the types are those of the schema around it. */
interface Pair {
  readonly rules: SchemaNode;
  readonly schema: SchemaNode;
}

function treeOf({ rules, schema }: Pair, declared: Declared | undefined): RuleTree | undefined {
  if (!hasRules(rules)) return undefined;
  const within = (
    part: SchemaNode | undefined,
    own: SchemaNode | undefined,
    of: Declared | undefined,
  ): RuleTree | undefined =>
    part === undefined || own === undefined ? undefined : treeOf({ rules: part, schema: own }, of);
  const properties = new Map<string, RuleTree>();
  for (const [name, part] of rules.properties ?? []) {
    const own = schema.properties?.get(name);
    if (own === undefined || !hasRules(part)) continue;
    const escaped = escapeName(name);
    const field =
      escaped === undefined
        ? declare(own, { isResource: own.embeddedResource === true, name: 'self' })
        : declared?.field?.(escaped);
    const tree = field === undefined ? undefined : within(part, own, field);
    if (tree !== undefined) properties.set(name, tree);
  }
  return {
    schema,
    declared,
    rules:
      declared === undefined
        ? []
        : compileRules({ ...schema, ...validationsOf(rules) }, { declared, base: kubernetesStored }),
    properties,
    additional: within(schemaOf(rules.additionalProperties), schemaOf(schema.additionalProperties), declared?.element),
    items: within(rules.items, schema.items, declared?.element),
    allOf: (rules.allOf ?? []).flatMap((part) => treeOf({ rules: part, schema }, declared) ?? []),
  };
}

function validationsOf({ validations }: SchemaNode): Pick<SchemaNode, 'validations'> {
  return { validations: validations ?? [] };
}

function schemaOf(part: SchemaNode['additionalProperties']): SchemaNode | undefined {
  return typeof part === 'object' ? part : undefined;
}
