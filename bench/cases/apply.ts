/**
 * Server-side apply of a Deployment in process, each time with another image: what it takes to merge, to find who owns what, to
 * validate and to keep. Prints one line of JSON.
 */
import { createCluster, deployments } from '@signalbox/cluster';

const { signal } = new AbortController();
const rounds = 2_000;
const warmUp = 500;

const cluster = await createCluster({ nodes: 0 });
const place = { namespace: 'default', name: 'web', patchType: 'apply', fieldManager: 'bench', signal } as const;
const labels = { app: 'web' };

async function apply(round: number): Promise<void> {
  const containers = ['main', 'side'].map((name) => ({
    name,
    image: `example.com/${name}:${round}`,
    ports: [{ containerPort: 80, name: 'http' }],
    env: [{ name: 'ROUND', value: String(round) }],
    volumeMounts: [{ name: 'config', mountPath: '/etc/config' }],
  }));
  const spec = { containers, volumes: [{ name: 'config', emptyDir: {} }] };
  await cluster.client.patch(deployments, {
    ...place,
    body: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', labels },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
  });
}

try {
  for (let round = 0; round < warmUp; round++) await apply(round);
  const startMs = performance.now();
  for (let round = 0; round < rounds; round++) await apply(warmUp + round);
  process.stdout.write(`${JSON.stringify({ ms: (performance.now() - startMs) / rounds })}\n`);
} finally {
  await cluster.close();
}
