import { describe, expect, test } from 'vitest';
import { evaluateJsonPath, jsonPathProblem } from './jsonpath.ts';

const object = {
  metadata: { name: 'a', labels: { 'app.kubernetes.io/name': 'x', plain: 'y' } },
  spec: { replicas: 3, list: [10, 20, 30, 40], matrix: [[1, 2], [3]] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', age: 5, nested: { ok: true } },
      { type: 'Synced', status: 'False', age: 9 },
    ],
    nothing: null,
  },
};

test.each<[string, unknown[]]>([
  ['.metadata.name', ['a']],
  ['{.metadata.name}', ['a']],
  ['$.metadata.name', ['a']],
  ['metadata.name', ['a']],
  ['.spec.list[0]', [10]],
  ['.spec.list[-1]', [40]],
  ['.spec.list[9]', []],
  ['.spec.list[1:3]', [20, 30]],
  ['.spec.list[:2]', [10, 20]],
  ['.spec.list[-2:]', [30, 40]],
  ['.spec.list[0:4:2]', [10, 30]],
  ['.spec.list[0,2]', [10, 30]],
  ['.spec.list[*]', [10, 20, 30, 40]],
  ['.spec.list', [[10, 20, 30, 40]]],
  ['.spec.matrix[*][0]', [1, 3]],
  [".metadata['name']", ['a']],
  ['.metadata["name"]', ['a']],
  [".metadata['name','labels'].plain", ['y']],
  ['.metadata.labels.app\\.kubernetes\\.io/name', ['x']],
  [".metadata.labels['app.kubernetes.io/name']", ['x']],
  ['.metadata.labels.*', ['x', 'y']],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type == 'Synced')].status", ['False']],
  ['.status.conditions[?(@.type!="Ready")].type', ['Synced']],
  ['.status.conditions[?(@.age>5)].type', ['Synced']],
  ['.status.conditions[?(@.age<=5)].type', ['Ready']],
  ['.status.conditions[?(@.nested.ok==true)].type', ['Ready']],
  ['.status.conditions[?(@.nested)].type', ['Ready']],
  ['.status.conditions[?(@.type=="Nope")].status', []],
  ['..type', ['Ready', 'Synced']],
  ['.status.nothing', [null]],
  ['.no.such.thing', []],
  ['.constructor', []],
  ['.spec.list.length', []],
  ['.', [object]],
  ['$', [object]],
])('%s', (expression, values) => {
  expect(jsonPathProblem(expression)).toBeUndefined();
  expect(evaluateJsonPath(expression, object)).toEqual(values);
});

describe('is no expression', () => {
  test.each([
    '.a[',
    '.a[?(@.b==]',
    '.a[?(@.b=="c")',
    '.a[b]',
    '.a)',
    "['a'",
    '.a b',
    '.a[1:2:0]',
    `.${'a'.repeat(2_000)}`,
  ])('%s', (expression) => {
    expect(jsonPathProblem(expression)).toBeTypeOf('string');
    expect(evaluateJsonPath(expression, object)).toEqual([]);
  });
});
