import { expect, test } from 'vitest';
import type { LabelSet } from '../relabel/execute.ts';
import { type AgentAnswer, areConfirmed, toAgentAnswer } from './agents.ts';

const metrics = (prefix: string, seconds: string, good = 1): string =>
  [
    `# TYPE ${prefix}_successful gauge`,
    `${prefix}_successful ${good}`,
    `${prefix}_success_timestamp_seconds ${seconds}`,
    'up 1',
  ].join('\n');
const never = '0001-01-01T00:00:00Z';
const asked = { askedMs: 7, hashed: () => undefined };
const then = '2030-01-01T00:00:00.5Z';

test.each([
  [
    'Prometheus',
    'prometheus_config_last_reload',
    { data: { activeTargets: [{ lastScrape: then }, { lastScrape: never }] } },
  ],
  ['the Grafana Agent', 'agent_config_last_load', { data: [{ last_scrape: then }, { last_scrape: never }] }],
  [
    'vmagent',
    'vm_promscrape_config_last_reload',
    { data: { activeTargets: [{ lastScrape: then }, { lastScrape: '1970-01-01T00:00:00Z' }] } },
  ],
])('%s says what it has', (_, prefix, targets) => {
  expect(toAgentAnswer({ metrics: metrics(prefix, '1.893456e+09'), targets }, asked)).toEqual({
    askedMs: 7,
    loadedMs: 1_893_456_000_000,
    refuses: false,
    unscraped: 1,
    held: undefined,
  });
  expect(toAgentAnswer({ metrics: metrics(prefix, '1', 0), targets }, asked)?.refuses).toBe(true);
});

test('one that has never reloaded has read its configuration when it started', () => {
  const metrics = 'process_start_time_seconds 12\n';
  expect(toAgentAnswer({ metrics, targets: { data: [] } }, asked)?.loadedMs).toBe(12_000);
});

test('one that never says when it reads it shows its targets instead', () => {
  const [discovered, labels] = [
    { job: 'web', __address__: 'a:80' },
    { job: 'web', instance: 'a:80' },
  ];
  const target = { discoveredLabels: discovered, labels, scrapeUrl: 'http://a:80/metrics', health: 'up' };
  const targets = { data: { activeTargets: [{ ...target, lastScrape: then, lastSamplesScraped: 12 }] } };
  const hashed = ({ discovered: { __address__: text } }: { readonly discovered: LabelSet }) => text;
  expect(toAgentAnswer({ metrics: 'process_start_time_seconds 12\n', targets }, { ...asked, hashed })?.held).toEqual([
    {
      ...{ id: 'web http://a:80/metrics', text: 'a:80', job: 'web', labels },
      ...{ isScraped: true, isUp: true, samples: 12 },
    },
  ]);
});

test.each([undefined, null, 'no', {}, { data: 'x' }, { data: { activeTargets: [1] } }])(
  '%j is no answer',
  (targets) => {
    expect(toAgentAnswer({ metrics: '', targets }, asked)).toBeUndefined();
  },
);

const answer: AgentAnswer = { askedMs: 20_000, loadedMs: 12_000, refuses: false, unscraped: 0, held: undefined };

test.each<[string, readonly (AgentAnswer | undefined)[], boolean | undefined]>([
  ['all run from it and have scraped', [answer, answer], true],
  ['one cannot be asked', [answer, undefined], undefined],
  ['one has targets that it has not scraped', [answer, undefined, { ...answer, unscraped: 1 }], false],
  ['one refuses the configuration', [{ ...answer, refuses: true }], false],
  ['one has read it just now, and not taken over its targets', [{ ...answer, loadedMs: 15_000 }], false],
  ['one has not read it, or its clock is wrong', [{ ...answer, loadedMs: 9_000 }], undefined],
  ['one does not say when it has read it', [{ ...answer, loadedMs: undefined }], undefined],
])('%s', (_, answers, confirmed) => {
  expect(areConfirmed(answers, 10_000)).toBe(confirmed);
});
