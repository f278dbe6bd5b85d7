import { type FieldPath, type Issue, type IssueReason, root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { correlatedItems, isSameBySchema } from '../../api/schema/correlate.ts';
import { duplicates } from '../../api/schema/duplicates.ts';
import type { SchemaNode } from '../../api/schema/node.ts';
import { type Past, type ValueChange, validateChange } from '../../api/schema/structural.ts';
import { mentionsRules } from './rules/has-rules.ts';
import { ruleLanguage } from './rules/language.ts';
import type { RuleTree } from './rules/rule-tree.ts';

/** Judges custom resources by a schema and the rules in it. */
export interface CustomValidation {
  create(object: KubeObject, at: FieldPath): Iterable<Issue>;
  /** What has not changed may stay as it is. */
  update(next: KubeObject, current: KubeObject, at: FieldPath): Iterable<Issue>;
}

/** Rules are compiled with the first object that comes in. Who judges by a schema with rules has loaded their language. */
export function customValidation(schema: unknown, node: () => SchemaNode): CustomValidation {
  let compiled: { readonly rules: RuleTree | undefined } | undefined;
  const rules = (): RuleTree | undefined => {
    compiled ??= {
      rules: mentionsRules(schema) ? ruleLanguage.now().ruleTreeOf(schema, { isResource: true }) : undefined,
    };
    return compiled.rules;
  };
  const judge = (value: KubeObject, old: KubeObject | undefined, at: FieldPath): readonly Issue[] => {
    const issues = [...validateChange({ value, old, past }, node(), at), ...newDuplicates({ value, old }, node(), at)];
    const tree = rules();
    if (tree === undefined) return issues;
    // Rules rely on the types of the schema.
    // Who has no name is told of with the metadata.
    if (value.metadata.name === '' || issues.some(({ reason }) => blocking.has(reason)))
      return [...issues, unchecked()];
    return [...issues, ...ruleLanguage.now().enforceRules(tree, { value, old, at: root })];
  };
  return {
    create: (object, at) => judge(object, undefined, at),
    update: judge,
  };
}

/** An object that had some, wherever, may have others. */
function newDuplicates({ value, old }: ValueChange, node: SchemaNode, at: FieldPath): readonly Issue[] {
  const found = [...duplicates(value, node, at)];
  if (found.length === 0 || old === undefined) return found;
  return [...duplicates(old, node, at)].length > 0 ? [] : found;
}

const past: Past = { isSame: isSameBySchema, itemsOf: correlatedItems };

const blocking: ReadonlySet<IssueReason> = new Set<IssueReason>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

function unchecked(): Issue {
  return root.invalid(
    undefined,
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  );
}
