import type { KubeObject, ResourceType } from '@signalbox/cluster';
import { defaultComponents } from '@signalbox/telemetry';
import type { Connected } from './connect.ts';
import type { Io } from './io.ts';
import { listed } from './listed.ts';
import { discoveryTypes, typesOf } from './types.ts';

/** Everything in a cluster that the operator reads, makes, or that its agents discover. */
export interface ReadCluster {
  readonly types: readonly ResourceType[];
  readonly found: readonly KubeObject[];
}

export async function readCluster({ client }: Connected, io: Io): Promise<ReadCluster> {
  const components = defaultComponents();
  const owned = components.flatMap(({ owns }) => owns);
  const types = [...new Set([...typesOf(components), ...owned, ...discoveryTypes])];
  // What the operator itself does not act by is only for targets and their pods.
  const needed = new Set([...components.flatMap(({ rootType, reads }) => [rootType, ...reads]), ...owned]);
  const found = await Promise.all(
    types.map((type) => {
      const instead = needed.has(type) ? undefined : `what depends on ${type.resource} is not told`;
      return listed(client, type, { ...io, instead });
    }),
  );
  return { types, found: found.flat() };
}
