/**
 * What it costs to render many monitors, and to render one of them anew: a whole render in a process that has just started
 * and in one that has done it before, then one edited monitor after the other, from the write until the operator's Secret
 * is written. Prints one line of JSON. Arguments: monitors.
 */
import { gunzipSync } from 'node:zlib';
import { createCluster, type KubeObject, type New, type Secret, secrets } from '@signalbox/cluster';
import {
  createTelemetryOperator,
  customResourceDefinitions,
  defaultComponents,
  renderWorld,
  servicemonitors,
  worldOf,
} from '@signalbox/telemetry';
import { summaryOf } from '../figures.ts';

const { signal } = new AbortController();
const monitors = Number(process.argv[2] ?? '10000');
// What a Secret can hold is a limit for a root.
const monitorsPerRoot = 10_000;
const monitorsPerNamespace = 100;
const editsPerRoot = 20;

const roots = Array.from({ length: Math.ceil(monitors / monitorsPerRoot) }, (_, index) => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'Prometheus',
  metadata: { namespace: 'monitoring', name: `main-${index}` },
  spec: {
    shards: 4,
    serviceMonitorSelector: { matchLabels: { root: `main-${index}` } },
    serviceMonitorNamespaceSelector: {},
  },
}));

const namespaces = Array.from({ length: Math.ceil(monitors / monitorsPerNamespace) }, (_, index) => `team-${index}`);

const all = Array.from({ length: monitors }, (_, index) => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: {
    namespace: `team-${Math.floor(index / monitorsPerNamespace)}`,
    name: `web-${index}`,
    labels: { root: `main-${Math.floor(index / monitorsPerRoot)}` },
  },
  spec: { selector: { matchLabels: { app: `web-${index}` } }, endpoints: [{ port: 'http', interval: '30s' }] },
}));

function wholeRenderMs(): number {
  const world = worldOf(structuredClone([...roots, ...all]) as unknown as readonly KubeObject[]);
  const startMs = performance.now();
  const { findings } = renderWorld(world, { components: defaultComponents(), nowMs: 0 });
  const ms = performance.now() - startMs;
  if (findings.length > 0) throw new Error(`${findings.length} findings: ${findings[0]?.message}`);
  return ms;
}

const freshMs = wholeRenderMs();
const fullMs = wholeRenderMs();

async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const cluster = await createCluster({
  manifests: customResourceDefinitions(),
  components: [(platform) => createTelemetryOperator(platform, { components: defaultComponents() })],
  report: (problem) => void process.stderr.write(`${JSON.stringify(problem)}\n`),
});
try {
  await cluster.apply(
    ['monitoring', ...namespaces].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
  );
  await cluster.apply(all as readonly New<KubeObject>[]);
  await cluster.apply(roots as readonly New<KubeObject>[]);
  const cache = cluster.platform.informers.of(secrets);
  const written = (): Secret | undefined => cache.get('monitoring/prometheus-main-0');
  const first = await until(() =>
    jobsIn(textOf(written())) >= Math.min(monitors, monitorsPerRoot) ? written() : undefined,
  );
  // The operator then says on each monitor who has taken it.
  await atRest();
  const edits: number[] = [];
  const changed = { text: 0, secret: 0 };
  for (let edit = 0; edit < editsPerRoot; edit++) {
    const before = written();
    edits.push(await editMs(edit));
    changed.text = changedBytes(textOf(before), textOf(written()));
    changed.secret = changedBytes(zippedOf(before), zippedOf(written()));
    // What comes of it besides is done before the next one.
    await atRest();
  }
  const { median, most } = summaryOf(edits);
  const figures = {
    'full ms': fullMs,
    'full, fresh process ms': freshMs,
    'edit ms': median,
    'edit, slowest ms': most,
    'edit: changed bytes of text': changed.text,
    'edit: changed bytes of Secret': changed.secret,
    'KB of text': textOf(first).length / 1024,
    'KB of Secret': zippedOf(first).length / 1024,
    'peak MB': process.resourceUsage().maxRSS / 1024,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  await cluster.close();
}

function zippedOf(secret: Secret | undefined): Buffer {
  return Buffer.from(secret?.data?.['prometheus.yaml.gz'] ?? '', 'base64');
}

function textOf(secret: Secret | undefined): Buffer {
  const zipped = zippedOf(secret);
  return zipped.length === 0 ? zipped : gunzipSync(zipped);
}

function jobsIn(text: Buffer): number {
  return text.toString('utf8').split('job_name').length - 1;
}

/** Between what stays at the begin and at the end. */
function changedBytes(before: Buffer, after: Buffer): number {
  let start = 0;
  while (start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < after.length - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return after.length - start - end;
}

/** From the edit of a monitor until the caches show the Secret that came of it. */
async function editMs(edit: number): Promise<number> {
  const index = (edit * 479) % Math.min(monitors, monitorsPerRoot);
  const { namespace, name } = all[index]?.metadata ?? { namespace: '', name: '' };
  const ended = new Promise<number>((resolve) => {
    let isLive = false;
    const stop = cluster.platform.informers.listen(secrets, ({ object }) => {
      if (!isLive || object.metadata.name !== 'prometheus-main-0') return;
      isLive = false;
      setImmediate(() => stop());
      resolve(performance.now());
    });
    isLive = true;
  });
  const startMs = performance.now();
  const body = { spec: { endpoints: [{ port: 'http', interval: `${31 + edit}s` }] } };
  await cluster.client.patch(servicemonitors, { namespace, name, patchType: 'merge', body, signal });
  return (await ended) - startMs;
}

/** Nothing is written for a while. */
async function atRest(): Promise<void> {
  const revision = async (): Promise<string | undefined> =>
    (await cluster.client.list(secrets, { namespace: 'none', signal })).metadata.resourceVersion;
  for (let last = await revision(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const now = await revision();
    if (now === last) return;
    last = now;
  }
}
