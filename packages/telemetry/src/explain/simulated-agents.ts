import {
  controllerOf,
  driverAnnotation,
  endpointslices,
  freeze,
  type Informers,
  ingresses,
  type KubeObject,
  nodes,
  type Operation,
  type Outcome,
  type Platform,
  type Pod,
  pods,
  type ResourceType,
  resourceId,
  StatusError,
  services,
  statefulsets,
  toTimestamp,
} from '@signalbox/cluster';
import type { RootComponent } from '../operator/component.ts';
import { type AgentDoor, targetsPathOf } from '../sharding/agents.ts';
import { createCacheWorld } from '../world/cache-world.ts';
import type { World } from '../world/world.ts';
import { meta } from './discovery/meta-labels.ts';
import type { JobView, TargetView } from './explanation.ts';
import { jobViews } from './job.ts';
import { prospectOf } from './scraped.ts';

/*
 * Nothing runs in a simulated pod, so nobody answers there. What a simulated agent would say that it scrapes is what its rules
 * keep of what there is; how many samples a target has is written on the pod that it stands for.
 */

/** On a pod that is scraped: how many series it shows. */
const seriesAnnotation = 'signalbox.dev/series';
/** Every pod shows who it is, and since when it runs. */
const seriesOfAll = 2;

/** The platform, on which simulated agents of these components list their targets to whoever may ask them. */
export function withSimulatedAgents(platform: Platform, components: readonly RootComponent[]): Platform {
  const { transport, clock, informers } = platform;
  const latest = new Map<string, Scraped>();
  return {
    ...platform,
    transport: {
      watch: (operation, waiting) => transport.watch(operation, waiting),
      async perform(operation, waiting) {
        try {
          return await transport.perform(operation, waiting);
        } catch (error) {
          if (!isAskedOfPod(operation) || !isUnanswered(error)) throw error;
          await informers.sync(discovered, waiting);
          const caches = createCacheWorld(informers);
          const world = followed(caches.world, informers);
          const page = pageOf(operation, { world, components, nowMs: clock.nowMs(), latest });
          caches.close();
          if (page === undefined) throw error;
          return { code: 200, object: freeze(page as KubeObject), warnings: [] } satisfies Outcome;
        }
      },
    },
  };
}

type Asked = Operation & { readonly verb: 'get' };

function isAskedOfPod(operation: Operation): operation is Asked {
  return operation.verb === 'get' && operation.resource.resource === 'pods' && operation.subresource === 'proxy';
}

/** Who may not ask gets no answer here either. */
function isUnanswered(error: unknown): boolean {
  return error instanceof StatusError && error.code !== 401 && error.code !== 403 && error.code !== 404;
}

const discovered: readonly ResourceType[] = [pods, nodes, services, endpointslices, statefulsets];

/** Not everybody follows Ingresses. */
function followed(world: World, informers: Informers): World {
  const isThere = (type: ResourceType): boolean =>
    resourceId(type) !== resourceId(ingresses) || informers.has(ingresses);
  return { ...world, list: (type, namespace) => (isThere(type) ? world.list(type, namespace) : []) };
}

interface Around {
  readonly world: World;
  readonly components: readonly RootComponent[];
  readonly nowMs: number;
  /** By the uid of the root. */
  readonly latest: Map<string, Scraped>;
}

/** What all agents of a root scrape. */
interface Scraped {
  readonly atMs: number;
  readonly door: AgentDoor | undefined;
  /** The names of their StatefulSets. */
  readonly sets: readonly string[];
  readonly jobs: readonly JobView[];
}

/** All shards of a root are asked one after the other. */
const freshMs = 2_000;

/** Undefined: it is no agent of a simulated node, or is asked for something else. */
function pageOf({ name, namespace = '', below = '' }: Asked, around: Around): object | undefined {
  const { world, components, nowMs } = around;
  const [podName = ''] = name.replace(/^https?:/, '').split(':');
  const pod = world.get(pods, `${namespace}/${podName}`);
  if (pod?.status?.phase !== 'Running' || !isSimulated(pod, world)) return undefined;
  const set = world.get(statefulsets, `${namespace}/${controllerOf(pod)?.name ?? ''}`);
  const owner = set && controllerOf(set);
  const component = components.find(({ rootType }) => rootType.kind === owner?.kind);
  const root = component && world.get(component.rootType, `${namespace}/${owner?.name}`);
  if (component === undefined || root === undefined || set === undefined) return undefined;
  const { door, sets, jobs } = scrapedBy(component, root, around);
  if (door === undefined || below !== targetsPathOf(door)) return undefined;
  const shard = sets.indexOf(set.metadata.name);
  const listed = jobs.flatMap((job) =>
    job.targets.flatMap((target) => listing(target, { job: job.name, shard, world, nowMs })),
  );
  return { data: door.speaks === 'prometheus' ? { activeTargets: listed } : listed };
}

function scrapedBy(component: RootComponent, root: KubeObject, { world, nowMs, latest }: Around): Scraped {
  const known = latest.get(root.metadata.uid);
  if (known !== undefined && Math.abs(nowMs - known.atMs) < freshMs) return known;
  const { agentDoor: door, shards, collected, additional, objects } = component.build(root, world, { nowMs });
  const scraped: Scraped = {
    atMs: nowMs,
    door,
    sets: objects.flatMap(({ kind, metadata }) => (kind === 'StatefulSet' ? (metadata.name ?? []) : [])),
    jobs: [...collected, ...additional()]
      .filter(({ by }) => by.kind !== 'LogsInstance')
      // Of many monitors nearly everything is dropped by nearly all: what is dropped is not looked at further, and not held.
      .flatMap((each) => jobViews(each, { world, root, shards, prospectOf }))
      .map((job) => ({ ...job, targets: job.targets.filter(({ fate }) => fate.kept) })),
  };
  latest.clear();
  latest.set(root.metadata.uid, scraped);
  return scraped;
}

function isSimulated({ spec }: Pod, world: World): boolean {
  const node = world.get(nodes, spec.nodeName ?? '');
  return node !== undefined && (node.metadata.annotations?.[driverAnnotation] ?? 'simulated') === 'simulated';
}

interface Listing {
  readonly job: string;
  readonly shard: number;
  readonly world: World;
  readonly nowMs: number;
}

/** As vmagent lists it, which alone says how many samples there were. */
function listing({ discovered: labels, address, fate }: TargetView, { job, shard, world, nowMs }: Listing): object[] {
  if (!fate.kept || !fate.shards.includes(shard)) return [];
  const pod = world.get(pods, `${labels[`${meta}namespace`] ?? ''}/${labels[`${meta}pod_name`] ?? ''}`);
  return [
    {
      ...{ discoveredLabels: { job, ...labels }, labels: { job, ...fate.labels }, scrapePool: job, health: 'up' },
      ...{ scrapeUrl: `http://${address}`, lastScrape: toTimestamp(nowMs) },
      lastSamplesScraped: seriesOfAll + seriesOn(pod),
    },
  ];
}

function seriesOn(pod: Pod | undefined): number {
  const text = pod?.metadata.annotations?.[seriesAnnotation] ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}
