import { expect, test } from 'vitest';
import { Version } from './version.ts';

function version(value: object | string): Version {
  return new Version({ key: '/a', value, revision: 1, createdRevision: 1, deleted: false });
}

test('bytes are the JSON of the value', () => {
  expect(version(Object.freeze({ text: 'ü' })).bytes.toString()).toBe('{"text":"ü"}');
  expect(version('{"text":"ü"}').bytes.toString()).toBe('{"text":"ü"}');
});

test('they are encoded once while they are held, and then let go', () => {
  let encodings = 0;
  const held = version(
    Object.freeze({
      toJSON: () => {
        encodings += 1;
        return {};
      },
    }),
  );
  held.hold();
  expect(held.bytes).toBe(held.bytes);
  expect(encodings).toBe(1);
  held.release();
  expect(held.bytes).not.toBe(held.bytes);
});

test('what was loaded keeps its JSON until it is read, and not after', () => {
  const loaded = version('{ "a" : 1 }');
  loaded.release();
  expect(loaded.bytes.toString()).toBe('{ "a" : 1 }');
  expect(loaded.value).toEqual({ a: 1 });
  expect(loaded.value).toBe(loaded.value);
  expect(loaded.bytes.toString()).toBe('{"a":1}');
});

test('a weight is known without encoding, and is never below what the texts take', () => {
  const text = 'x'.repeat(10_000);
  const written = version(Object.freeze({ data: { text } }));
  expect(written.weightBytes).toBeGreaterThan(10_000);
  expect(written.weightBytes).toBeLessThan(11_000);
  expect(version(JSON.stringify({ data: { text } })).weightBytes).toBe(written.weightBytes - 2);
});

test('the last state of what was deleted weighs what it weighed before', () => {
  const current = version(Object.freeze({ data: { text: 'x'.repeat(10_000) } }));
  current.hold();
  const fields = { key: '/a', value: Object.freeze({}), revision: 2, createdRevision: 1, deleted: true };
  expect(new Version({ ...fields, deleted: true, before: current }).weightBytes).toBe(current.weightBytes);
  expect(new Version(fields).weightBytes).toBeLessThan(current.weightBytes - 9_000);
});

test('a value that cannot be encoded is a bug that names its key', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  expect(() => version(circular).bytes).toThrow('a stored value can be encoded as JSON');
});
