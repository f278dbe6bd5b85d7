/**
 * One node's label changes among N nodes and M DaemonSets that all of them turn on, on the durable store: from the change until
 * every one of them has made its pod there, or has let it go; and until each of them says so. A label that none of them looks at
 * costs next to nothing (see `label-change`). Prints one line of JSON: medians of CPU, which a busy machine leaves as it is.
 * Arguments: the number of nodes, the number of DaemonSets.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CreateComponent,
  createCluster,
  type DaemonSet,
  daemonsets,
  nodes,
  openLmdbBackend,
  pods,
} from '@signalbox/cluster';
import { collectAsUp } from '../as-up.ts';
import { cpuMs, median, numberedCollector, pause } from '../label-changes.ts';

const { signal } = new AbortController();
const count = Number(process.argv[2] ?? '5000');
const sets = Number(process.argv[3] ?? '50');
const changes = 20;
/** So many have the label to begin with, so that there are as many pods as nodes. */
const labelled = Math.floor(count / sets);
const label = 'example.com/collect';
const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const patienceMs = 300_000;

async function until(reached: () => boolean, what: string): Promise<void> {
  const lastMs = performance.now() + patienceMs;
  while (!reached()) {
    if (performance.now() > lastMs) throw new Error(`${what}: not within ${patienceMs / 1_000} s`);
    await pause(1);
  }
}

/** Told, not asked: whoever asks for fifty objects over and over measures himself. */
const wanted = new Map<string, string>();
const statuses = new Map<string, DaemonSet['status']>();

const looker: CreateComponent = ({ informers }) => ({
  name: 'looker',
  async run(options) {
    await informers.sync([pods, daemonsets], options);
    informers.listen(pods, ({ type, object: { metadata, spec } }) => {
      const target =
        spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]
          ?.matchFields?.[0]?.values?.[0];
      if (type === 'deleted' || metadata.deletionTimestamp !== undefined) wanted.delete(metadata.name);
      else if (target !== undefined) wanted.set(metadata.name, target);
    });
    informers.listen(daemonsets, ({ object: { metadata, status } }) => void statuses.set(metadata.name, status));
    await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve(), { once: true }));
  },
});

function podsMeantFor(name: string): number {
  let found = 0;
  for (const target of wanted.values()) if (target === name) found++;
  return found;
}

/** Whether each of them says that it has so many, all of them ready. */
function allSay(scheduled: number): boolean {
  if (statuses.size < sets) return false;
  for (const status of statuses.values()) {
    const { desiredNumberScheduled, currentNumberScheduled, numberReady } = status;
    if (desiredNumberScheduled !== scheduled || currentNumberScheduled !== scheduled || numberReady !== scheduled)
      return false;
  }
  return true;
}

interface Cost {
  readonly decidedMs: number;
  readonly decidedCpuMs: number;
  readonly saidCpuMs: number;
}

const stopCollecting = collectAsUp();
const cluster = await createCluster({
  backend: await openLmdbBackend({ path: folder }),
  nodes: count,
  components: [looker],
});

async function setLabel(name: string, value: 'yes' | null): Promise<void> {
  await cluster.client.patch(nodes, {
    name,
    signal,
    patchType: 'merge',
    body: { metadata: { labels: { [label]: value } } },
  });
}

/** `there`: how many pods of them the node has afterwards. */
async function changed(
  name: string,
  { value, there, scheduled }: { readonly value: 'yes' | null; readonly there: number; readonly scheduled: number },
): Promise<Cost> {
  // Nothing of the change before is under way any more.
  await pause(2_000);
  const [startMs, cpu] = [performance.now(), process.cpuUsage()];
  await setLabel(name, value);
  await until(() => podsMeantFor(name) === there, `${there} pods for ${name}`);
  const decided = { decidedMs: performance.now() - startMs, decidedCpuMs: cpuMs(cpu) };
  await until(() => allSay(scheduled), `all say ${scheduled}`);
  return { ...decided, saidCpuMs: cpuMs(cpu) };
}

try {
  const { items } = await cluster.client.list(nodes, { signal });
  const names = items.map(({ metadata }) => metadata.name);
  for (const name of names.slice(0, labelled)) await setLabel(name, 'yes');
  for (let number = 0; number < sets; number++)
    await cluster.apply([
      numberedCollector(number, { nodeSelector: { [label]: 'yes' }, pod: { terminationGracePeriodSeconds: 1 } }),
    ]);
  await until(() => allSay(labelled), 'all run');
  const come: Cost[] = [];
  const go: Cost[] = [];
  for (let change = 0; change < changes; change++) {
    const name = names[labelled + change] ?? '';
    come.push(await changed(name, { value: 'yes', there: sets, scheduled: labelled + 1 }));
    go.push(await changed(name, { value: null, there: 0, scheduled: labelled }));
  }
  const figures = {
    'come ms': median(come.map(({ decidedMs }) => decidedMs)),
    'come CPU ms': median(come.map(({ decidedCpuMs }) => decidedCpuMs)),
    'come and run CPU ms': median(come.map(({ saidCpuMs }) => saidCpuMs)),
    'go ms': median(go.map(({ decidedMs }) => decidedMs)),
    'go CPU ms': median(go.map(({ decidedCpuMs }) => decidedCpuMs)),
    'go and are gone CPU ms': median(go.map(({ saidCpuMs }) => saidCpuMs)),
    rssMb: process.memoryUsage().rss / 2 ** 20,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  stopCollecting();
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
}
