import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Cluster, createCluster, type Serving, serveCluster } from '@signalbox/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { customResourceDefinitions } from './crds.ts';

const call = promisify(execFile);
const kubectlIsThere = await call('kubectl', ['version', '--client']).then(
  () => true,
  () => {
    const message = 'kubectl is not installed: the tests that let it read and explain the definitions';
    if ((process.env['CI'] ?? '') !== '') throw new Error(`${message} cannot run`);
    process.stderr.write(`${message} are left out\n`);
    return false;
  },
);
let cluster: Cluster;
let serving: Serving;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-explain-'));
  cluster = await createCluster({ nodes: 0 });
  serving = await serveCluster(cluster, { port: 0, kubeconfig: join(folder, 'kubeconfig') });
  await cluster.apply(customResourceDefinitions());
});
afterAll(async () => {
  await serving.close();
  await cluster.close();
  await rm(folder, { recursive: true });
});

async function explained(...words: readonly string[]): Promise<string> {
  const argv = ['explain', ...words, '--kubeconfig', join(folder, 'kubeconfig'), '--cache-dir', join(folder, 'cache')];
  const { stdout } = await call('kubectl', argv);
  // It breaks lines where its page ends.
  return stdout.replaceAll(/\s+/g, ' ');
}

test.skipIf(!kubectlIsThere).each([
  ['prometheus', 'A Prometheus runs servers, in shards'],
  ['prometheus.spec.shards', 'How many StatefulSets share the targets. Default 1.'],
  ['prometheus.spec.thanos', 'A sidecar of Thanos. Has no effect.'],
  ['prometheus.spec.containers.image', 'The image to run'],
  ['smon.spec.endpoints.relabelings.sourceLabels', 'Labels whose values are joined and compared.'],
  ['podlogs.spec.pipelineStages.multiline', 'Joins several lines into one entry.'],
  ['grafanaagent.status.monitors', 'How many monitors and PodLogs its instances select.'],
  ['scrapeconfig.spec.keepDroppedTargets', 'Needs Prometheus 2.47.'],
])('kubectl explain %s', async (place, text) => {
  expect(await explained(place)).toContain(text);
});

test.skipIf(!kubectlIsThere)('the whole tree of a kind is printed', async () => {
  expect(await explained('prometheusagent', '--recursive')).toContain('remoteWrite');
});

test.skipIf(!kubectlIsThere)('kubectl apply takes every definition, with its copy in the annotation', async () => {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: customResourceDefinitions() });
  const argv = ['apply', '--kubeconfig', join(folder, 'kubeconfig'), '-f', '-'];
  const applying = call('kubectl', argv);
  applying.child.stdin?.end(text);
  const { stdout } = await applying;
  expect(stdout.trim().split('\n')).toHaveLength(customResourceDefinitions().length);
});
