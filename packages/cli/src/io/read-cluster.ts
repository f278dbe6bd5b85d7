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
  const found = await Promise.all(types.map((type) => listed(client, type, io)));
  return { types, found: found.flat() };
}
