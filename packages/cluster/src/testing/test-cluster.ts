import { SourceError } from '../api/codec/source.ts';
import { parseYamlDocuments } from '../api/codec/yaml.ts';
import type { KubeObject, New } from '../api/meta.ts';
import { seededRandom } from '../base/random.ts';
import { type PatientClient, patientClient } from '../client/patient-client.ts';
import { type AppliedObject, type Cluster, type ClusterOptions, createCluster } from '../cluster.ts';
import type { Problem } from '../runtime/component.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

export interface TestClusterOptions extends Omit<ClusterOptions, 'clock' | 'random' | 'report' | 'manifests'> {
  /** One seed, one history, byte for byte. */
  readonly seed?: string;
  /** Shared between clusters that are the same one before and after a crash. */
  readonly clock?: VirtualClock;
  /** What is there before any component runs: YAML, or objects. A controller of one's own finds its definitions served. */
  readonly manifests?: string | readonly New<KubeObject>[];
}

/** A whole cluster on a virtual clock: time stands still until `advance`. */
export interface TestCluster extends Cluster {
  readonly clock: VirtualClock;
  /** May do everything. Each call turns the clock until it has its answer, without letting time pass. */
  readonly client: PatientClient;
  /** What went wrong and was survived. A test that expects nothing to go wrong checks that it is empty. */
  readonly problems: readonly Problem[];
  /** Lets time pass and everything that falls due happen. */
  advance(deltaMs: number): Promise<void>;
  /**
   * Runs work of one's own to its end without letting time pass: what waits for a transport, a cache or another client
   * settles only while the clock turns. Calls of {@link client} and the methods here do so by themselves.
   */
  during<T>(work: Promise<T>): Promise<T>;
  applyYaml(text: string): Promise<readonly AppliedObject[]>;
}

export async function createTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { seed = 'signalbox', clock = createVirtualClock(), manifests = [], ...rest } = options;
  const problems: Problem[] = [];
  const during = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const watched = work.finally(() => {
      isDone = true;
    });
    // A rejection is handled below; without this it would count as unhandled while the clock turns.
    watched.catch(() => undefined);
    while (!isDone) await clock.settle();
    return watched;
  };
  const cluster = await during(
    createCluster({
      ...rest,
      clock,
      random: seededRandom(seed),
      report: (problem) => problems.push(problem),
      manifests: typeof manifests === 'string' ? objectsOf(manifests) : manifests,
    }),
  );
  return {
    ...cluster,
    client: patientClient(cluster.client, during),
    apply: (objects) => during(cluster.apply(objects)),
    clock,
    problems,
    advance: (deltaMs) => clock.advance(deltaMs),
    during,
    // What is wrong with the text is a rejection, too.
    applyYaml: (text) => during(Promise.resolve(text).then((given) => cluster.apply(objectsOf(given)))),
    close: () => during(cluster.close()),
  };
}

function objectsOf(text: string): readonly New<KubeObject>[] {
  return parseYamlDocuments(text, { source: 'test' }).map(({ value, line }) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new SourceError(
        { source: 'test', line, column: 1 },
        'is no object; a manifest has apiVersion, kind and metadata',
      );
    return value as New<KubeObject>;
  });
}
