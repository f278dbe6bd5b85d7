import { expect, test } from 'vitest';
import { selectorProblem } from './devices.ts';

/* As the API server of Kubernetes 1.34 answered. */
const nested = (depth: number, inner: string): string =>
  Array.from({ length: depth }, (_, index) => `k${depth - index}`).reduce(
    (body, name) => `device.attributes.all(${name}, ${body})`,
    inner,
  );
const times = (count: number, clause: string): string => Array.from({ length: count }, () => clause).join('&&');

test.each([
  "device.driver == 'x'",
  'device.attributes["a"].b',
  'device.attributes["a"].b == 1',
  'device.attributes["a"].b.isGreaterThan(semver("1.0.0"))',
  'device.capacity["a"].b.compareTo(quantity("1")) >= 0',
  'device.attributes["a"].?b.orValue("x") == "x"',
  'cel.bind(dra, device.attributes["dra.example.com"], dra.someBool && dra.anotherBool)',
])('%s', (expression) => expect(selectorProblem(expression)).toBeUndefined());

test.each<[string, string]>([
  ['1', 'must evaluate to bool or the unknown type, not int'],
  ['device', 'must evaluate to bool or the unknown type, not kubernetes.DRADevice'],
  ['device.attributes["a"]', 'must evaluate to bool or the unknown type, not map(string, google.protobuf.Any)'],
  ['device.foo', "compilation failed: ERROR: <input>:1:7: undefined field 'foo'\n | device.foo\n | ......^"],
  [
    'device.capacity["a"].b == 1',
    "compilation failed: ERROR: <input>:1:24: found no matching overload for '_==_' applied to '(kubernetes.Quantity, int)'\n | device.capacity[\"a\"].b == 1\n | .......................^",
  ],
  [
    '',
    "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
])('%s is refused', (expression, mistake) => expect(selectorProblem(expression)).toEqual({ mistake }));

/* How many times a clause may stand there. */
test.each<[count: number, (count: number) => string]>([
  [3, (count) => nested(3, times(count, 'k1==k2'))],
  [2, (count) => nested(3, times(count, 'device.driver==device.driver'))],
  [4, (count) => nested(2, `device.attributes["a"].all(y, ${times(count, 'y==y')})`)],
  [1, (count) => nested(3, times(count, 'device.attributes["a"].b==device.attributes["a"].b'))],
  [1, (count) => nested(3, times(count, 'string(device.attributes["a"].b).contains("aa")'))],
  [3, (count) => nested(3, times(count, 'device.capacity["a"].b==device.capacity["a"].b'))],
  [3, (count) => nested(3, times(count, 'device.driver.contains("aaaaaaaaaa")'))],
])('the cost has a limit (%i)', (count, expression) => {
  expect(selectorProblem(expression(count))).toBeUndefined();
  expect(selectorProblem(expression(count + 1))).toEqual({ isTooComplex: true });
});
