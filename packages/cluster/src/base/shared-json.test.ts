import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freeze } from './freeze.ts';
import { jsonSize } from './json-size.ts';
import { encodeSharedJson, SharedList, sharedJsonSize, sharedList, shareJson } from './shared-json.ts';

const formatted = (value: object): string => encodeSharedJson(value).toString();

const owner = freeze({ manager: 'a', fields: { 'f:spec': {} } });
const own = freeze({ manager: 'b' });
const list = sharedList([owner, own]);
shareJson(owner);

test('an object with shared parts is the same JSON', () => {
  const object = { kind: 'Pod', metadata: { name: 'x', owners: list, labels: { a: 'b' } }, gone: undefined };
  const text =
    '{"kind":"Pod","metadata":{"name":"x","owners":[{"manager":"a","fields":{"f:spec":{}}},{"manager":"b"}],"labels":{"a":"b"}}}';
  expect(formatted(object)).toBe(text);
  expect(formatted(object)).toBe(text);
  expect(JSON.stringify(object)).toBe(text);
  expect(formatted({ metadata: { owners: list }, spec: 9_007_199_254_740_993n })).toBe(
    '{"metadata":{"owners":[{"manager":"a","fields":{"f:spec":{}}},{"manager":"b"}]},"spec":9007199254740993}',
  );
});

test('neither two such lists nor a text that looks like their place confuse anybody', () => {
  for (const object of [
    { a: list, b: list },
    { text: '\u007f', metadata: { owners: list } },
    { text: 'before \u007f and after', metadata: { owners: list } },
    { metadata: { owners: list }, text: '\u007f', '\u007f': '"\u007f"' },
    { metadata: { owners: list }, text: '\udc01 𝒳 é' },
    { text: '\u007f' },
  ])
    expect(formatted(object)).toBe(JSON.stringify(object));
});

test('what cannot be encoded is said, and confuses nobody later', () => {
  const circular: Record<string, unknown> = { list };
  circular['self'] = circular;
  expect(() => formatted(circular)).toThrow(TypeError);
  expect(JSON.stringify({ list })).toBe('{"list":[{"manager":"a","fields":{"f:spec":{}}},{"manager":"b"}]}');
});

test('what is made of such a list is a plain one', () => {
  expect(list.map((each) => each)).not.toBeInstanceOf(SharedList);
  expect(list).toEqual([owner, own]);
  expect(Object.isFrozen(list)).toBe(true);
});

test('without shared parts it is the JSON as ever, of whatever', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      expect(formatted(value)).toBe(JSON.stringify(value));
      expect(sharedJsonSize(value)).toBe(jsonSize(value));
    }),
  );
});

test('what is shared is encoded once', () => {
  let reads = 0;
  const counted = Object.freeze({
    get text() {
      reads += 1;
      return 'x';
    },
  });
  const owners = sharedList([counted]);
  shareJson(counted);
  for (let round = 0; round < 3; round++) {
    formatted({ metadata: { owners } });
    sharedJsonSize({ metadata: { owners } });
  }
  expect(reads).toBe(1);
});

test('the size with shared parts is near the length of the JSON', () => {
  const object = { metadata: { name: 'x'.repeat(1_000), owners: list } };
  const { length } = formatted(object);
  expect(sharedJsonSize(object)).toBeGreaterThan(length - 20);
  expect(sharedJsonSize(object)).toBeLessThan(length + 60);
});
