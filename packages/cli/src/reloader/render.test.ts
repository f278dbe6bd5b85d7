import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { render, withOrdinal } from './render.ts';

const env = { FOO: 'bar', EMPTY: '', WIDE: 'ü', SIGN: '$&' };

// Each judged by prometheus-config-reloader 0.93.
test.each<[string, string]>([
  ['$(FOO)', 'bar'],
  ['$(FOO)$(FOO)', 'barbar'],
  ['$(EMPTY)', ''],
  ['$(UNSET)', '$(UNSET)'],
  ['$$(FOO)', '$bar'],
  ['$(FOO-) $FOO $( FOO ) $[FOO]', '$(FOO-) $FOO $( FOO ) $[FOO]'],
  [`\${FOO}`, `\${FOO}`],
  ['$(SIGN)', '$&'],
  ['$(toString)', '$(toString)'],
  ['ä $(WIDE)', 'ä ü'],
  ['', ''],
  ['ab', 'ab'],
])('%s becomes %s', (text, expected) => {
  expect(render(Buffer.from(text), env).bytes.toString('utf8')).toBe(expected);
});

test('variables that nobody has set are counted as often as they are named', () => {
  expect(render(Buffer.from('$(A) $(FOO) $(B) $(A)'), env).unset).toEqual(['A', 'B', 'A']);
});

test('what is packed is unpacked, also in several pieces', () => {
  const packed = Buffer.concat([gzipSync('a: $(FOO)\n'), gzipSync('b: 1\n')]);
  expect(render(packed, env).bytes.toString('utf8')).toBe('a: bar\nb: 1\n');
});

test.each([
  ['cut off', gzipSync('a: 1').subarray(0, 15)],
  ['damaged', Buffer.from([0x1f, 0x8b, 0x08, 1, 2, 3])],
])('what is packed and %s is refused', (_, bytes) => {
  expect(() => render(bytes, env)).toThrow('read compressed config file');
});

test('bytes that name no variable stay what they are, whatever they are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      fc.pre(!(bytes[0] === 0x1f && bytes[1] === 0x8b));
      const around = Buffer.concat([Buffer.from('$(FOO)'), bytes, Buffer.from('$(UNSET)')]);
      const expected = Buffer.concat([Buffer.from('bar'), bytes, Buffer.from('$(UNSET)')]);
      fc.pre(!around.subarray(6).toString('latin1').includes('$(FOO)'));
      expect(render(around, { FOO: 'bar' }).bytes.equals(expected)).toBe(true);
    }),
  );
});

// Upstream's own cases.
test.each([
  ['prometheus-0', '0'],
  ['prometheus-10', '10'],
  ['prometheus-10a', ''],
  ['prometheus1', '1'],
  ['pro-10-metheus', ''],
  [undefined, ''],
])('the ordinal of %s is "%s"', (name, ordinal) => {
  expect(withOrdinal({ POD: name }, 'POD')['STATEFULSET_ORDINAL_NUMBER']).toBe(ordinal);
});
