import { describe, expect, test } from 'vitest';
import { certificateNames, isCertificateName, parseAdvertised, reachWarning } from './reach.ts';

test.each<[string, object | undefined]>([
  ['box.example.com', { host: 'box.example.com' }],
  ['box:16443', { host: 'box', port: 16_443 }],
  ['192.0.2.7', { host: '192.0.2.7' }],
  ['192.0.2.7:443', { host: '192.0.2.7', port: 443 }],
  ['fd00::1', { host: 'fd00::1' }],
  ['[fd00::1]', { host: 'fd00::1' }],
  ['[fd00::1]:443', { host: 'fd00::1', port: 443 }],
  ['', undefined],
  [':443', undefined],
  ['box:', undefined],
  ['box:0', undefined],
  ['box:65536', undefined],
  ['https://box', undefined],
  ['box/path', undefined],
  ['[box]:443', undefined],
  ['256.1.1.1', undefined],
  ['*.example.com', undefined],
  ['fd00::zz', undefined],
])('the API may be called by %s', (text, expected) => expect(parseAdvertised(text)).toEqual(expected));

test.each<[string, boolean]>([
  ['box', true],
  ['my-box.example.com', true],
  ['*.example.com', true],
  ['192.0.2.7', true],
  ['::1', true],
  ['', false],
  ['*', false],
  ['*.', false],
  ['a.*.com', false],
  ['-box', false],
  ['box.', false],
  ['300.1.1.1', false],
  ['bücher.example', false],
  [`${'a'.repeat(64)}.com`, false],
])('a certificate for %s: %s', (text, expected) => expect(isCertificateName(text)).toBe(expected));

const io = { host: 'box', addresses: () => ['10.1.2.3', 'fd00::7'] };

test('who listens on every address has all of the computer’s names in the certificate', () => {
  expect(certificateNames({ host: '0.0.0.0', names: ['a'] }, io)).toEqual(['a', 'box', '10.1.2.3', 'fd00::7']);
  expect(certificateNames({ host: '::', names: [] }, io)).toEqual(['box', '10.1.2.3', 'fd00::7']);
  expect(certificateNames({ host: '10.1.2.3', names: ['a'] }, io)).toEqual(['a']);
  expect(certificateNames({ host: '::', names: [] }, { ...io, host: 'no_such-name-' })).not.toContain('no_such-name-');
});

describe('who else can reach it is warned of', () => {
  test.each(['127.0.0.1', '127.3.2.1', '::1', '::ffff:127.0.0.1'])('not on %s', (address) => {
    expect(reachWarning({ address, port: 1 }, io)).toBeUndefined();
  });
  test.each<[string, string]>([
    ['0.0.0.0', 'every address of this computer (10.1.2.3, fd00::7)'],
    ['::', 'every address of this computer (10.1.2.3, fd00::7)'],
    ['10.1.2.3', '10.1.2.3'],
    ['fd00::7', 'fd00::7'],
  ])('on %s', (address, where) => {
    expect(reachWarning({ address, port: 6443 }, io)).toBe(
      `the API listens on ${where}: whoever can reach port 6443 there and has the kubeconfig may do everything; --host 127.0.0.1 keeps it to this computer`,
    );
  });
});
