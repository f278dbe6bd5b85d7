/** What somebody does on both sides, and what of it comes out differently. */
import {
  type Client,
  type KubeObject,
  type New,
  nodes,
  persistentvolumeclaims,
  pods,
  type ResourceType,
  sleep,
  systemClock,
} from '@signalbox/cluster';
import {
  csidrivers,
  persistentvolumes,
  storageclasses,
  volumeattachments,
  volumeattributesclasses,
} from '../../../packages/cluster/src/api/generated/kinds.ts';
import type { Side } from './sides.ts';
import { quiet } from './told.ts';

const { signal } = new AbortController();

const types: Readonly<Record<string, ResourceType>> = {
  CSIDriver: csidrivers,
  Node: nodes,
  PersistentVolume: persistentvolumes,
  PersistentVolumeClaim: persistentvolumeclaims,
  Pod: pods,
  StorageClass: storageclasses,
  VolumeAttributesClass: volumeattributesclasses,
} as Readonly<Record<string, unknown>> as Readonly<Record<string, ResourceType>>;

export type Does = (client: Client) => Promise<unknown>;
export type Step = readonly [what: string, ...does: readonly Does[]];

function typeOf(kind: string): ResourceType {
  const type = types[kind];
  if (type === undefined) throw new Error(`no story has a ${kind}`);
  return type;
}

function placeOf({ namespaced }: ResourceType): { readonly namespace?: string } {
  return namespaced ? { namespace: 'default' } : {};
}

export function put(...objects: readonly New<KubeObject>[]): Does {
  return async (client) => {
    for (const object of objects) await client.create(typeOf(object.kind), object, { signal });
  };
}

export function remove(kind: string, name: string, options: { readonly gracePeriodSeconds?: number } = {}): Does {
  const type = typeOf(kind);
  return (client) => client.delete(type, { name, ...placeOf(type), signal, ...options });
}

export function patch(kind: string, name: string, body: object): Does {
  const type = typeOf(kind);
  return (client) => client.patch(type, { name, patchType: 'merge', body, signal, ...placeOf(type) });
}

/** What the driver's attacher says of it. */
export function answer(of: string, node: string, status: object): Does {
  return async (client) => {
    const name = await attachmentOf(client, of, node);
    const body = { status };
    await client.patch(volumeattachments, { name, patchType: 'merge', subresource: 'status', body, signal });
  };
}

/** As an attacher does that has to be waited for. */
export function hold(of: string, node: string, finalizers: readonly string[]): Does {
  return async (client) => {
    const name = await attachmentOf(client, of, node);
    await client.patch(volumeattachments, { name, patchType: 'merge', body: { metadata: { finalizers } }, signal });
  };
}

export function removeAttachment(of: string, node: string): Does {
  return async (client) => client.delete(volumeattachments, { name: await attachmentOf(client, of, node), signal });
}

async function attachmentOf(client: Client, of: string, node: string): Promise<string> {
  const { items } = await client.list(volumeattachments, { signal });
  const found = items.find(({ spec }) => spec.source.persistentVolumeName === of && spec.nodeName === node);
  if (found === undefined) throw new Error(`${of} is not attached to ${node}`);
  return found.metadata.name;
}

/** As it is when nobody has heard of it for long. */
export function saysNothing(name: string): Does {
  return async (client) => {
    const { status } = await client.get(nodes, { name, signal });
    const conditions = (status.conditions ?? []).map((each) =>
      each.type === 'Ready' ? { ...each, status: 'Unknown' } : each,
    );
    const body = { status: { conditions } };
    await client.patch(nodes, { name, patchType: 'merge', subresource: 'status', body, signal });
  };
}

export function untilPhase(name: string, phase: string): Does {
  return async (client) => {
    const endMs = systemClock.nowMs() + 30_000;
    while (systemClock.nowMs() < endMs) {
      const { status } = await client.get(pods, { name, namespace: 'default', signal });
      if (status.phase === phase) return;
      await sleep(systemClock, 200, { signal });
    }
    throw new Error(`${name} is not ${phase}`);
  };
}

/** Lines that only one side has, at the step where they come up; those that are known are left out. */
export async function play(
  steps: readonly Step[],
  { sides, known = [] }: { readonly sides: readonly Side[]; readonly known?: readonly RegExp[] },
): Promise<readonly string[]> {
  const differences: string[] = [];
  const told = new Set<string>();
  for (const [what, ...does] of steps) {
    const [theirs = [], ours = []] = await Promise.all(
      sides.map(async ({ client }) => {
        for (const each of does) await each(client);
        return quiet(client);
      }),
    );
    const differing = [
      ...theirs.filter((line) => !ours.includes(line)).map((line) => `there: ${line}`),
      ...ours.filter((line) => !theirs.includes(line)).map((line) => `here:  ${line}`),
    ].filter((line) => !known.some((pattern) => pattern.test(line)) && !told.has(line));
    for (const line of differing) told.add(line);
    if (differing.length > 0) differences.push(`${what}:`, ...differing.map((line) => `  ${line}`));
  }
  return differences;
}
