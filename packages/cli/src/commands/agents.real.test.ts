/** Real agents discover, shard and ship, and are scaled while they do. As root, and as an ordinary user. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatGaps } from '../../../../tools/gaps/format.ts';
import { findGaps, type GapsReport } from '../../../../tools/gaps/gaps.ts';
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
import { everybody, isCi, parseVector, type RealUp, realUp } from '../testing/real-up.ts';

const agents = realAgents(process.env['PROMETHEUS'] ?? builtPeer('prometheus', process.env));
const cases = agents.flatMap((agent) => everybody.map((who) => [`${agent.agent} as ${who}`, { agent, who }] as const));

const targets = 240;
const replicas = 2;

let real: RealUp;
afterEach(() => real.end());

const gapsOf = async (range: string): Promise<GapsReport> =>
  findGaps(parseScrapes(await real.query(`${upOfTargets}${range}`), { replicaLabel: 'prometheus_replica' }));
const spread = async (agent: RealAgent) => spreadOf((await gapsOf(lastSeconds(agent))).targets);

/** For machines that have much else to do: alone the whole test takes a minute. */
const limits = { timeout: 180_000 };
const poll = { timeout: 40_000, interval: 1_000 };

const counted = async (promql: string) =>
  parseVector(await real.query(promql)).map(({ labels, value }) => [labels, value] as const);

describe.skipIf(agentMend !== '' && !isCi).each(cases)(`%s${agentMend}`, (name, { agent, who }) => {
  beforeEach(() => {
    real = realUp(who);
    expect(agentMend).toBe('');
  });

  test(
    'each target is scraped by one shard of each replica, before, while and after the shards are scaled',
    limits,
    async () => {
      const up = real.start('up', ...nodeOf(agent, real), '-f', agentManifests);
      await up.printed('export KUBECONFIG=');

      await expect.poll(() => spread(agent), poll).toEqual(evenly(targets, 3));
      // Each series is there once from each replica, and says from whom.
      expect(await counted('count by (site) (real_app)')).toEqual([[{ site: 'north' }, 40 * replicas]]);
      expect(await counted('count by (site) (signalbox_simulated_info)')).toEqual([
        [{ site: 'north' }, 200 * replicas],
      ]);
      const writers = await counted('count by (prometheus, prometheus_replica) (up)');
      expect(writers.map(([{ prometheus, prometheus_replica: pod }]) => `${prometheus} ${pod}`).toSorted()).toEqual(
        ['', '-shard-1', '-shard-2'].flatMap((shard) =>
          [0, 1].map((replica) => `monitoring/edge prom-agent-edge${shard}-${replica}`),
        ),
      );

      for (const shards of [4, 2]) {
        await real.kubectl('-n', 'monitoring', 'scale', 'prometheusagent', 'edge', `--replicas=${shards}`);
        await expect.poll(() => spread(agent), poll).toEqual(evenly(targets, shards));
      }
      const report = await gapsOf('[5m]');
      process.stdout.write(`${name}, 3 → 4 → 2 shards: ${formatGaps(report, { most: 5 })}`);
      expect(report.targets).toHaveLength(targets * replicas);
    },
  );
});
