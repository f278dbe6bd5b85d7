import type { CustomResourceDefinition } from '../api/generated/apiextensions-v1.ts';
import { customresourcedefinitions } from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import { administrator } from '../api/system-identities.ts';
import { type Random, seededRandom } from '../base/random.ts';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import { createInformers } from '../client/informers.ts';
import type { Transport } from '../client/transport.ts';
import { builtinDefinitions } from '../resources/builtin.ts';
import type { Component, Platform, Problem } from '../runtime/component.ts';
import type { ServedResources } from '../runtime/served-resources.ts';
import { bootstrap } from '../server/housekeeping/bootstrap.ts';
import { type ApiServer, createApiServer } from '../server/server.ts';
import { createMemoryBackend } from '../store/backends/memory.ts';
import { createStore } from '../store/create.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** A real API server on a memory store and a virtual clock, for running components against. */
export interface TestPlane {
  readonly server: ApiServer;
  readonly clock: VirtualClock;
  readonly platform: Platform;
  readonly client: Client;
  readonly problems: readonly Problem[];
  readonly served: ServedResources;
  readonly signal: AbortSignal;
  /** Starts a component; {@link close} ends it. */
  start(component: Component): void;
  /** Everything there is of a resource; `[]` for one that is not served. */
  all<T extends KubeObject>(type: ResourceType<T>, namespace?: string): Promise<readonly T[]>;
  names(type: ResourceType, namespace?: string): Promise<readonly string[]>;
  /** Undefined when it does not exist. */
  find<T extends KubeObject>(type: ResourceType<T>, name: string, namespace?: string): Promise<T | undefined>;
  close(): Promise<void>;
}

export interface TestPlaneOptions {
  readonly random?: Random;
  /** Between the components and the API server. */
  readonly between?: (transport: Transport) => Transport;
}

export async function createTestPlane(options: TestPlaneOptions = {}): Promise<TestPlane> {
  const { random = seededRandom('plane'), between = (transport) => transport } = options;
  const clock = createVirtualClock();
  const store = await createStore({
    backend: createMemoryBackend(),
    clock,
    compaction: { revisionsMax: 1_000_000, ageMsMax: 3_600_000, bytesMax: 256 * 2 ** 20 },
    watcherBufferMax: 100_000,
  });
  const server = createApiServer({ store, definitions: builtinDefinitions, clock, random });
  const ending = new AbortController();
  const { signal } = ending;
  await bootstrap(server, { signal });
  const client = createClient(server, administrator.user);
  const problems: Problem[] = [];
  const transport = between(server);
  const informers = createInformers({
    client: createClient(transport, client.user),
    clock,
    random: random.fork('informers'),
    report: (message, error) => problems.push({ component: 'informers', message, error }),
  });
  const platform: Platform = { transport, informers, clock, random, report: (problem) => problems.push(problem) };
  await informers.sync([customresourcedefinitions], { signal });
  const runs: Promise<void>[] = [];
  const all: TestPlane['all'] = async (type, namespace) => (await client.list(type, { signal, namespace })).items;
  return {
    server,
    clock,
    platform,
    client,
    problems,
    signal,
    served: {
      resources: () =>
        server
          .describe()
          .filter(({ traits }) =>
            ['list', 'watch', 'delete'].every((verb) => traits.verbs.some((each) => each === verb)),
          )
          .map(({ definition }) => definition),
      onChange: (wake) => informers.listen<CustomResourceDefinition>(customresourcedefinitions, wake),
    },
    start(component) {
      runs.push(component.run({ signal }));
    },
    all,
    names: async (type, namespace) => (await all(type, namespace)).map(({ metadata }) => metadata.name),
    async find(type, name, namespace) {
      const items = await all(type, namespace);
      return items.find(({ metadata }) => metadata.name === name);
    },
    async close() {
      ending.abort(new Error('the test ends'));
      informers.close();
      await clock.settle();
      await Promise.all(runs);
      await server.close();
    },
  };
}
