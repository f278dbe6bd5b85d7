import type { FieldPath, Issue } from '../issue.ts';
import { isObject, type JsonObject } from '../record.ts';
import { fromOpenApiV3 } from './node.ts';
import { rulePath } from './rule-path.ts';

const reasons: readonly string[] = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

/** What can be said of the rules of a schema without understanding them. */
export function* validateRules(schema: JsonObject, at: FieldPath): Iterable<Issue> {
  const rules = schema['x-kubernetes-validations'];
  if (!Array.isArray(rules)) return;
  for (const [index, rule] of rules.entries()) {
    const place = at('x-kubernetes-validations', index);
    yield* ruleIssues(isObject(rule) ? rule : {}, place);
    const path = textOf(rule, 'fieldPath');
    if (path !== '' && rulePath(path, fromOpenApiV3(schema)) === undefined)
      yield place('fieldPath').invalid(path, 'must be a valid path');
  }
}

function textOf(rule: unknown, name: string): string {
  const text = isObject(rule) ? rule[name] : undefined;
  return typeof text === 'string' ? text : '';
}

function hasLines(text: string): boolean {
  return /[\n\r]/.test(text);
}

function* ruleIssues(rule: JsonObject, at: FieldPath): Iterable<Issue> {
  const text = textOf(rule, 'rule').trim();
  const message = textOf(rule, 'message');
  const trimmed = message.trim();
  if (text === '') yield at('rule').required('rule is not specified');
  else if (message !== '' && trimmed === '') yield at('message').invalid(message, 'must be non-empty if specified');
  else if (hasLines(trimmed)) yield at('message').invalid(message, 'must not contain line breaks');
  else if (hasLines(text) && trimmed === '')
    yield at('message').required('message must be specified if rule contains line breaks');
  const expression = textOf(rule, 'messageExpression');
  if (expression !== '' && expression.trim() === '')
    yield at('messageExpression').required('messageExpression must be non-empty if specified');
  const { reason } = rule;
  if (typeof reason === 'string' && !reasons.includes(reason)) yield at('reason').notSupported(reason, reasons);
  const path = textOf(rule, 'fieldPath');
  if (path !== '' && path.trim() === '') yield at('fieldPath').invalid(path, 'must be non-empty if specified');
  if (hasLines(path)) yield at('fieldPath').invalid(path, 'must not contain line breaks');
}
