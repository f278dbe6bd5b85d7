import { expect, test } from 'vitest';
import { dnsLabelProblems, dnsSubdomainProblems, labelValueProblems, qualifiedNameProblems } from './names.ts';

const long = 'a'.repeat(64);

test.each<[string, (value: string) => readonly string[], readonly string[], readonly string[]]>([
  ['a DNS label', dnsLabelProblems, ['a', 'node-1', '0', 'a'.repeat(63)], ['', 'A', '-a', 'a-', 'a.b', 'а', long]],
  [
    'a DNS subdomain',
    dnsSubdomainProblems,
    ['a', 'a.b-c.d', 'a'.repeat(253)],
    ['', 'Foo', 'a..b', '.a', 'a.', 'a_b', '..', 'a/b', 'a%b', 'a'.repeat(254)],
  ],
  [
    'a qualified name',
    qualifiedNameProblems,
    ['a', 'A_b.c', 'example.com/App', 'a'.repeat(63)],
    ['', '/a', 'a/', 'a/b/c', 'Foo/a', '-a', 'a b', long],
  ],
  ['a label value', labelValueProblems, ['', 'a', 'A_b.c-d', '1'], ['-a', 'a-', 'a b', 'a/b', 'é', long]],
])('%s', (_, problemsOf, good, bad) => {
  for (const value of good) expect(problemsOf(value), value).toEqual([]);
  for (const value of bad) expect(problemsOf(value).length, value).toBeGreaterThan(0);
});

test('a very long name is judged quickly', () => {
  const value = 'a-'.repeat(1_000_000);
  for (const problemsOf of [dnsSubdomainProblems, qualifiedNameProblems, labelValueProblems]) {
    expect(problemsOf(value).length).toBeGreaterThan(0);
  }
});

test('the prefix of a name is blamed as such', () => {
  expect(qualifiedNameProblems('Foo/a')[0]).toMatch(/^prefix part a lowercase RFC 1123 subdomain/);
  expect(qualifiedNameProblems('/a')).toEqual(['prefix part must be non-empty']);
});
