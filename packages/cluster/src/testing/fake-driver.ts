import type { Pod } from '../api/generated/core-v1.ts';
import type { ContainerSeen, DriverEars, Machine, NodeDriver, StopTerms } from '../node/driver.ts';

/** A driver that does what it is told at once and writes it down. */
export interface FakeDriver extends NodeDriver {
  /** `start a/main`, in the order in which it was told. */
  readonly orders: readonly string[];
  /** Those of the agent, once it runs. */
  readonly ears: DriverEars | undefined;
  /** A container of its own accord: the agent sees it when it looks again. */
  ends(pod: string, container: string, end: { readonly exitCode: number; readonly atMs: number }): void;
}

const started = { restartCount: 0, startedMs: 0, imageId: 'i' };

export function createFakeDriver(name: string, nowMs: () => number): FakeDriver {
  const orders: string[] = [];
  let ears: DriverEars | undefined;
  const pods = new Map<string, Map<string, ContainerSeen>>();
  const stops = new Map<string, StopTerms>();
  const of = ({ metadata }: Pod): Map<string, ContainerSeen> => pods.get(metadata.name) ?? new Map();
  const told = (order: string, pod: Pod): void => void orders.push(`${order} ${pod.metadata.name}`);
  return {
    name,
    orders,
    get ears() {
      return ears;
    },
    listen(to) {
      ears = to;
    },
    join: ({ metadata }) => void orders.push(`join ${metadata.name}`),
    machine: () => machineOf(name),
    leave: ({ metadata }) => void orders.push(`leave ${metadata.name}`),
    adopt(pod) {
      told('adopt', pod);
      pods.set(pod.metadata.name, new Map());
    },
    status(pod) {
      const stopping = stops.get(pod.metadata.name);
      return { podIp: '10.9.0.1', containers: new Map(of(pod)), ...(stopping !== undefined && { stopping }) };
    },
    start(pod, containers) {
      for (const each of containers) {
        told(`start ${each.name}/${each.restartCount} of`, pod);
        of(pod).set(each.name, {
          is: 'running',
          id: `${name}://${each.name}`,
          ready: true,
          ...started,
          restartCount: each.restartCount,
        });
      }
    },
    stop(pod, terms) {
      told('stop', pod);
      stops.set(pod.metadata.name, terms);
      for (const [container, { is }] of of(pod))
        if (is === 'running') of(pod).set(container, { is: 'ended', ...started, endedMs: nowMs(), exitCode: 0 });
    },
    forget(pod) {
      told('forget', pod);
      pods.delete(pod.metadata.name);
    },
    async *logs(pod, { container }) {
      yield `${name} says ${pod.metadata.name}/${container}\n`;
    },
    usage: () => new Map([['main', { cpuMilli: 7, memoryBytes: 8 }]]),
    ends(pod, container, { exitCode, atMs }) {
      const seen = pods.get(pod)?.get(container);
      const { restartCount } = seen?.is === 'running' ? seen : started;
      pods
        .get(pod)
        ?.set(container, { is: 'ended', ...started, restartCount, startedMs: atMs, endedMs: atMs, exitCode });
    },
  };
}

function machineOf(driver: string): Machine {
  return {
    address: '192.168.0.7',
    capacity: { cpu: '2', memory: '4Gi', pods: '10' },
    info: {
      machineID: 'm',
      systemUUID: 's',
      bootID: 'b',
      kernelVersion: '6.1',
      osImage: 'fake',
      containerRuntimeVersion: `${driver}://1`,
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  };
}
