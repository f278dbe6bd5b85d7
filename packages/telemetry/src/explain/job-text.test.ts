import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { RelabelRule } from '../relabel/rule.ts';
import { parseYaml, toYaml } from '../scrape/yaml.ts';
import { createJobReader, readJob, shardMark } from './job-text.ts';

const word = fc.oneof(
  fc.constantFrom(
    '$(SHARD)',
    '$(SHARD);|.+;.+',
    '0|1',
    '3',
    'null',
    'yes',
    '(web);true',
    'a: b',
    '- x',
    "it's",
    'one\ntwo',
  ),
  fc.string({ unit: fc.constantFrom(...'ab_-;().*+$|: \n#0'.split('')) }),
);
const rule = fc
  .record(
    {
      source_labels: fc.array(word, { minLength: 1, maxLength: 2 }),
      target_label: word,
      regex: word,
      modulus: fc.nat(),
      replacement: word,
      action: fc.constantFrom('keep', 'drop', 'hashmod'),
    },
    { requiredKeys: ['action'] },
  )
  .map((each) => each as RelabelRule);
const job = fc.record({
  job_name: word,
  scheme: word,
  params: fc.dictionary(word, fc.array(word, { maxLength: 2 }), { maxKeys: 2 }),
  kubernetes_sd_configs: fc.array(fc.record({ role: word, namespaces: fc.record({ names: fc.array(word) }) })),
  relabel_configs: fc.array(rule, { maxLength: 6 }),
  metric_relabel_configs: fc.array(rule, { maxLength: 2 }),
});

const shardOf = (shard: number, text: string): string => text.replaceAll('$(SHARD)', String(shard));

test('a job is read as its whole text is read, for each shard', () => {
  fc.assert(
    fc.property(job, fc.nat(3), (section, shard) => {
      const { name, section: members, common, own, rules } = readJob(toYaml(section));
      const whole = parseYaml(toYaml(section).replaceAll('$(SHARD)', shardMark)) as typeof section;
      const { relabel_configs, ...others } = whole;
      expect(name).toBe(others.job_name);
      expect({ relabel_configs: [], ...members }).toEqual({ relabel_configs: [], ...others });
      expect(rules).toEqual(relabel_configs);
      expect([...common, ...own(shard)]).toEqual(
        relabel_configs.map((each) =>
          JSON.parse(shardOf(shard, JSON.stringify(each).replaceAll(shardMark, '$(SHARD)'))),
        ),
      );
    }),
    { numRuns: 200 * inject('thoroughness') },
  );
});

test('jobs that differ only in how shards share their targets begin alike, and all others do not', () => {
  const at = (modulus: number, regex = 'web'): string =>
    toYaml({
      job_name: 'a',
      relabel_configs: [
        { source_labels: ['app'], regex, action: 'keep' },
        { target_label: 'shard', replacement: '$(SHARD)' },
        { source_labels: ['__address__'], target_label: 'hash', modulus, action: 'hashmod' },
      ],
      metric_relabel_configs: [{ regex: 'x', action: 'labeldrop' }],
    });
  expect(readJob(at(2)).head).toBe(readJob(at(3)).head);
  expect(readJob(at(2)).head).not.toBe(readJob(at(2, 'db')).head);
});

const tail = fc
  .array(rule, { maxLength: 3 })
  .map((rules) => [{ target_label: 'a', replacement: '$(SHARD)' }, ...rules]);

test('a job is read after another one as it is read alone', () => {
  const same = fc.tuple(job, tail, tail, fc.boolean()).map(([section, left, right, isOther]) => {
    const rules = section.relabel_configs;
    return [
      { ...section, relabel_configs: [...rules, ...left] },
      { ...section, relabel_configs: isOther ? right : [...rules, ...right] },
      { ...section, relabel_configs: rules },
    ];
  });
  fc.assert(
    fc.property(same, fc.nat(3), (sections, shard) => {
      const read = createJobReader();
      for (const section of [...sections, ...sections.toReversed()]) {
        const [{ own, ...found }, { own: ownAlone, ...alone }] = [read(toYaml(section)), readJob(toYaml(section))];
        expect(found).toEqual(alone);
        expect(own(shard)).toEqual(ownAlone(shard));
      }
    }),
    { numRuns: 50 * inject('thoroughness') },
  );
});
