import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { compilePolicy } from './policy-expressions.ts';

interface Case {
  readonly expression: string;
  /** Absent where upstream takes it. */
  readonly problem?: string;
}

const cases = load(readFileSync(new URL('testdata/expressions.yaml', import.meta.url), 'utf8')) as readonly Case[];

/** What differs, as docs/differences.md has it: mistakes that upstream tells in two steps, and types of protocol buffers. */
const known: ReadonlySet<string> = new Set([
  ...['object.in', '!', '-'],
  'google.protobuf.Duration{} == duration("0s")',
  'google.protobuf.Int64Value{value: 1} == 1',
]);

function problemOf(expression: string): string | undefined {
  const [validation] = compilePolicy({ validations: [{ expression }] }).validations;
  const program = validation?.expression.program;
  return program !== undefined && 'problem' in program ? program.problem : undefined;
}

test.each(cases.filter(({ expression }) => !known.has(expression)))('$expression', ({ expression, problem }) => {
  expect(problemOf(expression)).toBe(problem);
});

test.each([...known])('%s differs still', (expression) => {
  const recorded = cases.find((each) => each.expression === expression);
  expect(problemOf(expression)).not.toBe(recorded?.problem);
});
