import { describe, expect, test } from 'vitest';
import type { JobView, MonitorExplanation, SelectorView, TargetView } from './explanation.ts';
import { asTold, checked, readTargets, toldTargets, unaskedNotes } from './health.ts';

const prometheus = JSON.stringify({
  status: 'success',
  data: {
    activeTargets: [
      {
        scrapePool: 'a',
        discoveredLabels: { __address__: '10.0.0.1:80' },
        health: 'down',
        lastError: 'connection refused',
      },
      { scrapePool: 'b', discoveredLabels: { __address__: '10.0.0.1:80' }, health: 'up', lastError: '' },
    ],
  },
});
const agent = JSON.stringify({
  status: 'success',
  data: [
    {
      instance: 'm/one',
      target_group: 'a',
      state: 'down',
      discovered_labels: { __address__: '10.0.0.1:80' },
      scrape_error: 'connection refused',
    },
  ],
});
const target: TargetView = {
  of: '',
  address: '10.0.0.1:80',
  isImagined: false,
  discovered: { __address__: '10.0.0.1:80' },
  fate: { kept: true, labels: {}, shards: [1] },
};
const pod = (shard: number) => ({ pod: `m/agent-${shard}`, shard, path: `/${shard}` });

test.each([
  ['Prometheus', prometheus],
  ['the Grafana Agent', agent],
])('%s tells how a target is', (_, text) => {
  const told = [0, 1].map((shard) => ({ agent: pod(shard), answer: shard === 1 ? readTargets(text) : [] }));
  expect(checked(target, { name: 'a' }, told).health).toEqual([
    { pod: 'm/agent-1', state: 'down', lastError: 'connection refused' },
  ]);
});

test('an agent that has not the target says so, and those that do not answer are told of once', () => {
  const told = [
    { agent: pod(1), answer: readTargets(prometheus) },
    { agent: pod(1), answer: 'no route' },
  ];
  expect(checked(target, { name: 'c' }, told).health?.map(({ state }) => state)).toEqual(['unknown']);
  expect(unaskedNotes(told)).toEqual(['1 of 2 agents cannot be asked how their targets are; m/agent-1: no route']);
  expect(unaskedNotes(told.slice(0, 1))).toEqual([]);
});

test('an agent of another shard that has it says so', () => {
  const told = [0, 1].map((shard) => ({ agent: pod(shard), answer: shard === 0 ? readTargets(prometheus) : [] }));
  expect(checked(target, { name: 'b' }, told).health).toEqual([
    { pod: 'm/agent-0', state: 'up', lastError: '', shard: 0 },
  ]);
});

test('a target that is dropped is asked about nowhere', () => {
  const dropped: TargetView = { ...target, fate: { kept: false, by: undefined, reason: '' } };
  expect(checked(dropped, { name: 'a' }, [{ agent: pod(1), answer: readTargets(prometheus) }])).toBe(dropped);
});

test('an answer that is none is an error', () => {
  expect(() => readTargets('<html>')).toThrow(SyntaxError);
  expect(readTargets('{}')).toEqual([]);
});

const page = (labels: object, job = 'far') =>
  JSON.stringify({
    status: 'success',
    data: {
      activeTargets: [
        {
          scrapePool: job,
          discoveredLabels: { __address__: '10.9.9.9:80', job, __param_token: 'sesame' },
          labels,
          health: 'up',
        },
      ],
    },
  });

test('targets that nobody could foretell are those that the agents have', () => {
  const told = [0, 1].map((shard) => ({ agent: pod(shard), answer: readTargets(page({ instance: '10.9.9.9:80' })) }));
  const job = { name: 'far', unknown: ['consul_sd_configs'], targets: [] };
  expect(toldTargets(job, [...told, { agent: pod(2), answer: 'refused' }])).toEqual([
    {
      of: '',
      address: '10.9.9.9:80',
      isImagined: false,
      discovered: { __address__: '10.9.9.9:80' },
      fate: { kept: true, labels: { instance: '10.9.9.9:80' }, shards: [0, 1] },
      health: [0, 1].map((shard) => ({ pod: `m/agent-${shard}`, state: 'up', lastError: '' })),
    },
  ]);
  expect(toldTargets({ ...job, name: 'other' }, told)).toEqual([]);
  expect(toldTargets({ ...job, unknown: [] }, told)).toEqual([]);
});

describe('a monitor whose targets cannot be foretold', () => {
  const ref = { kind: 'Prometheus', name: 'main' };
  const job: JobView = { name: 'far', shards: 2, looks: [], unknown: ['http_sd_configs'], targets: [] };
  const view: SelectorView = {
    root: ref,
    by: ref,
    field: '',
    namespacesField: '',
    misses: [],
    beyond: undefined,
    withheld: undefined,
    isLeftOut: false,
    problems: [],
    jobs: [job],
    agents: [pod(0)],
  };
  const unforetold: MonitorExplanation = {
    monitor: { kind: 'ScrapeConfig', name: 'far' },
    outcome: 'unknown',
    cause: 'its targets come from http_sd_configs',
    mend: 'ask',
    notes: [],
    selectors: [view],
  };
  test('is scraped when an agent has some', () => {
    const answer = readTargets(page({ instance: 'a' }));
    expect(asTold(unforetold, [{ agent: pod(0), answer }])).toMatchObject({
      outcome: 'scraped',
      cause: '',
      selectors: [{ jobs: [{ targets: [{ address: '10.9.9.9:80' }] }] }],
    });
  });
  test('is not when none has any', () => {
    const { outcome, mend } = asTold(unforetold, [{ agent: pod(0), answer: [] }]);
    expect([outcome, mend]).toEqual(['unknown', 'no agent has any: see their logs']);
  });
  test('stays open when none answers', () => {
    const { outcome, mend } = asTold(unforetold, [{ agent: pod(0), answer: 'refused' }]);
    expect([outcome, mend]).toEqual(['unknown', 'ask']);
  });
});

test('that simulated agents cannot be asked is said in a few words', () => {
  const answer = 'this server cannot open a stream into a pod of a simulated node (pods/proxy, node node-2)';
  expect(unaskedNotes([{ agent: pod(0), answer }])).toEqual([
    'the agents are simulated: how their targets are nobody can say',
  ]);
});
