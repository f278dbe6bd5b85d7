import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Issue, root } from '../../api/issue.ts';
import {
  annotationsIssues,
  dataKey,
  dnsLabel,
  dnsLabel1035,
  dnsSubdomain,
  finalizerIssues,
  fullyQualifiedDomainName,
  labelIssues,
  pathSegmentName,
  qualifiedName,
} from './names.ts';

const at = root('metadata', 'name');
const lines = (issues: Iterable<Issue>): string[] => [...issues].map(({ field, message }) => `${field}: ${message}`);

describe('names of objects', () => {
  test.each(['a', 'a.b', 'web-0', '1.2.3.4', 'a'.repeat(63), 'x.'.repeat(126).concat('y')])(
    'a subdomain may be %s',
    (name) => expect(lines(dnsSubdomain(name, at))).toEqual([]),
  );

  test.each(['', 'Foo', '-a', 'a-', 'a..b', 'a/b', 'a%b', '.', '..', 'аbc', 'a_b', 'a\nb', 'a\n'])(
    'a subdomain may not be %j',
    (name) => {
      expect(lines(dnsSubdomain(name, at))).toEqual([
        `metadata.name: Invalid value: ${JSON.stringify(name)}: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ]);
    },
  );

  test('a name of 254 bytes is too long, and nothing else', () => {
    const name = 'a'.repeat(254);
    expect(lines(dnsSubdomain(name, at))).toEqual([
      `metadata.name: Invalid value: "${name}": must be no more than 253 characters`,
    ]);
  });

  test('three million characters are refused without being matched', () => {
    expect([...dnsSubdomain(`${'a-'.repeat(1_500_000)}!`, at)]).toHaveLength(1);
    expect([...dnsLabel(`${'a.'.repeat(1_500_000)}!`, at)]).toHaveLength(2);
  });

  test('a label has no dots, and one by RFC 1035 starts with a letter', () => {
    expect(lines(dnsLabel('1a', at))).toEqual([]);
    expect(lines(dnsLabel('a.b', at))).toEqual([expect.stringMatching(/: must not contain dots$/)]);
    expect(lines(dnsLabel('a_b', at))[0]).toContain(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    );
    expect(lines(dnsLabel1035('1a', at))[0]).toContain(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    );
  });

  test('whatever is a label is a subdomain', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9.-]{0,70}$/), (text) => {
        if (lines(dnsLabel(text, at)).length === 0) expect(lines(dnsSubdomain(text, at))).toEqual([]);
        if (lines(dnsLabel1035(text, at)).length === 0) expect(lines(dnsLabel(text, at))).toEqual([]);
      }),
    );
  });

  test('joining subdomains with a dot gives a subdomain', () => {
    const part = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?$/);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        expect(lines(dnsSubdomain(parts.join('.'), at))).toEqual([]);
      }),
    );
  });

  test('a path segment may be anything but a step or a separator', () => {
    expect(lines(pathSegmentName('system:node', at))).toEqual([]);
    expect(lines(pathSegmentName('..', at))).toEqual(['metadata.name: Invalid value: "..": may not be \'..\'']);
    expect(lines(pathSegmentName('a/b%c', at))).toHaveLength(2);
    expect(lines(pathSegmentName('é'.repeat(256), at))).toEqual([]);
    expect(lines(pathSegmentName('é'.repeat(257), at))).toEqual([
      'metadata.name: Too long: may not be more than 512 bytes',
    ]);
  });

  test('a group has at least one dot', () => {
    expect(lines(fullyQualifiedDomainName('example.com', at))).toEqual([]);
    expect(lines(fullyQualifiedDomainName('example', at))[0]).toContain('at least two segments');
    expect(lines(fullyQualifiedDomainName('', at))).toEqual(['metadata.name: Required value']);
  });
});

describe('qualified names', () => {
  test.each(['a', 'A_b.c-9', 'example.com/Name', `${'a'.repeat(253)}/${'b'.repeat(63)}`])('%s is one', (name) =>
    expect(lines(qualifiedName(name, at))).toEqual([]),
  );

  test.each([
    ['', ['name part must be non-empty', 'name part must consist of']],
    ['/a', ['prefix part must be non-empty']],
    ['a/', ['name part must be non-empty', 'name part must consist of']],
    ['a/b/c', ['a qualified name must consist of']],
    ['Example.com/a', ['prefix part a lowercase RFC 1123 subdomain must']],
    ['a'.repeat(64), ['name part must be no more than 63 characters']],
    ['-a', ['name part must consist of']],
  ])('%j is none', (name, words) => {
    const found = lines(qualifiedName(name, at));
    expect(found).toHaveLength(words.length);
    for (const [index, word] of words.entries()) expect(found[index]).toContain(word);
  });
});

describe('labels, annotations, finalizers, data keys', () => {
  test('a label value of 64 characters is refused at metadata.labels', () => {
    const value = 'v'.repeat(64);
    expect(lines(labelIssues({ app: value }, root('metadata', 'labels')))).toEqual([
      `metadata.labels: Invalid value: "${value}": must be no more than 63 characters`,
    ]);
  });

  test('a label value may be empty but not start with a dash', () => {
    expect(lines(labelIssues({ a: '', b: 'X_1.y' }, at))).toEqual([]);
    expect(lines(labelIssues({ a: '-x' }, at))[0]).toContain(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    );
  });

  test('annotations may hold 256 KiB in total and not one byte more', () => {
    const fill = 'x'.repeat(256 * 1024 - 2);
    expect(lines(annotationsIssues({ a: fill, b: '' }, root('metadata', 'annotations')))).toEqual([]);
    expect(lines(annotationsIssues({ a: fill, b: 'é' }, root('metadata', 'annotations')))).toEqual([
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ]);
  });

  test('annotation prefixes may be in upper case', () => {
    expect(lines(annotationsIssues({ 'Example.com/a': '' }, at))).toEqual([]);
  });

  test('a finalizer has a prefix unless it is one of the standard ones', () => {
    const finalizers = root('metadata', 'finalizers');
    expect(lines(finalizerIssues(['orphan', 'kubernetes', 'a.b/c'], finalizers))).toEqual([]);
    expect(lines(finalizerIssues(['mine'], finalizers))).toEqual([
      'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    ]);
    expect(lines(finalizerIssues(['mine'], finalizers, { prefixRequired: false }))).toEqual([]);
    expect(lines(finalizerIssues(['orphan', 'foregroundDeletion'], finalizers))[0]).toContain('cannot be both set');
  });

  test.each(['key.name', 'KEY_NAME', '.hidden', '-', 'a'.repeat(253)])('data may be keyed %s', (key) =>
    expect(lines(dataKey(key, at))).toEqual([]),
  );

  test.each(['', '.', '..', '..data', '../x', 'a/b', 'a'.repeat(254), 'ä', 'a\n'])('data may not be keyed %j', (key) =>
    expect(lines(dataKey(key, at)).length).toBeGreaterThan(0),
  );
});
