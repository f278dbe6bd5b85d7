/**
 * Pods of one shape on N simulated nodes on the durable store: how many a second get their node, and how many are Running, with
 * everything that happens meanwhile. The shapes are those of upstream's own benchmark of its scheduler alone; `preemption` is its
 * PreemptionBasic, in which all that are measured preempt, and `preemption-async` its PreemptionAsync, in which ordinary pods are
 * measured beside others that preempt. Prints one line of JSON. Arguments: the shape, the number of nodes, the number of pods.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Cluster,
  type CreateComponent,
  createCluster,
  type KubeObject,
  type New,
  nodes,
  openLmdbBackend,
  type Pod,
  pods,
} from '@signalbox/cluster';
import { collectAsUp } from '../as-up.ts';

const { signal } = new AbortController();
const [, , shape = 'plain', nodeArgument = '5000', podArgument = '10000'] = process.argv;
const nodeCount = Number(nodeArgument);
const podCount = Number(podArgument);
const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));

const green = { color: 'green' };
const hostname = 'kubernetes.io/hostname';
const zone = 'topology.kubernetes.io/zone';
const zones = 10;
/** Pods of lower priority for each node, in the shapes of preemption: they take nine tenths of it, and three have to go for one that preempts. */
const lowPerNode = 4;
const cpuOf = { ordinary: '100m', low: '1800m', preemptor: '6' };
/** As often as in upstream's PreemptionAsync. */
const preemptorEveryMs = 200;

type Spec = Partial<Pod['spec']>;

const shapes: Readonly<Record<string, Spec>> = {
  plain: {},
  'anti-affinity': {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: hostname, labelSelector: { matchLabels: green } },
        ],
      },
    },
  },
  spread: {
    topologySpreadConstraints: [
      { topologyKey: zone, maxSkew: 5, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: green } },
    ],
  },
  preemption: { priorityClassName: 'high' },
  'preemption-async': {},
};

/** As the controller of a DaemonSet pins its pods. */
function pinned(index: number): Spec {
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [`node-${index % nodeCount}`] }] };
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
  };
}

function pod(name: string, { cpu, spec }: { readonly cpu: string; readonly spec: Spec }): New<Pod> {
  const container = { name: 'main', image: 'example/app:1', resources: { requests: { cpu, memory: '500Mi' } } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name, labels: green },
    spec: { containers: [container], terminationGracePeriodSeconds: 1, ...spec },
  };
}

/** A figure that does not come is a failure with words, not a bench that never ends. */
const patienceMs = 600_000;

async function until(reached: () => boolean, what: string): Promise<void> {
  const lastMs = performance.now() + patienceMs;
  while (!reached()) {
    if (performance.now() > lastMs) throw new Error(`${what}: not within ${patienceMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Many at a time, as a busy client does. */
async function createAll(cluster: Cluster, made: readonly New<Pod>[]): Promise<void> {
  const waiting = [...made];
  const one = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      await cluster.client.create(pods, next, { signal });
  };
  await Promise.all(Array.from({ length: 64 }, one));
}

/** Whose names have been seen, and since when there are as many as wanted: whoever polls comes late on a busy loop. */
function createTally(wanted: number): {
  readonly names: Set<string>;
  fullMs(): number | undefined;
  add(name: string): void;
} {
  const names = new Set<string>();
  let fullMs: number | undefined;
  return {
    names,
    fullMs: () => fullMs,
    add(name) {
      names.add(name);
      if (names.size === wanted) fullMs ??= performance.now();
    },
  };
}

const isPreemption = shape.startsWith('preemption');
const lowCount = isPreemption ? nodeCount * lowPerNode : 0;
const bound = createTally(podCount);
const preemptors = createTally(Number.POSITIVE_INFINITY);
const running = createTally(podCount);
const lowRunning = createTally(lowCount);
const ready = createTally(nodeCount);
let cpuWhenBound: NodeJS.CpuUsage | undefined;

const looker: CreateComponent = ({ informers }) => ({
  name: 'looker',
  async run(options) {
    await informers.sync([pods, nodes], options);
    informers.listen(pods, ({ type, object: { metadata, spec, status } }) => {
      if (type === 'deleted') return;
      const isMeasured = metadata.name.startsWith('measured-');
      const isBound = (spec.nodeName ?? '') !== '';
      if (isMeasured && isBound) bound.add(metadata.name);
      if (isBound && metadata.name.startsWith('preemptor-')) preemptors.add(metadata.name);
      if (isMeasured && bound.fullMs() !== undefined) cpuWhenBound ??= process.cpuUsage();
      if (status.phase === 'Running') (isMeasured ? running : lowRunning).add(metadata.name);
    });
    informers.listen(nodes, ({ object: { metadata, spec, status } }) => {
      const isReady = status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
      if (isReady && (spec.taints ?? []).length === 0) ready.add(metadata.name);
    });
    // A part that ends by itself is started again after a pause, and hears nothing meanwhile.
    await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve(), { once: true }));
  },
});

/** One after the other, until nobody wants any more. */
async function preemptNowAndThen(cluster: Cluster, isOver: () => boolean): Promise<void> {
  for (let index = 0; !isOver(); index++) {
    const made = pod(`preemptor-${index}`, { cpu: cpuOf.preemptor, spec: { priorityClassName: 'high' } });
    await cluster.client.create(pods, made, { signal });
    await new Promise((resolve) => setTimeout(resolve, preemptorEveryMs));
  }
}

async function measure(cluster: Cluster): Promise<object> {
  const cpu = shape === 'preemption' ? cpuOf.preemptor : cpuOf.ordinary;
  const made = Array.from({ length: podCount }, (_, index) =>
    pod(`measured-${index}`, { cpu, spec: shape === 'daemons' ? pinned(index) : (shapes[shape] ?? {}) }),
  );
  const startMs = performance.now();
  const before = process.cpuUsage();
  const created = createAll(cluster, made);
  const preempted =
    shape === 'preemption-async' ? preemptNowAndThen(cluster, () => running.fullMs() !== undefined) : undefined;
  await until(() => bound.fullMs() !== undefined && running.fullMs() !== undefined, 'all measured pods run');
  const boundMs = (bound.fullMs() ?? 0) - startMs;
  const runningMs = (running.fullMs() ?? 0) - startMs;
  const { user, system } = cpuWhenBound ?? before;
  const used = { user: user - before.user, system: system - before.system };
  const preemptorsBound = preemptors.names.size;
  await Promise.all([created, preempted]);
  return {
    'bound pods/s': (podCount / boundMs) * 1000,
    'running pods/s': (podCount / runningMs) * 1000,
    // What a busy machine leaves as it is: both threads' time until all were bound.
    'CPU ms per bound pod': (used.user + used.system) / 1000 / podCount,
    ...(preempted !== undefined && { 'preemptors bound': preemptorsBound }),
    rssMb: process.memoryUsage().rss / 2 ** 20,
  };
}

const stopCollecting = collectAsUp();
const cluster = await createCluster({
  backend: await openLmdbBackend({ path: folder }),
  nodes: 0,
  components: [looker],
});
try {
  await Promise.all(
    Array.from({ length: nodeCount }, (_, index) => {
      const metadata = { name: `node-${index}`, labels: { [zone]: `zone-${index % zones}` } };
      return cluster.client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata, spec: {} }, { signal });
    }),
  );
  await until(() => ready.fullMs() !== undefined, 'all nodes are ready');
  if (isPreemption) {
    await cluster.apply([
      {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'high' },
        value: 10,
      } as New<KubeObject>,
    ]);
    // As in upstream's benchmark they go at once.
    const low = Array.from({ length: lowCount }, (_, index) =>
      pod(`low-${index}`, { cpu: cpuOf.low, spec: { terminationGracePeriodSeconds: 0 } }),
    );
    await createAll(cluster, low);
    await until(() => lowRunning.fullMs() !== undefined, 'all lesser pods run');
  }
  process.stdout.write(`${JSON.stringify(await measure(cluster))}\n`);
} finally {
  stopCollecting();
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
}
