import { equal } from '../base/equal.ts';
import { isObject } from './record.ts';

/*
 * kubectl's JSONPath, as far as printer columns and `-o jsonpath` name values with it:
 *   .a.b  ['a']  .a\.b  [0]  [-1]  [1:3]  [0,2]  ['a','b']  .*  [*]  ..a  [?(@.type=="Ready")]  [?(@.ready)]
 * with or without braces around it and `$` in front.
 */
export type JsonPath = readonly Step[];

type Step =
  | { readonly kind: 'name'; readonly names: readonly string[] }
  | { readonly kind: 'index'; readonly indexes: readonly number[] }
  | { readonly kind: 'slice'; readonly from: number | undefined; readonly to: number | undefined; readonly by: number }
  | { readonly kind: 'every' }
  | { readonly kind: 'deep' }
  | { readonly kind: 'filter'; readonly left: Operand; readonly operator: string; readonly right: Operand };

type Operand = { readonly path: JsonPath } | { readonly value: unknown };

const lengthMax = 1_024;
const valuesMax = 100_000;
const known = new Map<string, JsonPath | { readonly problem: string }>();

/** The values that the expression names, in their order; none when it is no expression. */
export function evaluateJsonPath(expression: string, object: unknown): unknown[] {
  const path = compileJsonPath(expression);
  return 'problem' in path ? [] : select(path, object);
}

/** Why the text is no expression; undefined when it is one. */
export function jsonPathProblem(expression: string): string | undefined {
  const path = compileJsonPath(expression);
  return 'problem' in path ? path.problem : undefined;
}

function compileJsonPath(expression: string): JsonPath | { readonly problem: string } {
  const found = known.get(expression);
  if (found !== undefined) return found;
  const path = parse(expression);
  if (known.size >= 1_000) known.clear();
  known.set(expression, path);
  return path;
}

function parse(expression: string): JsonPath | { readonly problem: string } {
  if (expression.length > lengthMax) return { problem: `longer than ${lengthMax} characters` };
  const braces = /^\{(.*)\}$/s.exec(expression.trim());
  const reader = { text: (braces?.[1] ?? expression).trim(), at: 0 };
  if (reader.text.startsWith('$') || reader.text.startsWith('@')) reader.at = 1;
  const steps = readSteps(reader);
  if (typeof steps === 'string') return { problem: steps };
  if (reader.at < reader.text.length)
    return { problem: `unexpected "${reader.text.slice(reader.at, reader.at + 10)}"` };
  return steps;
}

interface Reader {
  readonly text: string;
  at: number;
}

/** Reads steps as long as there are any. A text is what is wrong. */
function readSteps(reader: Reader): JsonPath | string {
  const steps: Step[] = [];
  for (;;) {
    const char = reader.text[reader.at];
    if (char === '[') {
      const step = readBracket(reader);
      if (typeof step === 'string') return step;
      steps.push(step);
    } else if (char === '.') {
      reader.at++;
      if (reader.text[reader.at] === '.') {
        reader.at++;
        steps.push({ kind: 'deep' });
      }
      if (reader.text[reader.at] !== '[' && reader.at < reader.text.length) steps.push(readName(reader));
    } else if (steps.length === 0 && char !== undefined && /[\w*\\-]/.test(char)) {
      steps.push(readName(reader));
    } else {
      return steps;
    }
  }
}

function readName(reader: Reader): Step {
  const name = /^(?:\\.|[^\s.[\]\\=!<>(){}|,'"])*/.exec(reader.text.slice(reader.at))?.[0] ?? '';
  reader.at += name.length;
  return name === '*' ? { kind: 'every' } : { kind: 'name', names: [name.replace(/\\(.)/g, '$1')] };
}

function readBracket(reader: Reader): Step | string {
  const rest = reader.text.slice(reader.at);
  if (rest.startsWith('[?(')) return readFilter(reader);
  const inner = /^\[((?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^\]'"])*)\]/.exec(rest);
  if (inner === null) return 'a bracket is not closed';
  reader.at += inner[0].length;
  const text = (inner[1] ?? '').trim();
  if (text === '*') return { kind: 'every' };
  const slice = /^(-?\d*):(-?\d*)(?::(\d+))?$/.exec(text);
  if (slice !== null) {
    const [, from = '', to = '', by = '1'] = slice;
    if (Number(by) === 0) return 'a slice takes steps of at least 1';
    return { kind: 'slice', from: numberOf(from), to: numberOf(to), by: Number(by) };
  }
  if (/^-?\d+(?:\s*,\s*-?\d+)*$/.test(text)) return { kind: 'index', indexes: text.split(',').map(Number) };
  const names = text.match(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g);
  if (names === null || names.join(',') !== text.replace(/\s*,\s*/g, ',')) return `[${text}] names nothing`;
  return { kind: 'name', names: names.map((name) => name.slice(1, -1).replace(/\\(.)/g, '$1')) };
}

function numberOf(text: string): number | undefined {
  return text === '' ? undefined : Number(text);
}

function readFilter(reader: Reader): Step | string {
  reader.at += '[?('.length;
  const left = readOperand(reader);
  if (typeof left === 'string') return left;
  const operator = /^\s*(==|!=|<=|>=|<|>)?\s*/.exec(reader.text.slice(reader.at));
  reader.at += operator?.[0].length ?? 0;
  const sign = operator?.[1];
  const right = sign === undefined ? { value: undefined } : readOperand(reader);
  if (typeof right === 'string') return right;
  const end = /^\s*\)\s*\]/.exec(reader.text.slice(reader.at));
  if (end === null) return 'a filter is not closed with )]';
  reader.at += end[0].length;
  return { kind: 'filter', left, operator: sign ?? 'exists', right };
}

function readOperand(reader: Reader): Operand | string {
  const blank = /^\s*/.exec(reader.text.slice(reader.at))?.[0].length ?? 0;
  reader.at += blank;
  const char = reader.text[reader.at];
  if (char === '@' || char === '$') {
    reader.at++;
    const path = readSteps(reader);
    return typeof path === 'string' ? path : { path };
  }
  const rest = reader.text.slice(reader.at);
  const token = /^(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^\s()<>=!]+)/.exec(rest)?.[0];
  if (token === undefined) return 'a filter compares with nothing';
  reader.at += token.length;
  return { value: literal(token) };
}

function literal(token: string): unknown {
  if (token.startsWith("'") || token.startsWith('"')) return token.slice(1, -1).replace(/\\(.)/g, '$1');
  if (token === 'true' || token === 'false') return token === 'true';
  if (token === 'null') return null;
  return Number.isNaN(Number(token)) ? token : Number(token);
}

function select(path: JsonPath, object: unknown): unknown[] {
  let values: unknown[] = [object];
  for (const step of path) {
    values = values.flatMap((value) => next(step, value)).slice(0, valuesMax);
  }
  return values;
}

function next(step: Step, value: unknown): readonly unknown[] {
  switch (step.kind) {
    case 'name':
      return isObject(value) ? step.names.filter((name) => Object.hasOwn(value, name)).map((name) => value[name]) : [];
    case 'index':
      return Array.isArray(value) ? step.indexes.flatMap((index) => value.slice(index, index + 1 || undefined)) : [];
    case 'slice':
      return Array.isArray(value) ? value.slice(step.from, step.to).filter((_, index) => index % step.by === 0) : [];
    case 'every':
      return parts(value);
    case 'deep':
      return everything(value);
    case 'filter':
      // An object is filtered by its values, as a list is by its elements.
      return parts(value).filter((part) => holds(step, part));
    default:
      return step satisfies never;
  }
}

function parts(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function everything(value: unknown): readonly unknown[] {
  return [value, ...parts(value).flatMap(everything)];
}

function holds({ left, operator, right }: Extract<Step, { kind: 'filter' }>, value: unknown): boolean {
  const [a] = valuesOf(left, value);
  if (operator === 'exists') return valuesOf(left, value).length > 0;
  const [b] = valuesOf(right, value);
  if (a === undefined || b === undefined) return false;
  if (operator === '==') return equal(a, b);
  if (operator === '!=') return !equal(a, b);
  const comparable = (isNumber(a) && isNumber(b)) || (typeof a === 'string' && typeof b === 'string');
  if (!comparable) return false;
  if (operator === '<') return a < b;
  if (operator === '>') return a > b;
  return operator === '<=' ? a <= b : a >= b;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function valuesOf(operand: Operand, value: unknown): readonly unknown[] {
  return 'path' in operand ? select(operand.path, value) : [operand.value];
}
