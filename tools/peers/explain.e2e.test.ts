/** What `explain` says of a cluster that is upstream's: the same as of ours, and that the rules of its scheduler are assumed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../packages/cli/src/run.ts';
import { createTestIo, type TestIo } from '../../packages/cli/src/testing/io.ts';
import { type ControlPlane, startControlPlane } from './plane/control-plane.ts';
import { type Fleet, startFleet } from './plane/fleet.ts';
import { findPrograms } from './plane/programs.ts';

const { programs, missing = '' } = findPrograms(process.env);
const folder = mkdtempSync(join(tmpdir(), 'signalbox-explain-'));
let plane: ControlPlane | undefined;
let fleet: Fleet | undefined;
let io: TestIo;

beforeAll(async () => {
  io = await createTestIo();
  if (programs === undefined) return;
  plane = await startControlPlane({ programs, folder });
  fleet = await startFleet({ connection: plane.connection, count: 2 });
}, 240_000);

afterAll(async () => {
  await fleet?.close();
  await plane?.close();
  io.stop();
  await io.remove();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: 'a:1', resources: { requests: { cpu: '1k' } } }] },
};
const spec = { replicas: 1, selector: { matchLabels: { app: 'a' } }, template };
const job = { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } };

/** Until it says so, or time is up. */
async function until(text: string, ...words: readonly string[]): Promise<void> {
  const endMs = performance.now() + 30_000;
  do await run(['explain', ...words, '--kubeconfig', plane?.kubeconfig ?? ''], io);
  while (!io.out().includes(text) && performance.now() < endMs);
  expect(io.out()).toContain(text);
}

test.skipIf(programs === undefined)(
  `a Deployment whose pod fits nowhere, and a CronJob ${missing}`,
  async () => {
    if (plane === undefined) throw new Error('it runs');
    const { requests } = plane;
    const create = async (path: string, object: object): Promise<void> => {
      const headers = { 'content-type': 'application/json' };
      const { code, text } = await requests.ask({ method: 'POST', path, headers, body: JSON.stringify(object) });
      expect(code, text).toBe(201);
    };
    await create('/apis/apps/v1/namespaces/default/deployments', {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
      spec,
    });
    await create('/apis/batch/v1/namespaces/default/cronjobs', {
      ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'night' } },
      spec: { schedule: '30 2 * * *', suspend: true, jobTemplate: job },
    });
    await until('1 pod waits for a node: 2 nodes: NodeResourcesFit: 1k cpu is more than the node has', 'deploy', 'web');
    await until('scheduler rules assumed to be the default ones', 'deploy', 'web');
    await until('✗ CronJob default/night is suspended', 'cj', 'night');
  },
  120_000,
);
