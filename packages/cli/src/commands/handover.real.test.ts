/** Real agents that share by slots are scaled: no target is lost for a moment, and none has two scrapers once that is over. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatGaps } from '../../../../tools/gaps/format.ts';
import { findGaps, type GapsReport, type TargetGaps } from '../../../../tools/gaps/gaps.ts';
import { parseScrapes } from '../../../../tools/gaps/samples.ts';
import { builtPeer } from '../../../../tools/peers/built.ts';
import {
  agentManifests,
  agentMend,
  evenly,
  lastSeconds,
  nodeOf,
  type RealAgent,
  realAgents,
  spreadOf,
  upOfTargets,
} from '../testing/real-agents.ts';
import { everybody, isCi, type RealUp, realUp } from '../testing/real-up.ts';

const agents = realAgents(process.env['PROMETHEUS'] ?? builtPeer('prometheus', process.env));
const targets = 200;
const intervalMs = 1_000;
/** A scrape is on time if it is late by so much. */
const toleranceMs = 200;

let real: RealUp;
afterEach(() => real.end());

const gapsOf = async (range: string): Promise<GapsReport> =>
  findGaps(parseScrapes(await real.query(`${upOfTargets}${range}`), { replicaLabel: 'prometheus_replica' }));
const spread = async (agent: RealAgent) => spreadOf((await gapsOf(lastSeconds(agent))).targets);

/** For machines that have much else to do: alone the whole test takes less than 100 s. */
const limits = { timeout: 300_000 };
const poll = { timeout: 120_000, interval: 500 };

/** 40 real and 160 simulated targets, every second, shared by slots; and the receiver scrapes itself as often. */
function manifests(): string {
  return readFileSync(agentManifests, 'utf8')
    .replace('replicas: 200', 'replicas: 160')
    .replace('interval: 2s', 'interval: 1s')
    .replace('scrapeInterval: 2s', 'scrapeInterval: 1s')
    .replace('{ name: edge,', '{ annotations: { signalbox.dev/sharding: slots }, name: edge,')
    .replace(
      'prometheus.yml: "global: {}"',
      `prometheus.yml: '{ global: { scrape_interval: 1s }, scrape_configs: [{ job_name: judge, static_configs: [{ targets: ["127.0.0.1:9090"] }] }] }'`,
    );
}

async function isResharding(): Promise<boolean> {
  const path = '{.status.conditions[?(@.type=="Resharding")].status}';
  return (
    (await real.kubectl('-n', 'monitoring', 'get', 'prometheusagent', 'edge', '-o', `jsonpath=${path}`)) === 'True'
  );
}

/** How much longer than an interval nobody looked at a target that nothing was done to: what the machine could not do. */
async function starvedMs(range: string): Promise<number> {
  const { data } = JSON.parse(await real.query(`up{job="judge"}${range}`)) as {
    readonly data: { readonly result: readonly { readonly values: readonly (readonly [number, string])[] }[] };
  };
  const times = (data.result[0]?.values ?? []).map(([seconds]) => seconds * 1_000);
  expect(times.length).toBeGreaterThan(10);
  const longest = Math.max(...times.slice(1).map((atMs, index) => atMs - (times[index] ?? atMs)));
  return Math.max(0, longest - intervalMs);
}

/** The longest gap, but for one target in twenty. */
function mostMs(rows: readonly TargetGaps[]): number {
  return rows.map(({ longestGap }) => longestGap.ms).toSorted((a, b) => a - b)[Math.floor(rows.length * 0.95)] ?? 0;
}

const who = everybody.at(-1) ?? 'an ordinary user';

describe.skipIf(agentMend !== '' && !isCi).each(agents)(`$agent${agentMend}`, (agent) => {
  beforeEach(() => {
    real = realUp(who);
    expect(agentMend).toBe('');
  });

  test('3 → 4 → 2 shards: no gap of more than two intervals, nothing double when it is over', limits, async () => {
    const folder = join(real.cwd, 'slots.yaml');
    writeFileSync(folder, manifests(), { mode: 0o644 });
    await real.start('up', ...nodeOf(agent, real), '-f', folder).printed('export KUBECONFIG=');
    await expect.poll(() => spread(agent), poll).toEqual(evenly(targets, 3));

    const startMs = Date.now();
    const handovers: { readonly fromMs: number; readonly toMs: number }[] = [];
    for (const shards of [4, 2]) {
      const fromMs = Date.now();
      await real.kubectl('-n', 'monitoring', 'scale', 'prometheusagent', 'edge', `--replicas=${shards}`);
      await expect.poll(isResharding, poll).toBe(true);
      await expect.poll(isResharding, poll).toBe(false);
      handovers.push({ fromMs, toMs: Date.now() });
      await expect.poll(() => spread(agent), poll).toEqual(evenly(targets, shards));
    }

    const range = `[${Math.ceil((Date.now() - startMs) / 1_000) + 3}s] offset ${agent.lateSeconds}s`;
    const report = await gapsOf(range);
    const starved = await starvedMs(range);
    const took = handovers.map(({ fromMs, toMs }) => `${((toMs - fromMs) / 1_000).toFixed(1)} s`).join(' and ');
    const change = Math.max(...report.targets.map(({ longestChange }) => longestChange?.ms ?? 0));
    const said = `longest from shard to shard ${change} ms; ${formatGaps(report, { most: 3 })}`;
    process.stdout.write(`${agent.agent}, slots, 3 → 4 → 2 shards in ${took}, starved ${starved} ms: ${said}`);
    expect(report.targets).toHaveLength(targets * 2);
    const [moved, others] = [
      report.targets.filter(({ shards }) => shards.length > 1),
      report.targets.filter(({ shards }) => shards.length === 1),
    ];
    // An agent that has too little of the machine leaves out scrapes of any target: those that moved are as well off as the others.
    const longestOfOthers = others[0]?.longestGap.ms ?? 0;
    const allowedMs = toleranceMs + Math.max(2 * intervalMs + starved, longestOfOthers);
    const changes = moved.flatMap(({ longestChange }) => longestChange ?? []);
    expect(changes.length).toBeGreaterThan(100);
    expect(changes.filter(({ ms }) => ms > allowedMs)).toEqual([]);
    expect(mostMs(moved)).toBeLessThanOrEqual(Math.max(allowedMs, mostMs(others) + intervalMs + toleranceMs));
    expect(moved.filter(({ longestGap }) => longestGap.after === undefined && longestGap.ms > allowedMs)).toEqual([]);
    const isInside = (atMs: number): boolean => handovers.some(({ fromMs, toMs }) => atMs >= fromMs && atMs <= toMs);
    const doubles = report.targets.flatMap((row) => row.doubles);
    expect(doubles.length).toBeGreaterThan(0);
    expect(doubles.filter((each) => !isInside(each.fromMs) || !isInside(each.toMs))).toEqual([]);
  });
});
