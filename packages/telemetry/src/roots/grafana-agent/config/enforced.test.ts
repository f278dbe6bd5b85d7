import fc from 'fast-check';
import { expect, test } from 'vitest';
import { executeRelabelling } from '../../../relabel/execute.ts';
import type { RelabelConfig } from '../../../resources/fields.ts';
import { createLeaf } from '../../../scrape/leaf.ts';
import { metricRules } from './monitors/endpoint.ts';
import type { MetricsSettings } from './settings.ts';
import { metricsExpansion } from './variables.ts';

const settings: MetricsSettings = {
  shards: 1,
  placement: [{ by: 'hashmod', modulus: 1 }],
  overrideHonorLabels: false,
  overrideHonorTimestamps: false,
  ignoreNamespaceSelectors: false,
  denyFileAccess: false,
  enforcedNamespaceLabel: 'tenant',
  enforcedSampleLimit: undefined,
  enforcedTargetLimit: undefined,
  defaultInterval: '1m',
  apiServer: undefined,
  expansion: metricsExpansion,
};

function rulesOf(configs: readonly RelabelConfig[]) {
  const metadata = { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
  const leaf = createLeaf(
    { apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor', metadata },
    { lookup: () => ({ state: 'object missing' }), pathOf: () => '' },
    { missingFile: 'reject', expansion: metricsExpansion },
  );
  return { leaf, rules: metricRules(configs, { settings, leaf, at: 'rules' }) };
}

test.each<[string, RelabelConfig[], number]>([
  ['no rules need no last word', [], 0],
  [
    'what only keeps or drops series cannot change their labels',
    [{ sourceLabels: ['a'], regex: 'x', action: 'keep' }],
    1,
  ],
  ['a rule that names the label goes', [{ targetLabel: 'tenant', replacement: 'other' }], 0],
  ['any other gets the last word behind it', [{ sourceLabels: ['a'], targetLabel: 'b' }], 2],
])('%s', (_, configs, count) => expect(rulesOf(configs).rules).toHaveLength(count));

test('whatever rules a tenant writes, the enforced label says the namespace', () => {
  const label = fc.constantFrom('tenant', 'a', 'b', '$1', 'ten$1');
  const rule: fc.Arbitrary<RelabelConfig> = fc.record(
    {
      action: fc.constantFrom('replace', 'labelmap', 'labeldrop', 'labelkeep', 'lowercase', 'hashmod', 'keep'),
      sourceLabels: fc.array(fc.constantFrom('tenant', 'a'), { maxLength: 2 }),
      targetLabel: label,
      regex: fc.constantFrom('(.*)', '(ten)ant', 'tenant', '.*(ant)', 'a'),
      replacement: label,
      modulus: fc.constant(2),
    },
    { requiredKeys: ['action'] },
  );
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 4 }), (configs) => {
      const { leaf, rules } = rulesOf(configs);
      fc.pre(!leaf.isRejected);
      const after = executeRelabelling({ tenant: 'shop', a: 'tenant', b: 'x' }, rules);
      expect(after?.['tenant'] ?? 'shop').toBe('shop');
      if (after !== undefined) expect(after).toHaveProperty('tenant');
    }),
  );
});
