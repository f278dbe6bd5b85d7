import { expect, test } from 'vitest';
import { constant, keep, type RelabelRule } from '../relabel/rule.ts';
import { toYamlText } from '../scrape/yaml.ts';
import { hashedTexts, type ShardedJobs } from './hashed-text.ts';
import { firstMapping } from './mapping.ts';
import { type PlacementOptions, placementRules, slotWay } from './placement.ts';

const slots = slotWay(firstMapping({ slots: 16, shards: 2 }));

function jobs(rules: readonly RelabelRule[], options: PlacementOptions, hasPlacement = true): readonly ShardedJobs[] {
  const placed = hasPlacement ? placementRules([{ by: 'hashmod', modulus: 2 }, slots], options) : [];
  const section = { job_name: 'web', relabel_configs: [...rules, ...placed] };
  return [
    { names: ['web'], texts: [toYamlText(section)], ownRules: [new Map(rules.map((_, index) => [index, 'own']))] },
  ];
}

const target = { job: 'web', discovered: { __address__: 'a:80', __param_target: 'https://b' } };
const byAddress: PlacementOptions = { source: '__address__', takesWishes: true };

test('it is what the rules before the operator’s own leave of the address', () => {
  const moved: RelabelRule = { ...constant('__address__', 'c:80') };
  const hashing: RelabelRule = { source_labels: ['__address__'], target_label: 'n', modulus: 3, action: 'hashmod' };
  expect(hashedTexts(jobs([], byAddress))(target)).toBe('a:80');
  expect(hashedTexts(jobs([hashing, moved], byAddress))(target)).toBe('c:80');
  expect(hashedTexts(jobs([], { source: '__param_target', takesWishes: false }))(target)).toBe('https://b');
  expect(hashedTexts(jobs([constant('__tmp_hash', 'wished')], byAddress))(target)).toBe('wished');
});

test('there is none for targets that every shard scrapes, of jobs that nobody shares or knows', () => {
  const everywhere = constant('__tmp_disable_sharding', 'yes');
  expect(hashedTexts(jobs([everywhere], byAddress))(target)).toBeUndefined();
  expect(hashedTexts(jobs([everywhere], { ...byAddress, takesWishes: false }))(target)).toBe('a:80');
  expect(hashedTexts(jobs([], byAddress, false))(target)).toBeUndefined();
  expect(hashedTexts([])(target)).toBeUndefined();
});

test('what only says which shards scrape at all makes no difference', () => {
  const only = [constant('__tmp_current_shard', '$(SHARD)'), keep('__tmp_current_shard', '[01]')];
  const section = { job_name: 'web', relabel_configs: [...only, ...placementRules([slots], byAddress)] };
  expect(hashedTexts([{ names: ['web'], texts: [toYamlText(section)], ownRules: [new Map()] }])(target)).toBe('a:80');
});
