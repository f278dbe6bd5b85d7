import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freeze } from './freeze.ts';
import { jsonSize } from './json-size.ts';
import { formatSharedJson, mayShareJson, sharedJsonSize, shareJson } from './shared-json.ts';

const owner = freeze({ manager: 'a', fields: { 'f:spec': {} } });
const own = freeze({ manager: 'b' });
const list = freeze([owner, own]);
mayShareJson(list);
shareJson(owner);

test('an object with shared parts is the same JSON, but that its list stands at the end', () => {
  const object = { kind: 'Pod', metadata: { name: 'x', owners: list, labels: { a: 'b' } }, gone: undefined, spec: 9n };
  const text =
    '{"kind":"Pod","metadata":{"name":"x","labels":{"a":"b"},"owners":[{"manager":"a","fields":{"f:spec":{}}},{"manager":"b"}]},"spec":9}';
  expect(formatSharedJson(object)).toBe(text);
  expect(formatSharedJson(object)).toBe(text);
  expect(formatSharedJson({ metadata: { owners: list } })).toBe(
    '{"metadata":{"owners":[{"manager":"a","fields":{"f:spec":{}}},{"manager":"b"}]}}',
  );
});

test('without shared parts it is the JSON as ever, of whatever', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      expect(formatSharedJson(value)).toBe(JSON.stringify(value));
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
  const owners = Object.freeze([counted]);
  mayShareJson(owners);
  shareJson(counted);
  for (let round = 0; round < 3; round++) {
    formatSharedJson({ metadata: { owners } });
    sharedJsonSize({ metadata: { owners } });
  }
  expect(reads).toBe(1);
});

test('the size with shared parts is near the length of the JSON', () => {
  const object = { metadata: { name: 'x'.repeat(1_000), owners: list } };
  const { length } = formatSharedJson(object);
  expect(sharedJsonSize(object)).toBeGreaterThan(length - 20);
  expect(sharedJsonSize(object)).toBeLessThan(length + 60);
});
