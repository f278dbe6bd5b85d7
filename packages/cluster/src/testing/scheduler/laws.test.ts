/**
 * The running scheduler, with an API server and all that happens to it, held to a plain reference: whatever it binds is allowed
 * by every rule at that moment, and whoever waits is allowed nowhere.
 */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { namespaces, nodes, pods, priorityclasses, services } from '../../api/generated/kinds.ts';
import { isStatusError } from '../../api/status.ts';
import type { Client } from '../../client/client.ts';
import type { Transport } from '../../client/transport.ts';
import { createScheduler } from '../../scheduler/loop.ts';
import { makeNode, makePod, type NodeParts, type PodParts } from '../makers.ts';
import { createTestPlane, type TestPlane } from '../plane.ts';
import { plainAnswer } from './reference.ts';
import type { PlainWorld } from './reference-facts.ts';
import { type Event, events, nodeParts, podParts } from './worlds.ts';

const selector = { app: 'x' };

/** Looks at every binding before the API does. What is on its way counts as there. */
function createJudge(): { between(inner: Transport): Transport; findings: string[]; judges(client: Client): void } {
  const findings: string[] = [];
  const underWay = new Map<string, string>();
  let asked: Client | undefined;
  return {
    findings,
    judges: (client) => {
      asked = client;
    },
    between: (inner) => ({
      ...inner,
      watch: (operation, waiting) => inner.watch(operation, waiting),
      async perform(operation, waiting) {
        if (asked === undefined || operation.verb !== 'create' || operation.subresource !== 'binding')
          return inner.perform(operation, waiting);
        const { target, metadata } = operation.body as unknown as Binding;
        const others = new Map(underWay);
        underWay.set(metadata.uid, target.name);
        const world = await lookAt(asked, others);
        const pod = world.waiting.find((each) => each.metadata.uid === metadata.uid);
        const reasons = pod && plainAnswer(pod, world.plain).reasons[target.name];
        if (reasons?.length !== 0) findings.push(`${metadata.name} is bound to ${target.name}: ${reasons?.join()}`);
        return inner.perform(operation, waiting);
      },
    }),
  };
}

interface Binding {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly target: { readonly name: string };
}

interface Look {
  readonly plain: PlainWorld;
  readonly waiting: readonly Pod[];
}

/** Everything that the rules look at, as the API has it; `underWay`: pods whose binding is not written yet. */
async function lookAt(client: Client, underWay: ReadonlyMap<string, string>): Promise<Look> {
  const { signal } = new AbortController();
  const [allNodes, allPods, allNamespaces] = await Promise.all([
    client.list(nodes, { signal }),
    client.list(pods, { signal }),
    client.list(namespaces, { signal }),
  ]);
  const now = allPods.items.map((pod): Pod => {
    const { metadata, spec } = pod;
    const nodeName = spec.nodeName ?? underWay.get(metadata.uid);
    return nodeName === undefined ? pod : { ...pod, spec: { ...spec, nodeName } };
  });
  return {
    plain: {
      nodes: allNodes.items,
      pods: now.filter(({ spec }) => spec.nodeName !== undefined),
      namespaces: Object.fromEntries(allNamespaces.items.map(({ metadata: { name, labels = {} } }) => [name, labels])),
      services: [selector],
    },
    waiting: now.filter(({ spec }) => spec.nodeName === undefined),
  };
}

async function start(judge: ReturnType<typeof createJudge>): Promise<TestPlane> {
  const plane = await createTestPlane({ between: judge.between });
  const { client, signal } = plane;
  const team = (name: string): object => ({ metadata: { name, labels: { team: name === 'other' ? 'red' : 'blue' } } });
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', spec: {}, ...team('other') } as never, {
    signal,
  });
  await client.patch(namespaces, { name: 'default', signal, patchType: 'merge', body: team('default') });
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's', namespace: 'default' } } as const;
  await client.create(services, { ...service, spec: { selector, ports: [{ port: 80 }] } } as never, { signal });
  const priority = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' } } as const;
  await client.create(priorityclasses, { ...priority, value: 10 }, { signal });
  judge.judges(client);
  plane.start(createScheduler(plane.platform));
  await plane.clock.settle();
  return plane;
}

async function setNode({ client, signal }: TestPlane, name: string, parts: NodeParts): Promise<void> {
  const { metadata, spec, status } = makeNode(name, parts);
  const { labels = {} } = metadata;
  await client.delete(nodes, { name, signal }).catch(unlessAbsent);
  const made = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec, status: { ...status } } as const;
  await client.create(nodes, made, { signal });
  // Nobody keeps the health of nodes here.
  const body = { spec: { taints: spec.taints ?? null } };
  await client.patch(nodes, { name, signal, patchType: 'merge', body });
}

/** Pods of several kinds in one turn, so that some are decided on while others are on their way. */
async function createPods(
  plane: TestPlane,
  { made, graceSeconds }: { readonly made: readonly Pod[]; readonly graceSeconds: number },
): Promise<void> {
  const { client, signal } = plane;
  await Promise.all(
    made.map(({ metadata: { name, namespace, labels }, spec }) => {
      const metadata = { name, namespace: namespace ?? '', ...(labels && { labels }) };
      const given = { ...spec, terminationGracePeriodSeconds: graceSeconds };
      return client
        .create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec: given, status: {} }, { signal })
        .catch(unlessRefused);
    }),
  );
}

function unlessAbsent(error: unknown): void {
  if (!isStatusError(error, 'NotFound')) throw error;
}

/** Some of the templates are none that an API server takes. */
function unlessRefused(error: unknown): void {
  if (!isStatusError(error, 'Invalid')) throw error;
}

async function play(plane: TestPlane, event: Event, templates: readonly PodParts[], step: number): Promise<void> {
  const { client, signal } = plane;
  // Some go at once, and some are still there for those who wait for their room.
  const graceSeconds = 30 * (step % 2);
  const template = (index: number): PodParts => templates[index % templates.length] ?? {};
  switch (event.do) {
    case 'place':
    case 'ask':
      return createPods(plane, {
        made: [0, 1, 2].map((more) => makePod(`p${step}-${more}`, template(event.template + more))),
        graceSeconds,
      });
    case 'press': {
      const parts = template(event.template);
      const spec = { ...parts.spec, priorityClassName: 'high' };
      return createPods(plane, { made: [makePod(`p${step}`, { ...parts, spec })], graceSeconds });
    }
    case 'leave':
      return client.delete(nodes, { name: `n${event.node % 4}`, signal }).then(() => undefined, unlessAbsent);
    case 'node':
      return setNode(plane, `n${event.node}`, event.parts);
    default:
      return changePod(plane, event);
  }
}

async function changePod(
  { client, signal, all }: TestPlane,
  event: Extract<Event, { readonly pod: number }>,
): Promise<void> {
  const there = await all(pods);
  const pod = there[event.pod % Math.max(1, there.length)];
  if (pod === undefined) return;
  const { name, namespace } = pod.metadata;
  if (event.do === 'relabel') {
    const body = { metadata: { labels: { app: 'z' } } };
    await client.patch(pods, { name, namespace, signal, patchType: 'merge', body });
  } else if (event.do === 'end') {
    const body = { status: { phase: 'Succeeded' } };
    await client.patch(pods, { name, namespace, signal, subresource: 'status', patchType: 'merge', body });
  } else await client.delete(pods, { name, namespace, signal, gracePeriodSeconds: 0 });
}

/** Nobody is on its way out any more, and everybody who waits has been tried. */
async function rest({ client, clock, signal, all }: TestPlane): Promise<void> {
  for (;;) {
    await clock.advance(restMs);
    const leaving = (await all(pods)).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    if (leaving.length === 0) return;
    for (const { metadata } of leaving) {
      const { name, namespace } = metadata;
      await client.delete(pods, { name, namespace, signal, gracePeriodSeconds: 0 });
    }
  }
}

/** Longer than every back-off, and much shorter than the time after which everybody is tried again for nothing. */
const restMs = 60_000;

test('what is bound is allowed by every rule, and whoever waits is allowed nowhere', async () => {
  const world = fc.record({
    nodes: fc.array(nodeParts, { minLength: 1, maxLength: 5 }),
    templates: fc.array(podParts, { minLength: 1, maxLength: 4 }),
    happening: events,
  });
  let bound = 0;
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const judge = createJudge();
      const plane = await start(judge);
      try {
        for (const [index, parts] of given.nodes.entries()) await setNode(plane, `n${index}`, parts);
        await plane.clock.settle();
        for (const [step, event] of given.happening.entries()) {
          await play(plane, event, given.templates, step);
          await plane.clock.settle();
          expect(judge.findings).toEqual([]);
        }
        await rest(plane);
        expect(judge.findings).toEqual([]);
        const { plain, waiting } = await lookAt(plane.client, new Map());
        for (const pod of waiting) {
          if (pod.status.phase === 'Succeeded') continue;
          const { totals } = plainAnswer(pod, plain);
          expect([pod.metadata.name, Object.keys(totals)]).toEqual([pod.metadata.name, []]);
        }
        bound += plain.pods.length;
        expect(plane.problems).toEqual([]);
      } finally {
        await plane.close();
      }
    }),
    { numRuns: 4 * inject('thoroughness') },
  );
  expect(bound).toBeGreaterThan(0);
}, 120_000);
