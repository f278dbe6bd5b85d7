/** The composition root of a node: the only file that knows every part of it. */
import { mkdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import {
  type Client,
  type Clock,
  createClient,
  createInformers,
  createNodeAgent,
  driverAnnotation,
  type FolderLock,
  type Informers,
  lockFolder,
  type New,
  type Node,
  nodes,
  type Platform,
  type Problem,
  pods,
  type Random,
  type Transport,
  within,
} from '@signalbox/cluster';
import { createInsideKeeper, type InsideKeeper } from './agent/inside-keeper.ts';
import { createStaticPods, type StaticPods } from './agent/static-pods.ts';
import { openDoors } from './doors/doors.ts';
import { type Addresses, createAddresses } from './driver/addresses.ts';
import { type MachineRead, machineOf, processesMaxOf, readMachine } from './driver/machine.ts';
import { createNetworkFeed, type NetworkFeed } from './driver/network-feed.ts';
import { createObjects, type Objects } from './driver/objects.ts';
import { createProcessDriver, driverName, type ProcessDriver } from './driver/process-driver.ts';
import { createTokens } from './driver/tokens.ts';
import type { Images } from './images/images.ts';
import { createMachineImages } from './images/machine-images.ts';
import type { FoundProgram } from './images/plan.ts';
import { parseImageRules } from './images/rules.ts';
import { defaultNetwork } from './inside/network/network.ts';
import { lacksOf, observeFacts } from './inside/preflight.ts';
import { type StartedInside, startInside } from './inside/start-inside.ts';
import { type Kubelet, openKubelet } from './kubelet/door.ts';
import { selfSigned } from './kubelet/self-signed.ts';
import type { NodeFacts, Resolver } from './pod/around.ts';
import type { EgressTarget } from './protocol/egress.ts';
import { nodePlaces } from './protocol/places.ts';
import { parseEgress } from './tables/egress.ts';

/** What a node of this machine is made of and may do. Everything of it is below `folder`. */
export interface NodeOptions {
  readonly name: string;
  readonly folder: string;
  /** As the node: `system:node:NAME` in the group `system:nodes`. */
  readonly transport: Transport;
  /** As the node's network, which looks at all services and pods; the same as `transport` where one user may do both. */
  readonly networkTransport: Transport;
  /** Where the API server listens, as this machine reaches it: pods are led there. */
  readonly api: { readonly host: string; readonly port: number };
  /** PEM: who signed the API server's certificate, and whose clients may ask the kubelet's door. */
  readonly authority: string;
  /** PEM: what the kubelet's door shows; undefined: one of its own, signed by nobody. */
  readonly serving: { readonly certificate: string; readonly key: string } | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  readonly podsMax: number;
  /** `PATTERN=PROGRAM`, before the table that is built in. */
  readonly images: readonly string[];
  /** A folder of OCI layouts and saved images. */
  readonly imagesFolder: string | undefined;
  /** `HOST[:PORT]` that pods may reach outside of the machine's clusters. */
  readonly egress: readonly string[];
  /** Real paths that pods may mount by hostPath. */
  readonly hostPaths: readonly string[];
  /** Manifests of static pods; undefined: none. */
  readonly staticPods: string | undefined;
  /** Our config reloader, which stands for the stock images of that name; undefined: it is not there. */
  readonly reloader: FoundProgram | undefined;
  /** How to start the process inside: the program and what comes before its own arguments. */
  readonly insideCommand: readonly [string, ...string[]];
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (problem: Problem) => void;
  /** Gives up starting; who runs is ended otherwise. */
  readonly signal: AbortSignal;
}

export interface RunningNode {
  /** Resolves when the node ended by itself, with the reason. */
  readonly failed: Promise<Error>;
  /** Lets go of the node: what runs goes on, for an agent that comes after. */
  leave(): Promise<void>;
  /** Ends all pods' processes and the process inside; nothing is left but logs and claims. */
  end(): Promise<void>;
}

const clusterDomain = 'cluster.local';
const nameserver = '169.254.20.10';

/** Resolves once the Node is registered and the process inside is there. Rejects with one line that names what is missing and the mend. */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { folder } = options;
  const isRoot = process.getuid?.() === 0;
  const lacks = lacksOf(await observeFacts({ isRoot }));
  if (lacks.length > 0) throw new Error(lacks.join('; '));
  // What cannot be read is told before anything is started.
  const targets = parseEgress(options.egress);
  const images = imagesOf(options);
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const lock = await takeFolder(folder);
  try {
    const { failed, leave, end } = await startAgent(options, { isRoot, targets, images });
    const thenRelease = (work: () => Promise<void>) => async (): Promise<void> => {
      try {
        await work();
      } finally {
        await lock.release();
      }
    };
    return { failed, leave: thenRelease(leave), end: thenRelease(end) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Two agents that each drive the same process inside would end what the other starts. */
async function takeFolder(folder: string): Promise<FolderLock> {
  try {
    return await lockFolder(folder);
  } catch (cause) {
    throw new Error(`cannot use the node’s folder ${folder}: ${(cause as Error).message}`, { cause });
  }
}

interface AgentParts extends Pick<Starting, 'images' | 'targets'> {
  readonly isRoot: boolean;
}

async function startAgent(options: NodeOptions, { isRoot, targets, images }: AgentParts): Promise<RunningNode> {
  const { folder, insideCommand, hostPaths, api } = options;
  const start = (): Promise<StartedInside> => startInside({ folder, command: insideCommand, isRoot, hostPaths });
  const first = await start();
  const doors = await openDoors({ folder: nodePlaces(folder).doors, api, egress: targets });
  const ending = new AbortController();
  const parts = createParts(options, { first, start, images, targets });
  const kubelet = await openDoor(options, parts);
  const running = runParts(options, { parts, kubelet, signal: ending.signal });
  // Whoever waits for it comes later than its failure may.
  running.catch(() => undefined);
  const leave = async (): Promise<void> => {
    ending.abort(new Error('the node agent ends'));
    await Promise.allSettled([running]);
    parts.objects.close();
    parts.own.close();
    parts.feed.close();
    await kubelet.close();
    await doors.close();
  };
  try {
    await registered(options, parts);
  } catch (error) {
    await leave();
    const inside = parts.keeper.inside();
    // What ran before goes on for the next agent; one that was made for this one has nothing to wait for.
    if (!first.isAdopted) await inside.end().catch(() => undefined);
    inside.close();
    throw error;
  }
  return {
    failed: running.then(
      () => new Promise<never>(() => undefined),
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    ),
    async leave() {
      await leave();
      parts.keeper.inside().close();
    },
    async end() {
      await leave();
      const inside = parts.keeper.inside();
      await inside.end();
      inside.close();
    },
  };
}

interface Parts {
  readonly client: Client;
  /** Of what concerns the node. */
  readonly own: Informers;
  readonly feed: NetworkFeed;
  readonly objects: Objects;
  readonly driver: ProcessDriver;
  readonly keeper: InsideKeeper;
  readonly statics: StaticPods | undefined;
}

interface Starting {
  readonly first: StartedInside;
  readonly start: () => Promise<StartedInside>;
  readonly images: Images;
  readonly targets: readonly EgressTarget[];
}

function createParts(options: NodeOptions, { first, start, images, targets }: Starting): Parts {
  const { name, transport, networkTransport, clock, random, folder, report } = options;
  const tell = (message: string, error?: unknown): void => report({ component: 'node', message, error });
  const nobody = { name: '', groups: [] };
  // Over HTTP the credentials say who asks.
  const client = createClient(transport, nobody);
  const own = createInformers({
    ...{ client, clock, random: random.fork('own'), report: tell },
    only: ({ resource }) => ownScope(resource, name),
  });
  const objects = createObjects({ client, clock, random: random.fork('objects'), report: tell });
  const machine = readMachine(folder);
  const driver = createProcessDriver({
    clock,
    random: random.fork('driver'),
    objects,
    tokens: createTokens({ client, clock, random: random.fork('tokens') }),
    images,
    addresses: ownAddresses(options, own),
    node: nodeFacts(options, machine),
    services: () => feed.services(),
    wantsStatic: (hash) => statics?.wants(hash) === true,
    machine: () => machineNow(options, machine, first.state.lacks),
    readLogs: () => {
      throw new Error('logs are read at the kubelet’s door');
    },
    report: tell,
  });
  const keeper = createInsideKeeper({
    ...{ first, start, driver, clock, random, report: tell },
    isThere: () => feed.again(),
  });
  const feed: NetworkFeed = createNetworkFeed({
    ...{ client: createClient(networkTransport, nobody), clock, random: random.fork('network'), report: tell },
    ...{ inside: keeper.inside, domain: clusterDomain, egress: targets },
    node: { name, address: defaultNetwork.bridge },
  });
  const statics =
    options.staticPods === undefined
      ? undefined
      : createStaticPods({
          ...{ folder: options.staticPods, nodeName: name, client, own, driver, clock, report: tell },
          hostIp: defaultNetwork.bridge,
        });
  return { client, own, feed, objects, driver, keeper, statics };
}

/** Who joins a cluster that gives nodes no part of the network does not wait for one for ever. */
const podCidrWithinMs = 2_000;

function ownAddresses({ name, clock }: NodeOptions, own: Informers): Addresses {
  const podCidr = (): string | undefined => (own.has(nodes) ? own.of(nodes).get(name)?.spec.podCIDR : undefined);
  const hasRange = (node: Node | undefined): boolean => (node?.spec.podCIDR ?? '') !== '';
  const { signal } = new AbortController();
  const work = (limited: AbortSignal): Promise<void> => own.until(nodes, name, { signal: limited, holds: hasRange });
  let known: Promise<void> | undefined;
  return createAddresses({
    podCidr,
    known() {
      known ??= within(podCidrWithinMs, { clock, signal, work }).catch(() => undefined);
      return known;
    },
  });
}

/** A node may look at what is its own, and at nothing else. */
function ownScope(
  resource: string,
  name: string,
): { readonly namespaces?: readonly string[]; readonly fieldSelector: string } | undefined {
  switch (resource) {
    case pods.resource:
      return { fieldSelector: `spec.nodeName=${name}` };
    case nodes.resource:
      return { fieldSelector: `metadata.name=${name}` };
    default:
      return undefined;
  }
}

function nodeFacts({ name }: NodeOptions, machine: MachineRead): NodeFacts {
  const { capacity } = machineOf(machine, { address: '', podsMax: 0, lacks: [], version: '' });
  return {
    name,
    hostname: hostname(),
    address: defaultNetwork.bridge,
    allocatable: capacity,
    clusterDomain,
    nameserver,
    resolver: resolverOf('/etc/resolv.conf'),
    processesMax: processesMaxOf(machine),
  };
}

function machineNow(
  { podsMax }: NodeOptions,
  machine: MachineRead,
  lacks: readonly string[],
): ReturnType<typeof machineOf> {
  return machineOf(machine, { address: defaultNetwork.bridge, podsMax, lacks, version: '1.0' });
}

function resolverOf(path: string): Resolver {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const valuesOf = (key: string): readonly string[] =>
    lines.filter(([first]) => first === key).flatMap(([, ...values]) => values);
  return { nameservers: valuesOf('nameserver'), searches: valuesOf('search'), options: valuesOf('options') };
}

async function openDoor(options: NodeOptions, { client, own, keeper }: Parts): Promise<Kubelet> {
  const { name, folder, clock, report, authority, serving } = options;
  return openKubelet({
    nodeName: name,
    inside: {
      state: () => keeper.inside().state(),
      exec: (...given) => keeper.inside().exec(...given),
      attach: (...given) => keeper.inside().attach(...given),
      dial: (...given) => keeper.inside().dial(...given),
      usage: () => keeper.inside().usage(),
    },
    pods: () => (own.has(pods) ? [...own.of(pods).values()] : []),
    places: nodePlaces(folder),
    client,
    tls: { authority, ...(serving ?? (await selfSigned(name, clock))) },
    clock,
    report,
  });
}

interface Running {
  readonly parts: Parts;
  readonly kubelet: Kubelet;
  readonly signal: AbortSignal;
}

/** Rejects when a part of it cannot go on. */
async function runParts(options: NodeOptions, { parts, kubelet, signal }: Running): Promise<void> {
  const { clock, random, transport, report } = options;
  const { driver, keeper, own, statics } = parts;
  const platform: Platform = { transport, informers: own, clock, random: random.fork('agent'), report };
  const agent = createNodeAgent(platform, { drivers: [driver], registers: [registration(options, kubelet)] });
  await Promise.all(
    [keeper.run({ signal }), agent.run({ signal }), statics?.run({ signal })].filter((each) => each !== undefined),
  );
}

function registration({ name, labels, taints }: NodeOptions, kubelet: Kubelet): New<Node> {
  const { architecture } = readMachine('/');
  const arch = { 'beta.kubernetes.io/arch': architecture, 'kubernetes.io/arch': architecture };
  const os = { 'beta.kubernetes.io/os': 'linux', 'kubernetes.io/os': 'linux' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { ...arch, ...os, 'kubernetes.io/hostname': name, ...labels },
      annotations: { [driverAnnotation]: driverName, 'signalbox.dev/kubelet': kubelet.url },
    },
    spec: taints.length === 0 ? {} : { taints },
  };
}

const registeredWithinMs = 60_000;
/** Who has pods of its own is a node without an API, too. */
const registeredSoonMs = 10_000;

/** Until the API shows the Node as ready, or why not. */
async function registered({ name, clock, report, signal: given }: NodeOptions, { own, statics }: Parts): Promise<void> {
  const limit = new AbortController();
  const withinMs = statics === undefined ? registeredWithinMs : registeredSoonMs;
  const late = `the node ${name} could not be registered within ${withinMs / 1_000} s`;
  const cancel = clock.after(withinMs, () => limit.abort(new Error(`${late}: see the lines above`)));
  const signal = AbortSignal.any([given, limit.signal]);
  try {
    await own.sync([nodes], { signal });
    const isReady = (node: Node | undefined): boolean =>
      node?.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    await own.until(nodes, name, { signal, holds: isReady });
  } catch (error) {
    if (statics === undefined || given.aborted || !limit.signal.aborted) throw error;
    report({ component: 'node', message: `${late}; its static pods run, and it goes on trying` });
  } finally {
    cancel();
  }
}

/** Programs of this machine, and images of the folder that has them. */
function imagesOf({ images, imagesFolder, reloader, folder }: NodeOptions): Images {
  const rules = parseImageRules(images.join('\n'));
  if (!rules.ok) throw new Error(rules.message);
  const { arch, env } = process;
  const isRoot = process.getuid?.() === 0;
  const cache = nodePlaces(folder).images;
  return createMachineImages({
    ...{ rules: rules.rules, path: env['PATH'] ?? usualPath, reloader },
    archives: imagesFolder === undefined ? undefined : { folder: imagesFolder, cache, isRoot, arch },
  });
}

const usualPath = '/usr/local/bin:/usr/bin:/bin';
