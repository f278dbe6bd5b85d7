/** Real agents discover, shard and ship, and are scaled while they do. As root, and as an ordinary user. */
import { chmodSync, constants, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatGaps } from '../../../../tools/gaps/format.ts';
import { findGaps, type GapsReport } from '../../../../tools/gaps/gaps.ts';
import { parseScrapes } from '../../../../tools/gaps/samples.ts';
import { builtPeer } from '../../../../tools/peers/built.ts';
import { repository } from '../testing/process.ts';
import { everybody, isCi, mendFor, parseVector, type RealUp, realUp } from '../testing/real-up.ts';

const manifests = fileURLToPath(new URL('../testing/agents/agents.yaml', import.meta.url));
/** Debian's has no Kubernetes discovery: only one that is named, or that `npm run peers` has built, can be the agent. */
const upstream = process.env['PROMETHEUS'] ?? builtPeer('prometheus', process.env);
/** Samples arrive so much later at most: Prometheus collects them for 5 s. */
const agents = [
  { agent: 'vmagent', program: join(repository, 'examples/real/vmagent-as-prometheus'), lateSeconds: 2 },
  ...(upstream === undefined ? [] : [{ agent: 'Prometheus', program: upstream, lateSeconds: 6 }]),
];
const cases = agents.flatMap((each) => everybody.map((who) => [`${each.agent} as ${who}`, { ...each, who }] as const));

const mend = mendFor({
  'victoria-metrics': '/usr/bin/vmagent',
  prometheus: '/usr/bin/prometheus',
  perl: '/usr/bin/perl',
});

const targets = 240;
const replicas = 2;

let real: RealUp;
afterEach(() => real.end());

const gaps = async (range: string): Promise<GapsReport> =>
  findGaps(parseScrapes(await real.query(`up{job="monitoring/apps"}${range}`), { replicaLabel: 'prometheus_replica' }));

interface Spread {
  readonly targets: number;
  readonly seen: number;
  readonly failed: number;
  readonly moved: number;
  readonly shards: readonly string[];
}

/** Of the last seconds that have arrived: each replica sees each target, by one shard. */
async function spread(lateSeconds: number): Promise<Spread> {
  const { targets: rows } = await gaps(`[5s] offset ${lateSeconds}s`);
  return {
    targets: new Set(rows.map(({ target }) => target)).size,
    seen: rows.length,
    failed: rows.reduce((sum, { failed }) => sum + failed, 0),
    moved: rows.filter(({ shards }) => shards.length > 1).length,
    shards: [...new Set(rows.flatMap(({ shards }) => shards))].toSorted(),
  };
}

const evenly = (shards: number): Spread => ({
  ...{ targets, seen: targets * replicas, failed: 0, moved: 0 },
  shards: Array.from({ length: shards }, (_, shard) => String(shard)),
});
/** For machines that have much else to do: alone the whole test takes a minute. */
const limits = { timeout: 180_000 };
const poll = { timeout: 40_000, interval: 1_000 };

const counted = async (promql: string) =>
  parseVector(await real.query(promql)).map(({ labels, value }) => [labels, value] as const);

describe.skipIf(mend !== '' && !isCi).each(cases)(`%s${mend}`, (name, { program, who, lateSeconds }) => {
  beforeEach(() => {
    real = realUp(who);
    expect(mend).toBe('');
  });

  test(
    'each target is scraped by one shard of each replica, before, while and after the shards are scaled',
    limits,
    async () => {
      const agent = program === upstream ? forOthers(program, real.cwd) : program;
      const images = ['perl=/usr/bin/perl', 'example/receiver=/usr/bin/prometheus', `prometheus/prometheus=${agent}`];
      const node = ['--real', '--node-name', 'box', ...images.flatMap((image) => ['--image', image])];
      const up = real.start('up', '--nodes', '4', '--port', '0', ...node, '-f', manifests);
      await up.printed('export KUBECONFIG=');

      await expect.poll(() => spread(lateSeconds), poll).toEqual(evenly(3));
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
        await expect.poll(() => spread(lateSeconds), poll).toEqual(evenly(shards));
      }
      const report = await gaps('[5m]');
      process.stdout.write(`${name}, 3 → 4 → 2 shards: ${formatGaps(report, { most: 5 })}`);
      expect(report.targets).toHaveLength(targets * replicas);
    },
  );
});

/** A copy that every user reaches: what is in a home may be its owner's alone. */
function forOthers(program: string, folder: string): string {
  const copy = join(folder, 'prometheus');
  copyFileSync(program, copy, constants.COPYFILE_FICLONE);
  chmodSync(copy, 0o755);
  return copy;
}
