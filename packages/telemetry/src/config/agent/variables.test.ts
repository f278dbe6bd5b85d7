import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GrafanaAgent } from '../../resources/grafana-agent.ts';
import { objectsOf } from '../../testing/world.ts';
import { literal, parseYaml, toYaml } from '../yaml.ts';
import { logsVariables, metricsVariables, withoutStrays } from './variables.ts';

const written = (text: string): string => toYaml(withoutStrays([{ [text]: [text] }], ['SHARD']));

test.each(['$(SHARD)', `$\{HOME}`, `$\{1}`, `a$\{ZONE:-eu}b`, '$1', 'a$', '$$'])('%s stays to be expanded', (text) => {
  expect(written(text)).toBe(`- ${text}:\n  - ${text}\n`);
});

test.each(['$(FOO)', `$\{`, `$\{a`, `$\{a?oops}`, `$\{a b}`, `$\{}`])('%s is just text', (text) => {
  expect(written(text)).not.toMatch(/\$[({]/);
  expect(parseYaml(written(text))).toEqual([{ [text]: [text] }]);
});

test('whatever a secret holds, nothing of it is expanded, and it is read as it was', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('$', '(', ')', '{', '}', 'A', '\\', '"', "'", '\n', ' ', ':', '#', '\\x24') }),
  );
  fc.assert(
    fc.property(text, (secret) => {
      const yaml = toYaml({ password: literal(secret) });
      expect(yaml).not.toContain('$');
      expect(parseYaml(yaml)).toEqual({ password: secret });
    }),
  );
});

test('the variables are those of the pods and of the reloader as the user has it', () => {
  const [root, open] = ['env: [{ name: ZONE, value: a }]', 'envFrom: [{ secretRef: { name: x } }]'].map(
    (own) =>
      objectsOf(`
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: m }
spec: { containers: [{ name: config-reloader, ${own} }] }
`)[0] as GrafanaAgent,
  ) as [GrafanaAgent, GrafanaAgent];
  expect(metricsVariables(root)).toEqual(expect.arrayContaining(['SHARD', 'SHARDS', 'POD_NAME', 'ZONE']));
  expect(logsVariables(root)).not.toContain('SHARDS');
  expect(logsVariables(open)).toBeUndefined();
  expect(withoutStrays([{ a: '$(ANYTHING)' }], undefined)).toEqual([{ a: '$(ANYTHING)' }]);
});
