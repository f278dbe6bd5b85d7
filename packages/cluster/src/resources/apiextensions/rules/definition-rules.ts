/** What is wrong with the rules of a schema when its definition is written, as upstream tells it. */
import type { FieldPath, Issue } from '../../../api/issue.ts';
import { isObject, type JsonObject } from '../../../api/record.ts';
import { defaultsOf } from '../../../api/schema/default.ts';
import { type CelRule, fromOpenApiV3, type SchemaNode } from '../../../api/schema/node.ts';
import { kubernetes } from '../../../cel/environment.ts';
import { bodyBytesMax, type Declared, declare } from '../../../cel/types/declared.ts';
import { escapeName } from '../../../cel/types/escape.ts';
import { type CompiledRule, compileRules } from './compile-rule.ts';
import { enforceRules } from './enforce.ts';
import { definitionEstimateMax, estimateMax } from './limits.ts';
import { ruleTreeOf } from './rule-tree.ts';

/** Of a schema that is sound otherwise. */
export function* definitionRuleIssues(schema: unknown, at: FieldPath): Iterable<Issue> {
  // Most have none, and are large: to read one as a schema takes ten times as long.
  if (!namesRules(schema)) return;
  const node = fromOpenApiV3(schema);
  if (!hasRules(node)) return;
  const broken = isObject(schema) ? defaultIssues(schema, at) : [];
  yield* broken;
  if (broken.length > 0) return;
  const costs: Cost[] = [];
  yield* nodeIssues(node, {
    at,
    isResource: true,
    declared: undefined,
    isInParent: false,
    count: 1,
    uncorrelated: undefined,
    costs,
  });
  yield* sumIssues(costs, at);
}

/** Defaults must keep the rules, as a new object and as one that has not changed. */
function defaultIssues(schema: JsonObject, at: FieldPath): readonly Issue[] {
  const found = new Map<string, Issue>();
  for (const { where, value, schema: part } of defaultsOf(schema, at)) {
    const tree = ruleTreeOf(part, { isResource: part['x-kubernetes-embedded-resource'] === true });
    if (tree === undefined) continue;
    for (const old of [undefined, value])
      for (const { reason, field, message } of enforceRules(tree, { value, old, at: where }))
        found.set(`${field}: ${message}`, { reason, field, message });
  }
  return [...found.values()];
}

/** Whether the word for rules stands anywhere in a schema as it was sent. */
function namesRules(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(namesRules);
  for (const name in value) {
    if (name === 'x-kubernetes-validations') return true;
    if (namesRules((value as Readonly<Record<string, unknown>>)[name])) return true;
  }
  return false;
}

const known = new WeakMap<SchemaNode, boolean>();

/** Whether any rule stands in a schema or below it. */
export function hasRules(node: SchemaNode): boolean {
  let found = known.get(node);
  if (found === undefined) {
    found = (node.validations?.length ?? 0) > 0 || partsOf(node).some(hasRules);
    known.set(node, found);
  }
  return found;
}

function partsOf({ properties, items, additionalProperties }: SchemaNode): readonly SchemaNode[] {
  return [
    ...(properties?.values() ?? []),
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
}

interface Cost {
  readonly at: FieldPath;
  readonly cost: number;
}

interface Context {
  readonly at: FieldPath;
  readonly isResource: boolean;
  readonly declared: Declared | undefined;
  /** A field whose value no expression can look at has no type to be found in its parent. */
  readonly isInParent: boolean;
  /** How many of these values an object may have; undefined when nothing limits it. */
  readonly count: number | undefined;
  /** Where the values of an update cannot be told apart from those before. */
  readonly uncorrelated: FieldPath | undefined;
  readonly costs: Cost[];
}

function* nodeIssues(node: SchemaNode, context: Context): Iterable<Issue> {
  if (!hasRules(node)) return;
  const name = 'self';
  const declared =
    context.declared ?? (context.isInParent ? undefined : declare(node, { isResource: context.isResource, name }));
  for (const child of childrenOf(node, { ...context, declared })) yield* nodeIssues(child.node, child.context);
  if (node.validations === undefined || node.validations.length === 0) return;
  const at = context.at('x-kubernetes-validations');
  if (declared === undefined) {
    yield at.internal(
      'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
    );
    return;
  }
  for (const [index, compiled] of compileRules(node, { declared, base: kubernetes }).entries())
    yield* ruleIssues(compiled, { at: at(index), declared, context });
}

interface Child {
  readonly node: SchemaNode;
  readonly context: Context;
}

function* childrenOf(node: SchemaNode, context: Context): Iterable<Child> {
  const { properties, items, additionalProperties, maxItems, maxProperties, listType } = node;
  const { at, declared, count } = context;
  const part = (child: SchemaNode, own: Pick<Context, 'at' | 'declared' | 'count'>): Child => ({
    node: child,
    context: {
      ...context,
      ...own,
      isResource: child.embeddedResource === true,
      isInParent: own.declared !== undefined,
    },
  });
  const times = (max: number | undefined): number | undefined =>
    count === undefined || max === undefined ? undefined : count * Math.max(0, max);
  if (typeof additionalProperties === 'object')
    yield part(additionalProperties, {
      at: at('additionalProperties'),
      declared: declared?.element,
      count: times(maxProperties),
    });
  for (const [name, property] of properties ?? []) {
    const escaped = escapeName(name);
    const field = escaped === undefined ? undefined : declared?.field?.(escaped);
    yield part(property, { at: at('properties').key(name), declared: field, count });
  }
  if (items === undefined) return;
  const child = part(items, { at: at('items'), declared: declared?.element, count: times(maxItems) });
  const uncorrelated = context.uncorrelated ?? (listType === 'map' ? undefined : at);
  yield { node: items, context: { ...child.context, uncorrelated } };
}

interface Judging {
  readonly at: FieldPath;
  readonly declared: Declared;
  readonly context: Context;
}

function* ruleIssues(
  { rule, program, message, usesOldSelf }: CompiledRule,
  { at, declared, context }: Judging,
): Iterable<Issue> {
  const costOf = (costMax: number): number =>
    costMax * (context.count ?? Math.floor(bodyBytesMax / (declared.bytesMin + 1)));
  if ('problem' in program) yield at('rule').invalid(wholeRule(rule), program.problem);
  else
    yield* costIssues(
      { at: at('rule'), cost: costOf(program.costMax(declared)) },
      { context, name: 'estimated rule cost' },
    );
  if (message !== undefined) {
    if ('problem' in message) yield at('messageExpression').invalid(wholeRule(rule), message.problem);
    else
      yield* costIssues(
        { at: at('messageExpression'), cost: message.costMax(declared) },
        { context, name: 'estimated messageExpression cost' },
      );
  }
  if (usesOldSelf) {
    if (context.uncorrelated !== undefined)
      yield at('rule').invalid(
        rule.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${context.uncorrelated.toString()}`,
      );
  } else if (rule.optionalOldSelf !== undefined)
    yield at('optionalOldSelf').invalid(rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule');
}

/** As upstream's own type of a rule prints itself. */
function wholeRule({
  rule,
  message = '',
  messageExpression = '',
  reason,
  fieldPath = '',
  optionalOldSelf,
}: CelRule): object {
  return {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason ?? null,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf ?? null,
  };
}

function* costIssues(
  cost: Cost,
  { context, name }: { readonly context: Context; readonly name: string },
): Iterable<Issue> {
  context.costs.push(cost);
  if (cost.cost > estimateMax) yield cost.at.forbidden(costWords(name, cost.cost / estimateMax));
}

function costWords(name: string, factor: number): string {
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${name} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

const toldMax = 4;

function* sumIssues(costs: readonly Cost[], at: FieldPath): Iterable<Issue> {
  const sum = costs.reduce((all, { cost }) => all + cost, 0);
  if (sum <= definitionEstimateMax) return;
  const most = costs.filter(({ cost }) => cost >= definitionEstimateMax / 100).sort((a, b) => b.cost - a.cost);
  for (const { at: where } of most.slice(0, toldMax))
    yield where.forbidden('contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema');
  yield at.forbidden(
    costWords(
      'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema',
      sum / definitionEstimateMax,
    ),
  );
}
