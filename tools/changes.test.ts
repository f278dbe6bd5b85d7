import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { collect, withVersion, withVersionConstant } from './changes.ts';

const root = resolve(import.meta.dirname, '..');
const files = [
  { name: '001-a.md', text: 'fixed\n\nA bug\nof two lines.\n' },
  { name: '002-b.md', text: 'added\n\nA thing.\n\nMore of it.\n' },
  { name: '003-c.md', text: 'fixed\n\nAnother.\n' },
];

test('changes become a section, by kind, above those of earlier releases', () => {
  const first = collect('', { files: files.slice(1, 2), version: '0.1.0', date: '2026-01-01', restarts: () => '' });
  expect(first).toBe('# Changes\n\n## 0.1.0 (2026-01-01)\n\n### Added\n\n- A thing.\n\n  More of it.\n');
  const second = collect(first, {
    files,
    version: '0.2.0',
    date: '2026-02-01',
    restarts: () => '### Restarts\n\nNone.\n',
  });
  expect(second).toBe(
    [
      '# Changes\n\n## 0.2.0 (2026-02-01)\n\n### Restarts\n\nNone.\n',
      '### Added\n\n- A thing.\n\n  More of it.\n',
      '### Fixed\n\n- A bug\n  of two lines.\n- Another.\n',
      '## 0.1.0 (2026-01-01)\n\n### Added\n\n- A thing.\n\n  More of it.\n',
    ].join('\n'),
  );
});

test('changes stand in the order of their numbers, also beyond a thousand', () => {
  const two = ['1000-d.md', '999-c.md'].map((name) => ({ name, text: `fixed\n\n${name}` }));
  expect(collect('', { files: two, version: '0.1.0', date: '2026-01-01', restarts: () => '' })).toContain(
    '- 999-c.md\n- 1000-d.md\n',
  );
});

test.each<[string, { readonly name: string; readonly text: string }, string, string]>([
  ['a name without a number', { name: 'a.md', text: 'added\n\nx' }, '0.2.0', 'call it by a number and words'],
  ['a kind that there is not', { name: '001-a.md', text: 'new\n\nx' }, '0.2.0', 'it is one of added, changed'],
  ['no words', { name: '001-a.md', text: 'added\n' }, '0.2.0', 'what a user notices'],
  ['no version', { name: '001-a.md', text: 'added\n\nx' }, 'next', 'give one such as 0.2.0'],
  ['a version that was', { name: '001-a.md', text: 'added\n\nx' }, '0.1.0', 'give the next one'],
])('%s is refused', (_, file, version, message) => {
  const changelog = '# Changes\n\n## 0.1.0 (2026-01-01)\n';
  expect(() => collect(changelog, { files: [file], version, date: '2026-02-01', restarts: () => '' })).toThrow(message);
});

test('nothing to release is refused', () => {
  expect(() => collect('', { files: [], version: '0.2.0', date: '2026-02-01', restarts: () => '' })).toThrow(
    'nothing to release',
  );
});

test('the changes that wait can be released', () => {
  const waiting = readdirSync(resolve(root, 'changes'))
    .filter((name) => name !== 'README.md')
    .map((name) => ({ name, text: readFileSync(resolve(root, 'changes', name), 'utf8') }));
  if (waiting.length > 0) collect('', { files: waiting, version: '9.9.9', date: '2026-02-01', restarts: () => '' });
  expect(new Set(waiting.map(({ name }) => Number.parseInt(name, 10))).size).toBe(waiting.length);
});

test.each([
  'packages/cluster/package.json',
  'packages/telemetry/package.json',
  'packages/cli/package.json',
  'package-lock.json',
])('the version of %s is set, and nothing else', (path) => {
  const text = readFileSync(resolve(root, path), 'utf8');
  const { version: before } = JSON.parse(readFileSync(resolve(root, 'packages/cli/package.json'), 'utf8')) as {
    readonly version: string;
  };
  const next = withVersion(text, '9.9.9');
  const [old, now] = [text.split('\n'), next.split('\n')];
  expect(now).toHaveLength(old.length);
  const changed = old.flatMap((line, index) => (line === now[index] ? [] : [`${line} → ${now[index]}`]));
  expect(changed.length).toBeGreaterThan(0);
  for (const line of changed) {
    expect(line).toMatch(/^ *"(version|@signalbox\/[a-z]+)": "/);
    expect(line).toContain(`"${before}"`);
  }
});

test('the version that the command line says is set where it stands, and missed where it does not', () => {
  const source = readFileSync(resolve(root, 'packages/cli/src/io/version.ts'), 'utf8');
  expect(withVersionConstant(source, '9.9.9')).toContain("\nexport const version = '9.9.9';\n");
  expect(() => withVersionConstant('export const versions = 1;', '9.9.9')).toThrow('say the version there again');
});
