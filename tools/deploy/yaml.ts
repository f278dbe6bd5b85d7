/** Templates as text: for Helm, and, where nothing is left to fill in, as YAML. */
import { type Expression, isExpression, toHelm } from './expression.ts';
import {
  type Each,
  isEach,
  isJoined,
  isList,
  isWhen,
  type Plain,
  type Template,
  type TemplateMap,
  type When,
} from './template.ts';

/** The lines of a template, without their indentation. Lines that begin with `{{-` are Helm's. */
export function linesOf(node: Template | Plain): readonly string[] {
  const template = node as Template;
  const inline = inlineOf(template);
  if (inline !== undefined) return [inline];
  if (isList(template)) return template.flatMap(itemLines);
  if (isJoined(template)) return [...linesOf(template.own), ...entryLines(template.more)];
  return Object.entries(template as TemplateMap).flatMap(([key, inner]) => memberLines(key, inner));
}

/** Each member of a map that somebody gives, on a line of its own. */
function entryLines(more: Expression): readonly string[] {
  return [`{{- range $key, $value := ${toHelm(more)} }}`, '{{ toJson $key }}: {{ toJson $value }}', '{{- end }}'];
}

/** Undefined: it takes lines of its own. */
function inlineOf(node: Template): string | undefined {
  if (isExpression(node)) return `{{ toJson ${argumentOf(toHelm(node))} }}`;
  if (typeof node === 'string') return quoted(node);
  if (typeof node !== 'object' || node === null) return String(node);
  if (Object.keys(node).length > 0) return undefined;
  return isList(node) ? '[]' : '{}';
}

function argumentOf(written: string): string {
  return written.includes(' ') ? `(${written})` : written;
}

/** Plain where every version of YAML reads the same text. */
function quoted(word: string): string {
  const isPlain = /^[A-Za-z/][\w./-]*$/.test(word) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(word);
  return isPlain ? word : JSON.stringify(word);
}

function memberLines(key: string, node: Template): readonly string[] {
  if (isWhen(node)) return within(node, (inner) => memberLines(key, inner));
  const inline = inlineOf(node);
  const name = quoted(key);
  return inline === undefined ? [`${name}:`, ...indented(linesOf(node))] : [`${name}: ${inline}`];
}

function itemLines(node: Template): readonly string[] {
  if (isWhen(node) || isEach(node)) return within(node, itemLines);
  const [first = '', ...rest] = linesOf(node);
  return [`- ${first}`, ...indented(rest)];
}

/** What is there only sometimes, or several times. */
export function within(node: When | Each, lines: (inner: Template) => readonly string[]): readonly string[] {
  if (isEach(node)) return [`{{- range $${node.as} := ${toHelm(node.over)} }}`, ...lines(node.body), '{{- end }}'];
  const { condition, then, otherwise } = node;
  const other = otherwise === undefined ? [] : ['{{- else }}', ...lines(otherwise)];
  return [`{{- if ${toHelm(condition)} }}`, ...lines(then), ...other, '{{- end }}'];
}

/** Braces of Helm stay at the margin: what stands before them is cut away. */
function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line.startsWith('{{-') ? line : `  ${line}`));
}
