/**
 * A real agent probes through a real exporter; shards follow the CPU that real agents use, and the samples that they take in. As
 * root, and as an ordinary user.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repository } from '../testing/process.ts';
import { everybody, isCi, mendFor, parseVector, type RealUp, realUp } from '../testing/real-up.ts';

const manifests = fileURLToPath(new URL('../testing/agents/load.yaml', import.meta.url));
const mend = mendFor({
  'victoria-metrics': '/usr/bin/vmagent',
  prometheus: '/usr/bin/prometheus',
  'prometheus-blackbox-exporter': '/usr/bin/prometheus-blackbox-exporter',
  perl: '/usr/bin/perl',
});
const agent = join(repository, 'examples/real/vmagent-as-prometheus');
const images = ['perl=/usr/bin/perl', 'example/receiver=/usr/bin/prometheus', `prometheus/prometheus=${agent}`];
/** Measures are taken every 15 s and looked at every 15 s; for machines that have much else to do. */
const limits = { timeout: 180_000 };
const poll = { timeout: 150_000, interval: 500 };

// Both at once: most of the time is waiting.
describe.skipIf(mend !== '' && !isCi).concurrent.each(everybody)(`as %s${mend}`, (who) => {
  let real: RealUp;
  beforeAll(async () => {
    real = realUp(who);
    expect(mend).toBe('');
    const node = ['--real', '--node-name', 'box', ...images.flatMap((image) => ['--image', image])];
    await real.start('up', '--nodes', '0', '--port', '0', ...node, '-f', manifests).printed('export KUBECONFIG=');
  });
  afterAll(() => real.end());

  const inMonitoring = (...argv: readonly string[]) => real.kubectl('-n', 'monitoring', ...argv);
  const shards = (root: string) => inMonitoring('get', 'prometheusagent', root, '-o', 'jsonpath={.spec.shards}');
  const agents = async (root: string) =>
    (await inMonitoring('get', 'pods', '-l', `app.kubernetes.io/instance=${root}`, '-o', 'name'))
      .trim()
      .split('\n')
      .toSorted();

  test('a page is probed through a blackbox exporter; what it says of the page arrives', limits, async ({ expect }) => {
    const arrived = async (): Promise<unknown> =>
      parseVector(await real.query('probe_success'))
        .map(({ labels: { job, instance, tier, namespace, site }, value }) => ({
          job,
          instance,
          tier,
          namespace,
          site,
          value,
        }))
        .toSorted((a, b) => String(a.instance).localeCompare(String(b.instance)));
    const both = { job: 'site', tier: 'front', namespace: 'monitoring', site: 'north' };
    await expect.poll(arrived, poll).toEqual([
      { ...both, instance: 'http://site.default.svc/', value: 1 },
      { ...both, instance: 'http://site.default.svc/gone', value: 0 },
    ]);
    const [code] = parseVector(await real.query('probe_http_status_code{instance=~".*/gone"}'));
    expect(code?.value).toBe(404);
  });

  test('shards are added while the agent burns CPU, and taken away when it has rest', limits, async ({ expect }) => {
    await expect.poll(() => shards('edge'), poll).toBe('2');
    await expect.poll(() => agents('edge'), poll).toEqual(['pod/prom-agent-edge-0', 'pod/prom-agent-edge-shard-1-0']);
    const events = await inMonitoring(
      'get',
      'events',
      '--field-selector=involvedObject.name=edge',
      '-o',
      'jsonpath={.items[?(@.reason=="SuccessfulRescale")].message}',
    );
    expect(events).toBe('New size: 2; reason: cpu resource utilization (percentage of request) above target');
    await real.kubectl('scale', 'deployment', 'load', '--replicas=0');
    await expect.poll(() => shards('edge'), poll).toBe('1');
    await expect.poll(() => agents('edge'), poll).toEqual(['pod/prom-agent-edge-0']);
  });

  test(
    'shards are added while the agents take in many samples, and taken away when there are few',
    limits,
    async ({ expect }) => {
      await expect.poll(() => shards('samples'), poll).toBe('2');
      await expect
        .poll(() => agents('samples'), poll)
        .toEqual(['pod/prom-agent-samples-0', 'pod/prom-agent-samples-shard-1-0']);
      const events = await inMonitoring(
        'get',
        'events',
        '--field-selector=involvedObject.name=samples',
        '-o',
        'jsonpath={.items[?(@.reason=="SuccessfulRescale")].message}',
      );
      expect(events).toBe('New size: 2; reason: pods metric prometheus_agent_samples_appended_total above target');
      await inMonitoring('delete', 'podmonitor', 'pages');
      await expect.poll(() => shards('samples'), poll).toBe('1');
      await expect.poll(() => agents('samples'), poll).toEqual(['pod/prom-agent-samples-0']);
    },
  );
});
