import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentExpanded, reloaderExpanded } from '../testing/expanders.ts';
import { type Expansion, readings, settled } from './expansion.ts';
import { literal, parseYaml, toYaml } from './yaml.ts';

const agent: Expansion = { reloader: { SHARD: ['0'], ORDINAL: [''] }, agent: { SHARD: ['0'] } };
const prometheus: Expansion = { reloader: { SHARD: ['0'] }, agent: undefined };
const environment = { SHARD: '0', ORDINAL: '', SECRET: 'hunter2' };

const expanded = (text: string, expansion: Expansion): string => readings(text, expansion)[0] ?? '';
const written = (text: string, expansion: Expansion): string => toYaml(settled([{ [text]: [text] }], expansion));
const plain = (text: string): string => `- ${text}:\n  - ${text}\n`;

test.each(['$(SHARD)', `$\{SHARD}`, `$\{1}`, '$1', '$1://$2$3', 'a$', 'a$(b|c)', '$(', '^a$|^b$'])(
  'of an agent’s tenant %s is written as it is',
  (text) => {
    expect(written(text, agent)).toContain(text);
    expect(written(text, prometheus)).toContain(text);
  },
);

test.each([
  '$(SECRET)',
  `$\{SECRET}`,
  `$\{SECRET:-x}`,
  `$\{#SECRET}`,
  `$\{SHARD:-$\{SECRET}}`,
  `$\{SECRET^^}`,
  `$\{`,
  `$\{a`,
  `$\{}`,
  '$$',
  '$$$1',
  '$$(SHARD){SECRET}',
  '$$(ORDINAL){SECRET}',
  `$\{$(SHARD)}`,
  '$($(SECRET))',
  `$\{ORDINAL}`,
])('of an agent’s tenant %s is read as it is', (text) => {
  const reloaded = reloaderExpanded(written(text, agent), environment, { unknown: 'fails' });
  const read = expanded(text, { reloader: agent.reloader, agent: {} });
  expect(parseYaml(agentExpanded(reloaded, environment))).toEqual([{ [text]: [read] }]);
});

test('Prometheus gets what the reloader would not touch as it is, byte for byte', () => {
  for (const text of [`$\{SECRET}`, `$\{1}`, '$$', '$1'])
    expect(written(text, prometheus)).toContain(plain(text).split(':')[0]?.slice(2));
  expect(written('$(SECRET)', prometheus)).not.toContain('$(');
});

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom(
      '$',
      '(',
      ')',
      '{',
      '}',
      'SECRET',
      'SHARD',
      'ORDINAL',
      '$(SECRET)',
      `$\{SECRET}`,
      '1',
      ':',
      '-',
    ),
  }),
  fc.string({ unit: fc.constantFrom('$', '(', ')', '{', '}', 'A', '\\', '"', "'", '\n', ' ', ':', '#', '\\x24') }),
);

test('whatever a tenant writes, only the pods’ own variables are expanded', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const reloaded = reloaderExpanded(toYaml(settled({ a: `x${text}` }, agent)), environment, { unknown: 'fails' });
      expect(parseYaml(agentExpanded(reloaded, environment))).toEqual({ a: `x${expanded(text, agent)}` });
      const other = reloaderExpanded(toYaml(settled({ a: `x${text}` }, prometheus)), environment, { unknown: 'stays' });
      expect(parseYaml(other)).toEqual({ a: `x${expanded(text, prometheus)}` });
    }),
  );
});

test('two keys of a tenant never become one', () => {
  for (const expansion of [agent, prometheus]) {
    const yaml = toYaml(settled({ '$(SHARD)': 1, [`$\{SHARD}`]: 2, 0: 3 }, expansion));
    const reloaded = reloaderExpanded(yaml, environment, { unknown: 'stays' });
    const read = expansion === agent ? agentExpanded(reloaded, environment) : reloaded;
    expect(parseYaml(read)).toEqual({ '$(SHARD)': 1, [`$\{SHARD}`]: 2, 0: 3 });
  }
});

test('a text is read once for each value that decides', () => {
  const sharded: Expansion = { reloader: { SHARD: ['0', '9'], POD: ['a-0'] }, agent: { SHARD: ['0', '9'] } };
  expect(readings('plain $1', sharded)).toEqual(['plain $1']);
  expect(readings(`$(SHARD)$\{SHARD}$(POD)`, sharded)).toEqual(['00a-0', '99a-0']);
  expect(readings({ a: ['$(SHARD)'], b: 1 }, sharded)).toEqual([
    { a: ['0'], b: 1 },
    { a: ['9'], b: 1 },
  ]);
});

test('what an administrator’s variables come to nobody knows before', () => {
  expect(readings('$(ANY)', 'any')).toEqual([]);
  expect(readings(`$\{ANY}`, 'any')).toEqual([]);
  expect(readings(`$\{1}$1`, 'any')).toEqual([`$\{1}$1`]);
  expect(readings('$(ANY)', 'any of the reloader')).toEqual([]);
  expect(readings(`$\{ANY}`, 'any of the reloader')).toEqual([`$\{ANY}`]);
});

test('whatever a secret holds, nothing of it is expanded, and it is read as it was', () => {
  fc.assert(
    fc.property(hostile, (secret) => {
      const yaml = toYaml(settled({ password: literal(secret) }, agent));
      expect(yaml).not.toContain('$');
      expect(parseYaml(yaml)).toEqual({ password: secret });
    }),
  );
});
