import type { Client, DeleteOptions, KubeObject, Random, ResourceType } from '@signalbox/cluster';
import { pick } from '../manifests.ts';

export interface Doing {
  readonly client: Client;
  readonly random: Random;
  readonly signal: AbortSignal;
}

export interface RandomOperation {
  readonly name: string;
  readonly weight: number;
  /** Resolves with what it did, or undefined when there was nothing to do it to. Rejects with the API's refusal. */
  run(doing: Doing): Promise<string | undefined>;
}

/** Does something to any one of the objects of a resource. */
export async function toAny<T extends KubeObject>(
  type: ResourceType<T>,
  { client, random, signal }: Doing,
  act: (object: T) => Promise<unknown>,
): Promise<string | undefined> {
  const { items } = await client.list(type, { signal });
  const ours = items.filter(({ metadata }) => !(metadata.namespace ?? '').startsWith('kube-'));
  if (ours.length === 0) return undefined;
  const object = pick(random, ours);
  await act(object);
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

export function patchAny(
  type: ResourceType,
  doing: Doing,
  draw: (random: Random, object: KubeObject) => unknown,
): Promise<string | undefined> {
  const { client, random, signal } = doing;
  return toAny(type, doing, (object) => {
    const { namespace, name } = object.metadata;
    return client.patch(type, { namespace, name, signal, patchType: 'merge', body: draw(random, object) });
  });
}

export function deleteAny(
  type: ResourceType,
  doing: Doing,
  draw: (random: Random) => DeleteOptions,
): Promise<string | undefined> {
  const { client, random, signal } = doing;
  return toAny(type, doing, ({ metadata: { namespace, name } }) =>
    client.delete(type, { namespace, name, signal, ...draw(random) }),
  );
}

export function anyPolicy(random: Random): DeleteOptions {
  const policies = [
    {},
    ...(['Background', 'Foreground', 'Orphan'] as const).map((propagationPolicy) => ({ propagationPolicy })),
  ];
  return pick<DeleteOptions>(random, policies);
}
