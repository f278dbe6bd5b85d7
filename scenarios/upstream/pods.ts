import { nodes, type Pod, type PodSpec, poddisruptionbudgets, pods, priorityclasses } from '@signalbox/cluster';
import { podCondition } from '@signalbox/cluster/testing';
import { namespace, type Stage } from './stage.ts';

export interface PodParts {
  readonly app?: string;
  readonly namespace?: string;
  readonly requests?: Readonly<Record<string, string>>;
  readonly ports?: NonNullable<PodSpec['containers'][number]['ports']>;
  readonly finalizers?: readonly string[];
  readonly spec?: Partial<PodSpec>;
}

/** A template's spec of one container. */
export function podSpec({ requests = {}, ports = [], spec = {} }: PodParts): PodSpec {
  const resources = { requests, limits: requests };
  return { containers: [{ name: 'app', image: 'example/app:1', resources, ports }], ...spec };
}

/** Makes a pod, and lets the scheduler and its node look at it. */
export async function run({ client, advance }: Stage, name: string, parts: PodParts = {}): Promise<void> {
  const { app = name, finalizers = [] } = parts;
  const metadata = { name, namespace: parts.namespace ?? namespace, labels: { app }, finalizers };
  await client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec(parts) });
  await advance(3_000);
}

export const podNamed = ({ client }: Stage, name: string, within: string = namespace): Promise<Pod> =>
  client.get(pods, { namespace: within, name });

/** The node of a pod; empty while it has none. */
export async function placeOf(stage: Stage, name: string): Promise<string> {
  return (await podNamed(stage, name)).spec.nodeName ?? '';
}

/** Why a pod has no node. */
export async function whyPending(stage: Stage, name: string): Promise<string> {
  return podCondition(await podNamed(stage, name), 'PodScheduled')?.message ?? '';
}

export async function change({ client, advance }: Stage, node: string, body: object): Promise<void> {
  await client.patch(nodes, { name: node, patchType: 'merge', body });
  await advance(15_000);
}

export const labelled = (stage: Stage, node: string, labels: Readonly<Record<string, string | null>>): Promise<void> =>
  change(stage, node, { metadata: { labels } });

/** Something that a node has so much of, and nobody else knows. */
export async function stock({ client, advance }: Stage, node: string, amount: number): Promise<void> {
  const amounts = { [scarce]: String(amount) };
  const body = { status: { capacity: amounts, allocatable: amounts } };
  await client.patch(nodes, { name: node, patchType: 'merge', subresource: 'status', body });
  await advance(1_000);
}

export const scarce = 'example.com/scarce';
export const some = (amount: number): Readonly<Record<string, string>> => ({ [scarce]: String(amount) });

export async function priority({ client }: Stage, name: string, value: number): Promise<void> {
  await client.create(priorityclasses, {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
  });
}

export async function protect({ client, advance }: Stage, app: string): Promise<void> {
  await client.create(poddisruptionbudgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: app, namespace },
    spec: { minAvailable: '100%', selector: { matchLabels: { app } } },
  });
  await advance(2_000);
}
