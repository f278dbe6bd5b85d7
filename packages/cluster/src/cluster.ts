/** The composition root: the only file that knows every part of the plane. */

import type { Pod } from './api/generated/core-v1.ts';
import { customresourcedefinitions, nodes as nodesType } from './api/generated/kinds.ts';
import { isOfKind, type ResourceType } from './api/gvk.ts';
import type { KubeObject, New } from './api/meta.ts';
import type { User } from './api/operation.ts';
import { badRequest, isStatusError, StatusError } from './api/status.ts';
import { administrator, clusterOwner, controllerManager, type Identity } from './api/system-identities.ts';
import { assert } from './base/assert.ts';
import { type Clock, sleep, systemClock, toTimestamp } from './base/clock.ts';
import { createProcessMemory } from './base/process-memory.ts';
import { type Random, systemRandom } from './base/random.ts';
import { type Applied, applyObject, inInstallOrder, typeOfObject } from './client/apply.ts';
import type { Client } from './client/client.ts';
import { createClient, warned } from './client/create-client.ts';
import { createInformers } from './client/informers.ts';
import { type PatientClient, patientClient } from './client/patient-client.ts';
import type { Transport } from './client/transport.ts';
import type { SignCertificate } from './controllers/certificates/signing.ts';
import type { PublishedAuthority } from './controllers/serviceaccount/controller.ts';
import { ensureStandardStorageClass } from './controllers/volumes/storage-class.ts';
import { createNodeAgent } from './node/agent.ts';
import type { NodeAgentOptions } from './node/agent-state.ts';
import type { NodeDriver } from './node/driver.ts';
import { createSimulatedDriver, type SimulationOptions } from './node/drivers/simulated/driver.ts';
import { createMachines, type Machines } from './node/machines.ts';
import { metricsViews } from './node/metering/views.ts';
import { newNode } from './node/node-status.ts';
import { type PlanePart, planeParts } from './part-names.ts';
import { createParts, type PartsOptions } from './parts.ts';
import { builtinDefinitions } from './resources/builtin.ts';
import type { Platform, Problem } from './runtime/component.ts';
import { type HealthFacts, healthChecks, reportFailures } from './runtime/health.ts';
import { createPlaneFigures } from './runtime/plane-figures.ts';
import { afterBootstrap, createStartHooks, type StartHooks } from './runtime/start-hooks.ts';
import { type CreateComponent, createSupervisor, type GivenUp } from './runtime/supervisor.ts';
import type { SchedulerSettings } from './scheduler/configuration/configuration.ts';
import type { EventLimit } from './server/admission/event-rate-limit.ts';
import type { FurtherPlugin } from './server/admission/plugin-choice.ts';
import { storageProtectionName } from './server/admission/storage.ts';
import { createPassToServer } from './server/apis/server-passing.ts';
import type { AuditOptions } from './server/audit/auditor.ts';
import { type KnownToken, knownTokens } from './server/auth/authenticate.ts';
import { createTokenSigner, type TokenTerms } from './server/auth/token-signer.ts';
import type { Authorizer } from './server/context/authorizer.ts';
import type { LocalApi } from './server/context/local-api.ts';
import { type MemoryGate, openGate } from './server/context/memory-gate.ts';
import { loadAllExpressions } from './server/expressions.ts';
import { bootstrap } from './server/housekeeping/bootstrap.ts';
import { createMemoryGate, type MemoryGateOptions } from './server/memory/gate.ts';
import { type ApiServer, type ApiServerOptions, createApiServer } from './server/server.ts';
import { createHttpsServers } from './server/webhooks/https-servers.ts';
import { createMemoryBackend } from './store/backends/memory.ts';
import { type BackupFile, encodeBackup, toRecords } from './store/backup/format.ts';
import { createStore } from './store/create.ts';
import type { Backend, Store } from './store/store.ts';

export interface ClusterOptions {
  /** The default is the computer's clock; a virtual one lets hours pass in milliseconds. */
  readonly clock?: Clock;
  /** By what time limits of requests and webhooks go. The default is `clock`; one that stands still leaves people outside waiting. */
  readonly outsideClock?: Clock;
  /** A seeded one makes the whole plane repeatable. */
  readonly random?: Random;
  /** Where objects are kept. The default is memory. */
  readonly backend?: Backend;
  /**
   * What this process may hold of the machine's memory. Near it the past is forgotten, then what makes objects more or larger
   * is refused; deleting never is. The default sets no limit, because a process may hold more than a cluster.
   */
  readonly memoryLimitBytes?: number;
  /** Simulated nodes that exist from the start, `node-1` … `node-N`. The default is 3. */
  readonly nodes?: number;
  readonly fleet?: FleetOptions;
  /**
   * Objects that are there before any component runs: the definitions that a controller of one's own watches, what it finds
   * at its start. Rejects at the first that the API refuses.
   */
  readonly manifests?: readonly New<KubeObject>[];
  /** Definitions of custom resources whose rules a test has judged, so that a start need not. They are not applied by this. */
  readonly soundDefinitions?: readonly New<KubeObject>[];
  /** Groups of the API that something in this process answers for, e.g. a component below. They are there from the start. */
  readonly apis?: readonly LocalApi[];
  /** More parts to run on the plane, e.g. the telemetry operator. Each is made anew when it died. */
  readonly components?: readonly CreateComponent[];
  /** Told about what went wrong and was survived. The default says nothing. */
  readonly report?: (problem: Problem) => void;
  /**
   * Who signed the server's certificate: every namespace gets it as ConfigMap `kube-root-ca.crt`, and every pod mounts it,
   * with a token. Without one nobody could call the API from a pod, so none is given anything.
   */
  readonly certificateAuthority?: ClusterAuthority;
  /** What runs on the API. The default is all of it; a plane that lacks a part waits for somebody else to do its work. */
  readonly parts?: readonly PlanePart[];
  /** By which rules pods get their nodes: upstream's configuration, and plugins of one's own. Throws where it is wrong. */
  readonly scheduler?: SchedulerSettings | undefined;
  /** Where clients reach the API, as discovery tells them. */
  readonly serverAddress?: () => string;
  /** Rules of admission that are left out, by upstream's names, e.g. `ServiceAccount`. */
  readonly withoutAdmission?: readonly string[];
  /** Rules of admission that are on besides the usual ones: {@link choosePlugins}. */
  readonly furtherAdmission?: readonly FurtherPlugin[] | undefined;
  /** How many events may be written, where `EventRateLimit` is on. */
  readonly eventLimits?: readonly EventLimit[] | undefined;
  /** The IPv4 range of services. The default is 10.96.0.0/16. */
  readonly serviceCidr?: string;
  /** Who may what. The default is `rbac`: roles and bindings decide. What it refuses its own parts, they miss. */
  readonly authorizer?: Authorizer;
  /** Parts that act under a name of their own, and what they may do: a role for each, bound to its user. */
  readonly identities?: readonly Identity[];
  /** Bearer tokens that a TokenReview knows besides those of service accounts and the administrator's. */
  readonly tokens?: readonly KnownToken[] | undefined;
  /** What is written down of requests, by the parts of the plane as by others, and where. The default is nothing. */
  readonly audit?: AuditOptions;
  /** Stands between the parts of the plane and the API server: how a test lets requests fail. `client` goes past it. */
  readonly between?: (transport: Transport) => Transport;
  /** Stands around each part of the plane: how a test lets one die. */
  readonly around?: (create: CreateComponent) => CreateComponent;
}

export interface ClusterAuthority extends PublishedAuthority {
  /** The private key that signs tokens of service accounts, as PEM. Without one they end with the process. */
  readonly tokenKey?: () => string;
  /** What else is said of tokens: who issues them, for whom they are, and by which keys besides they are checked. */
  readonly tokens?: TokenTerms;
  /** The administrator's bearer token, so that a TokenReview knows it as the server's door does. */
  readonly administratorToken?: () => string;
  /** Signs what was approved of certificate requests; without it nobody does. */
  readonly signRequest?: SignCertificate;
  /** What the server shows to kubelets. Without it they let nobody in. */
  readonly kubeletClient?: () => { readonly cert: string; readonly key: string };
  /** What the server shows to other servers of the API. Without it they know of nobody who asks. */
  readonly proxyClient?: () => { readonly cert: string; readonly key: string };
}

export interface FleetOptions extends Omit<NodeAgentOptions, 'drivers'>, SimulationOptions {}

/** A whole control plane in this process. */
export interface Cluster {
  readonly api: ApiServer;
  /** May do everything. */
  readonly client: PatientClient;
  readonly platform: Platform;
  /** By which rules pods get their nodes, for who explains them. Undefined: the scheduler is none of its parts. */
  readonly scheduler: SchedulerSettings | undefined;
  /** Declares objects by server-side apply, what others need first. Rejects at the first that the API refuses. */
  apply(objects: readonly New<KubeObject>[]): Promise<readonly AppliedObject[]>;
  /** The resource of an object, also of custom ones; undefined when nothing serves it. */
  typeOf(object: { readonly apiVersion: string; readonly kind: string }): ResourceType | undefined;
  /** Everything as it is at one revision, gzipped, with these files beside it: what `restoreFolder` makes a data folder of. */
  backup(options: { readonly files: readonly BackupFile[] }): AsyncIterable<Buffer>;
  /** Resolves when a part of the plane died too often and was given up, never otherwise. The others go on. */
  readonly failed: Promise<GivenUp>;
  /** Ends all parts, then the store. What was acknowledged stays. */
  close(): Promise<void>;
}

export interface AppliedObject {
  readonly object: New<KubeObject>;
  readonly outcome: Applied;
  /** What the API warned about, e.g. unknown fields or deprecations. */
  readonly warnings: readonly string[];
}

const compaction = { revisionsMax: 100_000, ageMsMax: 5 * 60_000 };
/** What is kept of the past: at most this, and at most this part of what the process may hold. */
const historyBytesMax = 256 * 2 ** 20;
const historyPart = 1 / 8;
/** Bursts in process are published before any reader gets its turn; a reader must be able to hold the largest. */
const watcherBufferMax = 200_000;

export const adminUser: User = clusterOwner.user;

export async function createCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { clock = systemClock, random = systemRandom(), report = () => undefined } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const { backend = createMemoryBackend(), memoryLimitBytes = Infinity } = options;
  const bytesMax = Math.min(historyBytesMax, memoryLimitBytes * historyPart);
  const store = await createStore({
    backend,
    clock,
    compaction: { ...compaction, bytesMax },
    watcherBufferMax,
    failed: reportFailures({ clock, report }),
  });
  const gate = gateOf({ store, clock, limitBytes: memoryLimitBytes });
  const hooks = createStartHooks();
  let health = startingHealth;
  const callServer = createHttpsServers();
  const api = createApiServer({
    store,
    callServer,
    memory: gate,
    checks: (probe) => healthChecks(probe, { ...storeHealth(store), hooks: hooks.checks(), ...health() }),
    ...{ definitions: builtinDefinitions, clock, random: random.fork('server') },
    ...waysToNodes(() => machines),
    ...asGiven(options),
    report: (problem) => report({ component: 'apiserver', ...problem }),
    ...podsAccess(options),
  });
  await hooks.run(afterBootstrap, prepare(api, { clock, signal }));
  const client = patientClient(createClient(api, adminUser));
  const transport = options.between?.(api) ?? api;
  const informers = createInformers({
    client: createClient(transport, controllerManager.user),
    clock,
    random: random.fork('informers'),
    report: (message, error) => report({ component: 'informers', message, error }),
  });
  const platform: Platform = {
    transport,
    informers,
    clock,
    random: random.fork('platform'),
    report,
    figures: createPlaneFigures({ clock }),
  };
  const { machines, fleet } = wireNodes(api, { platform, options });
  await furnish(options, { client, api, signal });
  const supervisor = createSupervisor(componentsOf(options, { api, machines, fleet }), platform);
  health = () => ({ ...runningHealth(signal), unsynced: informers.unsynced(), parts: supervisor.states });
  const running = [supervisor.run({ signal }), writeRoles(api, { hooks, clock, report, signal })];

  return {
    ...{ api, client, platform, scheduler: schedulerOf(options) },
    apply: (objects) => applyAll(objects, { client, api, signal }),
    typeOf: (object) => typeOfObject(object, definitionsOf(api)),
    backup: ({ files }) => backupOf(store, { files, nowMs: clock.nowMs() }),
    failed: supervisor.failed,
    async close() {
      ending.abort(new Error('the cluster was closed'));
      gate.stop();
      informers.close();
      await Promise.all(running);
      await api.close();
      await callServer.close();
      await store.close();
    },
  };
}

function schedulerOf({ parts = planeParts, scheduler = {} }: ClusterOptions): SchedulerSettings | undefined {
  return parts.includes('scheduler') ? scheduler : undefined;
}

type PlaneHealth = Omit<HealthFacts, 'storeFailure' | 'hooks'>;

const startingHealth = (): PlaneHealth => ({ phase: 'starting', unsynced: [], parts: [] });
const runningHealth = ({ aborted }: AbortSignal): Pick<PlaneHealth, 'phase'> => ({
  phase: aborted ? 'ending' : 'running',
});
const storeHealth = ({ failure }: Pick<Store, 'failure'>): Pick<HealthFacts, 'storeFailure'> => ({
  storeFailure: failure?.message,
});

/** What is there before any part runs. At once: each waits for the disk. */
async function furnish(
  { parts = planeParts, nodes = 3, manifests = [] }: ClusterOptions,
  on: Parameters<typeof applyManifests>[1],
): Promise<void> {
  const { client, signal } = on;
  await Promise.all([
    parts.includes('persistentvolume-binder') ? ensureStandardStorageClass(client, { signal }) : undefined,
    createNodes(client, { count: nodes, signal }),
    applyManifests(manifests, on),
  ]);
}

/** The parts that run here, then those that somebody brings along. */
function componentsOf(options: ClusterOptions, on: Omit<PartsOptions, 'authority'>): readonly CreateComponent[] {
  const { parts = planeParts, components = [], around = (create) => create } = options;
  const { certificateAuthority: authority, scheduler } = options;
  return [...createParts(parts, { ...on, authority, scheduler }), ...components].map(around);
}

/** Later than the first answer of a start. */
const rolesAfterMs = 200;

interface RolesOptions {
  readonly hooks: StartHooks;
  readonly signal: AbortSignal;
}

/** The built-in roles hold without being written, so nobody waits for it; and a full disk keeps nobody from starting. */
async function writeRoles(
  api: ApiServer,
  { hooks, clock, report, signal }: Pick<Platform, 'clock' | 'report'> & RolesOptions,
): Promise<void> {
  try {
    await sleep(clock, rolesAfterMs, { signal });
    await hooks.run(['rbac/bootstrap-roles'], api.writeRoles());
    await hooks.run(['priority-and-fairness-config-producer'], api.writeFlowObjects());
    await hooks.run(['kube-apiserver-autoregistration'], api.writeApiServices());
  } catch (error) {
    if (signal.aborted) return;
    report({
      component: 'roles',
      message:
        'cannot write what every cluster has of roles, flow schemas and APIServices; it holds, but nobody sees it',
      error,
    });
  }
}

/** What a new store has from the start; and in virtual time nothing may be loaded later, which takes time of its own. */
async function prepare(
  api: ApiServer,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  if (clock !== systemClock) await loadAllExpressions();
  await bootstrap(api, { signal });
}

/** What the server gets as the cluster got it. */
function asGiven(
  options: ClusterOptions,
): Pick<
  ApiServerOptions,
  | 'apis'
  | 'audit'
  | 'passToServer'
  | 'serverAddress'
  | 'authorizer'
  | 'identities'
  | 'outsideClock'
  | 'withoutAdmission'
  | 'furtherAdmission'
  | 'eventLimits'
  | 'serviceCidr'
  | 'soundDefinitions'
> {
  const { apis, audit, serverAddress, authorizer, identities, outsideClock, soundDefinitions } = options;
  const { certificateAuthority, serviceCidr, furtherAdmission, eventLimits } = options;
  const passToServer = createPassToServer(certificateAuthority?.proxyClient);
  const given = {
    ...{ withoutAdmission: admissionLeftOut(options), furtherAdmission, eventLimits },
    ...(serviceCidr && { serviceCidr }),
    ...(soundDefinitions && { soundDefinitions }),
  };
  return { apis, audit, passToServer, serverAddress, authorizer, identities, outsideClock, ...given };
}

/** Where nobody takes the protection of claims and volumes away, nobody puts it there. Controllers of somebody else do both. */
function admissionLeftOut({ withoutAdmission = [], parts = planeParts }: ClusterOptions): readonly string[] {
  return parts.includes('persistentvolume-binder') ? withoutAdmission : [...withoutAdmission, storageProtectionName];
}

/** How pods prove who they are, and whether there is an API that they could call. */
function podsAccess({
  certificateAuthority,
  tokens = [],
}: ClusterOptions): Pick<ApiServerOptions, 'tokenSigner' | 'givesApiAccess' | 'authenticateToken'> {
  const token = certificateAuthority?.administratorToken?.();
  const { user } = administrator;
  const known = [...(token === undefined ? [] : [{ token, user }]), ...tokens];
  return {
    tokenSigner: createTokenSigner(certificateAuthority?.tokenKey, certificateAuthority?.tokens),
    ...(known.length > 0 && { authenticateToken: knownTokens(known) }),
    givesApiAccess: certificateAuthority !== undefined,
  };
}

interface Nodes {
  readonly machines: Machines;
  readonly fleet: CreateComponent;
}

/** What the API server asks of nodes; they are there once the server is. */
function waysToNodes(machines: () => Machines): Required<Pick<ApiServerOptions, 'nodeLogs' | 'nodeDoors' | 'views'>> {
  return {
    nodeLogs: (request, waiting) => machines().logs(request.pod as Pod, request, waiting),
    nodeDoors: (to, passing) => machines().pass(to, passing),
    views: metricsViews(() => machines().measures),
  };
}

interface NodesOptions {
  readonly platform: Platform;
  readonly options: Pick<ClusterOptions, 'fleet' | 'certificateAuthority'>;
}

/** The agent of all nodes, made anew with its drivers when it died, and the way to what runs on them. */
function wireNodes(transport: Transport, { platform, options: given }: NodesOptions): Nodes {
  const { fleet: options, certificateAuthority: credentials } = given;
  let drivers: readonly NodeDriver[] = [];
  return {
    machines: createMachines({ ...platform, transport, credentials, drivers: () => drivers }),
    fleet(platform) {
      const own = { ...platform, random: platform.random.fork('fleet') };
      drivers = [createSimulatedDriver(own, options)];
      return createNodeAgent(own, { ...options, drivers });
    },
  };
}

function backupOf(
  store: Store,
  { files, nowMs }: { readonly files: readonly BackupFile[]; readonly nowMs: number },
): AsyncIterable<Buffer> {
  const list = store.list('');
  assert(!('expired' in list), 'the newest revision is always there');
  return encodeBackup({ revision: list.revision, time: toTimestamp(nowMs), files, records: toRecords(list.items) });
}

function gateOf(options: Omit<MemoryGateOptions, 'memory'>): MemoryGate {
  return options.limitBytes === Infinity ? openGate : createMemoryGate({ ...options, memory: createProcessMemory() });
}

function definitionsOf(api: ApiServer): readonly ResourceType[] {
  return api.describe().map(({ definition }) => definition);
}

/** Those that exist already stay as they are. Whoever opens a store again and wants deleted nodes to stay deleted asks for none. */
async function createNodes(
  client: Client,
  { count, signal }: { readonly count: number; readonly signal: AbortSignal },
): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `node-${index + 1}`);
  await Promise.all(
    names.map((name) =>
      client.create(nodesType, newNode(name), { signal }).catch((error: unknown) => {
        if (!isStatusError(error, 'AlreadyExists')) throw error;
      }),
    ),
  );
}

interface Applying {
  readonly client: Client;
  readonly api: ApiServer;
  readonly signal: AbortSignal;
}

/** Definitions need nothing of each other, so a start waits for the disk once for all of them. */
async function applyManifests(objects: readonly New<KubeObject>[], applying: Applying): Promise<void> {
  const isDefinition = (object: New<KubeObject>): boolean => isOfKind(object, customresourcedefinitions);
  await Promise.all(objects.filter(isDefinition).map((definition) => applyAll([definition], applying)));
  await applyAll(
    objects.filter((object) => !isDefinition(object)),
    applying,
  );
}

async function applyAll(
  objects: readonly New<KubeObject>[],
  { client, api, signal }: Applying,
): Promise<readonly AppliedObject[]> {
  const done: AppliedObject[] = [];
  let known = definitionsOf(api);
  for (const object of inInstallOrder(objects)) {
    // A definition that was just applied is served from now on; to ask after each would cost more than all applying.
    if (typeOfObject(object, known) === undefined) known = definitionsOf(api);
    const type = typeOfObject(object, known);
    if (type === undefined)
      throw new StatusError(badRequest(`no matches for kind "${object.kind}" in version "${object.apiVersion}"`));
    const placed = type.namespaced ? { ...object, metadata: { namespace: 'default', ...object.metadata } } : object;
    const warnings: string[] = [];
    const outcome = await applyObject(
      warned(client, (text) => warnings.push(text)),
      placed,
      { type, signal },
    );
    done.push({ object: placed, outcome, warnings });
  }
  return done;
}
