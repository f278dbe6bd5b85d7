import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentExpanded, reloaderExpanded } from '../testing/expanders.ts';
import { type Expansion, expanded, settled } from './expansion.ts';
import { literal, parseYaml, toYaml } from './yaml.ts';

const agent: Expansion = { reloader: { SHARD: '0', ORDINAL: '' }, agent: { SHARD: '0' } };
const prometheus: Expansion = { reloader: { SHARD: '0' }, agent: undefined };
const environment = { SHARD: '0', ORDINAL: '', SECRET: 'hunter2' };

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
  expect(parseYaml(agentExpanded(reloaded, environment))).toEqual([{ [read]: [read] }]);
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

test('whatever a secret holds, nothing of it is expanded, and it is read as it was', () => {
  fc.assert(
    fc.property(hostile, (secret) => {
      const yaml = toYaml(settled({ password: literal(secret) }, agent));
      expect(yaml).not.toContain('$');
      expect(parseYaml(yaml)).toEqual({ password: secret });
    }),
  );
});
