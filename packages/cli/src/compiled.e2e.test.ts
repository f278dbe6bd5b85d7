/** What `up` runs from kept code does what it does when it was just compiled. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  configmaps,
  createClient,
  createHttpTransport,
  loadKubeconfig,
  systemClock,
  systemRandom,
} from '@signalbox/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCommand } from './testing/process.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-kept-'));
  writeFileSync(join(folder, 'webhook.json'), JSON.stringify(webhook));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** It is called by a library that is loaded when it is first needed. Nobody answers there. */
const webhook = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'nobody' },
  webhooks: [
    {
      name: 'nobody.example.com',
      clientConfig: { url: 'https://127.0.0.1:9/' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      objectSelector: { matchLabels: { is: 'asked-for' } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

const argv = ['up', '--memory', '--port', '0', '--nodes', '0', '--no-operator', '-f', 'webhook.json'];

/** What a start answers to a write that the webhook is about, after which something else is waited for. */
async function refusalOfUp(after: () => Promise<void>): Promise<unknown> {
  const up = startCommand(argv, { cwd: folder, env: { XDG_CACHE_HOME: folder } });
  try {
    await up.printed('The API is at');
    const path = join(folder, '.signalbox', 'memory.kubeconfig');
    const { connection } = await loadKubeconfig({ path, env: {}, clock: systemClock });
    const transport = createHttpTransport({ connection, clock: systemClock, random: systemRandom() });
    const object = {
      apiVersion: 'v1' as const,
      kind: 'ConfigMap' as const,
      metadata: { name: 'one', namespace: 'default', labels: { is: 'asked-for' } },
    };
    const { signal } = new AbortController();
    const refusal = await createClient(transport, { name: '', groups: [] })
      .create(configmaps, object, { signal })
      .catch((error: unknown) => error);
    await transport.close();
    await after();
    return refusal;
  } finally {
    up.child.kill('SIGTERM');
    await up.ended;
  }
}

async function untilKept(): Promise<void> {
  const kept = join(folder, 'signalbox', 'compiled');
  while (!existsSync(kept) || !readdirSync(kept).some((name) => name.endsWith('.bin'))) await sleep(100);
}

test('a webhook is called by the first start, which compiles, and by the second, which does not', async () => {
  const first = await refusalOfUp(untilKept);
  const second = await refusalOfUp(() => Promise.resolve());
  for (const refusal of [first, second]) expect(String(refusal)).toContain('connect: connection refused');
}, 60_000);
