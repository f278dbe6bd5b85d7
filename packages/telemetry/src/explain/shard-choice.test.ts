import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { passage } from '../relabel/execute.ts';
import { constant, type RelabelRule } from '../relabel/rule.ts';
import { toYaml } from '../scrape/yaml.ts';
import { type Placement, placementRules, slotWay } from '../sharding/placement.ts';
import { readJob } from './job-text.ts';
import { shardChoice } from './shard-choice.ts';

const shardsMax = 4;
const owners = fc.array(fc.nat(shardsMax), { minLength: 8, maxLength: 8 });
const mapping = owners.map((each) => ({ shards: Math.max(...each) + 1, owners: each }));
const way = fc.oneof(
  fc.integer({ min: 1, max: 5 }).map((modulus) => ({ by: 'hashmod', modulus }) as const),
  mapping.map((each) => slotWay(each)),
);
const placement: fc.Arbitrary<Placement> = fc.oneof(fc.tuple(way), fc.tuple(way, way));
const active = fc
  .constantFrom('0', '0|1', '0|1|2', '1|3')
  .map((regex): readonly RelabelRule[] => [
    constant('__tmp_current_shard', '$(SHARD)'),
    { source_labels: ['__tmp_current_shard'], regex, action: 'keep' },
  ]);
const written = fc.record({
  placement,
  active: fc.oneof(active, fc.constant([])),
  takesWishes: fc.boolean(),
  source: fc.constantFrom('__address__', '__param_target'),
});
const tails = written.map((each) => [...each.active, ...placementRules(each.placement, each)]);

const label = fc.constantFrom('__address__', '__tmp_hash', '__tmp_current_shard', '__tmp_disable_sharding', 'a');
const text = fc.constantFrom('$(SHARD)', '$(SHARD);$(SHARD)', '0|1', '.+;.+', '(.*)', '$1', '2', '');
const anyRule: fc.Arbitrary<RelabelRule> = fc.oneof(
  fc.record({ target_label: label, replacement: text }),
  fc.record({ source_labels: fc.array(label, { maxLength: 2 }), target_label: label, regex: text, replacement: text }),
  fc.record({
    source_labels: fc.array(label, { maxLength: 3 }),
    regex: text,
    action: fc.constantFrom('keep', 'drop'),
  }),
  fc.record({
    source_labels: fc.tuple(label),
    target_label: label,
    modulus: fc.integer({ min: 1, max: 4 }),
    action: fc.constant('hashmod'),
  }),
  fc.record({ regex: fc.constantFrom('a', '__tmp_.*'), action: fc.constantFrom('labeldrop', 'labelkeep') }),
);
const addresses = fc.constantFrom('10.0.0.1:80', '10.0.0.2:80', '10.0.0.3:80', '1', '');
const target = fc.dictionary(label, addresses, { maxKeys: 4 });

function chosenAlike(rules: readonly RelabelRule[], targets: readonly Readonly<Record<string, string>>[]): void {
  const job = readJob(toYaml({ job_name: 'a', relabel_configs: rules }));
  for (const labels of targets)
    for (const shards of [0, 1, shardsMax]) {
      const passed = passage(labels, { given: {}, rules: job.common });
      if (passed === undefined) return;
      const all = Array.from({ length: shards }, (_, shard) => shard);
      expect(shardChoice(job.own, shards)(passed)).toEqual(all.filter((shard) => passed.isKept(job.own(shard))));
    }
}

test('of the rules that share targets, the shards are chosen whose own rules keep a target', () => {
  fc.assert(fc.property(tails, fc.array(target, { maxLength: 4 }), chosenAlike), {
    numRuns: 100 * inject('thoroughness'),
  });
});

test('the same holds of any rules', () => {
  const rules = fc.oneof(
    fc.array(anyRule, { maxLength: 5 }),
    fc.tuple(active, fc.array(anyRule)).map((each) => each.flat()),
  );
  fc.assert(fc.property(rules, fc.array(target, { maxLength: 3 }), chosenAlike), {
    numRuns: 200 * inject('thoroughness'),
  });
});
