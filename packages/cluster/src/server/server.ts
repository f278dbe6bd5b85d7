import { type GroupVersionResource, resourceId } from '../api/gvk.ts';
import type { KubeList, KubeObject, New } from '../api/meta.ts';
import type { Identity } from '../api/system-identities.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { type BuiltinPolicy, builtinPolicy } from '../resources/rbac/builtin/builtin.ts';
import type { ResourceDefinition } from '../resources/resource.ts';
import type { Store } from '../store/store.ts';
import { authorize } from './access/authorize.ts';
import { createNodePods } from './access/rbac/node-pods.ts';
import { createPolicy } from './access/rbac/policy.ts';
import { rbac } from './access/rbac/rbac.ts';
import { operationAccess } from './access/requested.ts';
import { findServed } from './access/scope.ts';
import type { EventLimit } from './admission/event-rate-limit.ts';
import type { FurtherPlugin } from './admission/plugin-choice.ts';
import { createServiceAddresses } from './admission/service-addresses.ts';
import { soundAmong } from './admission/sound-definitions.ts';
import { type Aggregation, createAggregation } from './apis/aggregation.ts';
import { localApi } from './apis/local.ts';
import { type AuditOptions, createAuditor } from './audit/auditor.ts';
import { auditedWays } from './audit/in-process.ts';
import { createTokenSigner } from './auth/token-signer.ts';
import type { Auditor } from './context/auditor.ts';
import type { Authorizer } from './context/authorizer.ts';
import type { CallServer } from './context/call-server.ts';
import { defaultLimits, type Limits, type NodeDoors, type NodeLogs, type ServerContext } from './context/context.ts';
import type { Converter } from './context/conversion.ts';
import type { FlowObjects } from './context/flow-objects.ts';
import type { LocalApi } from './context/local-api.ts';
import { type MemoryGate, openGate } from './context/memory-gate.ts';
import type { PassToServer } from './context/other-apis.ts';
import { createRegistry, type Served } from './context/registry.ts';
import type { Reviewer } from './context/reviewer.ts';
import type { Authorized, ServedApi } from './context/served-api.ts';
import type { AuthenticateToken, TokenSigner } from './context/tokens.ts';
import type { ResourceView } from './context/views.ts';
import { answeredDefinitions } from './describing/answered-definitions.ts';
import { createDocuments, type VersionFacts } from './describing/documents.ts';
import { factsOf } from './describing/facts.ts';
import { expressionsLoader } from './expressions.ts';
import { createLocalApiServices, type LocalApiServices } from './housekeeping/api-services.ts';
import { createCrdCleanup, createCustomResources } from './housekeeping/crds.ts';
import { createEventExpiry } from './housekeeping/event-expiry.ts';
import { createFlowObjects, type KeptFlowObjects } from './housekeeping/flow-objects.ts';
import { createQuotas } from './housekeeping/quotas.ts';
import { writeRoles } from './housekeeping/roles.ts';
import { createMutationReviewer } from './mutation-reviewer.ts';
import { createPolicies } from './policies/configurations.ts';
import { policyMutators } from './policies/mutators.ts';
import { createPolicyReviewer } from './policies/reviewer.ts';
import { createComponentStatuses } from './reading/component-statuses.ts';
import { storedObjects, storedOf } from './reading/stored-objects.ts';
import { tableOf } from './reading/table.ts';
import { admissionRules } from './rules.ts';
import { type AccountTokens, createAccountTokens } from './tokens/tokens.ts';
import { ways } from './ways.ts';
import { createWebhooks } from './webhooks/webhooks.ts';

export interface ApiServerOptions {
  readonly store: Store;
  /** The built-in resources. Custom ones come from the CustomResourceDefinitions in the store. */
  readonly definitions: readonly ResourceDefinition[];
  /** What is shown of stored objects beside them, as `metrics.k8s.io`. The default is nothing. */
  readonly views?: readonly ResourceView[];
  /** Groups of the API that parts of this process answer for. The default is none. */
  readonly apis?: readonly LocalApi[] | undefined;
  /** Who calls on other servers of the API for APIServices. The default is nobody: then only pods are reached, by their nodes. */
  readonly passToServer?: PassToServer | undefined;
  /** Who calls on webhooks. The default is nobody: then only those that run in pods are reached, by their nodes. */
  readonly callServer?: CallServer | undefined;
  readonly clock: Clock;
  /** By what time limits of requests, and of whoever is asked about them, go. The default is the same. */
  readonly outsideClock?: Clock | undefined;
  readonly random: Random;
  readonly nodeLogs?: NodeLogs;
  /** Who runs streams into pods, and serves what is behind a proxy. The default refuses them. */
  readonly nodeDoors?: NodeDoors;
  /** Who may what. The default is {@link rbac}. */
  readonly authorizer?: Authorizer | undefined;
  /** What is written down of requests, and where. The default is nothing. */
  readonly audit?: AuditOptions | undefined;
  /** Told of defects that were survived. */
  readonly report?: ((problem: { readonly message: string; readonly error: unknown }) => void) | undefined;
  /** Who is part of the plane besides its own identities; there is a role for each. */
  readonly identities?: readonly Identity[] | undefined;
  /** Signs the tokens of service accounts. The default has a key that ends with the process. */
  readonly tokenSigner?: TokenSigner | undefined;
  /** Who stands behind bearer tokens that are none of a service account, for TokenReview. The default knows nobody. */
  readonly authenticateToken?: AuthenticateToken;
  /** Whether pods get what they need to call the API mounted. The default is that they do not. */
  readonly givesApiAccess?: boolean;
  readonly limits?: Partial<Limits>;
  /** Who is asked about versions of custom resources that differ in more than their name. The default is their webhooks. */
  readonly converter?: Converter;
  /** Who is asked about writes besides the server's own rules. */
  readonly reviewers?: readonly Reviewer[];
  /** Refuses what memory does not suffice for. The default refuses nothing. */
  readonly memory?: MemoryGate;
  readonly version?: VersionFacts;
  /** Where discovery says that the server is; read at every request, because the port may be known late. */
  readonly serverAddress?: (() => string) | undefined;
  /** What stands behind `/readyz` and the like; the default is that it answers. */
  readonly checks?: ServedApi['checks'];
  /** The IPv4 range of services. */
  readonly serviceCidr?: string;
  /** Rules of admission that are left out, by upstream's names. */
  readonly withoutAdmission?: readonly string[];
  /** Those that are on besides the usual ones. */
  readonly furtherAdmission?: readonly FurtherPlugin[] | undefined;
  /** Of the rule `EventRateLimit`. */
  readonly eventLimits?: readonly EventLimit[] | undefined;
  /** Definitions of custom resources whose rules are known to be good, so that nobody has to judge them. The default is none. */
  readonly soundDefinitions?: readonly New<KubeObject>[] | undefined;
}

/**
 * The API in one object: what in-process clients and the HTTP codec talk to. Here `perform`, `watch` and `text` ask the
 * authorizer themselves; what `authorize` gives has been asked for.
 */
export interface ApiServer extends ServedApi, Authorized {
  readonly flows: FlowObjects;
  readonly tokens: AccountTokens;
  /** Who answers for which group of the API besides the server itself. */
  readonly aggregation: Pick<Aggregation, 'probe' | 'all'>;
  /** Everything that is served right now. */
  describe(): readonly Served[];
  /** How many objects of each resource are stored: `deployments.apps`. */
  storedObjects(): Iterable<readonly [resource: string, count: number]>;
  /** How many events went before their time, because all of them weighed too much. */
  eventsGivenUp(): number;
  /** Writes the roles that every cluster has, where they are missing or behind. They hold without it, but nobody sees them. */
  writeRoles(): Promise<void>;
  /** Writes the flow schemas and priority levels that every cluster has, and keeps them there. They hold without it. */
  writeFlowObjects(): Promise<void>;
  /** Writes an APIService for each group and version that is answered here, and goes on doing so. */
  writeApiServices(): Promise<void>;
  /** Ends what runs in the background. The store stays open. */
  close(): Promise<void>;
}

/** The version whose API this is. */
export const kubernetesVersion: VersionFacts = {
  gitVersion: 'v1.34.2',
  platform: `${process.platform}/${process.arch}`,
};

export function createApiServer(options: ApiServerOptions): ApiServer {
  const builtin = builtinPolicy(options.identities);
  const { context, tokens, aggregation, localServices, flows, ...made } = createContext({ ...options, builtin });
  const { registry } = context;
  const authorized = ways(context, () => undefined);
  const audit = auditorOf(options);
  const asking = ways(context, (asked) => authorize(context, operationAccess(asked), asked.annotate));
  const documents = createDocuments({
    registry,
    others: context.others,
    version: options.version ?? kubernetesVersion,
    serverAddress: options.serverAddress ?? (() => '127.0.0.1:6443'),
  });
  return {
    ...(audit === undefined ? asking : { ...auditedWays(asking, audit), audit }),
    authorize(access, annotate) {
      authorize(context, access, annotate);
      return authorized;
    },
    document: documents,
    facts(resource, subresource) {
      const served = registry.find(resource);
      return served === undefined ? undefined : factsOf(served, subresource);
    },
    stored: (resource) => storedOf(context, resource),
    isElsewhere: (at) => context.others.find(at) !== undefined,
    hold: (revision, letGo) => context.store.hold(revision, letGo),
    table: (resource, object, tableOptions) =>
      tableFor(context, { resource, object }, { ...tableOptions, nowMs: context.clock.nowMs() }),
    checks: options.checks ?? (() => [{ name: 'ping' }]),
    tokens,
    aggregation,
    describe: () => registry.all(),
    storedObjects: () => storedObjects(context),
    eventsGivenUp: made.eventsGivenUp,
    writeRoles: () => writeRoles(context, builtin),
    writeApiServices: localServices.write,
    flows,
    writeFlowObjects: flows.write,
    close: made.closeContext,
  };
}

function auditorOf({ audit, clock, random, report }: ApiServerOptions): Auditor | undefined {
  return audit && createAuditor({ ...audit, clock, random: random.fork('audit'), report });
}

/** All that is answered here, and what of it is not stored. */
function kindsOf({ views: given = [], definitions, checks }: ApiServerOptions): {
  readonly definitions: readonly ResourceDefinition[];
  readonly views: readonly ResourceView[];
} {
  const views = [...given, createComponentStatuses(checks)];
  return { definitions: [...definitions, ...answeredDefinitions, ...views.map(({ definition }) => definition)], views };
}

function createContext(options: ApiServerOptions & { readonly builtin: BuiltinPolicy }): {
  readonly context: ServerContext;
  readonly tokens: AccountTokens;
  readonly aggregation: Aggregation;
  readonly localServices: LocalApiServices;
  readonly flows: KeptFlowObjects;
  eventsGivenUp(): number;
  closeContext(): Promise<void>;
} {
  const { store, clock, random, nodeLogs, nodeDoors } = options;
  const { definitions, views } = kindsOf(options);
  const limits = { ...defaultLimits, ...options.limits };
  const addresses = createServiceAddresses({ store });
  const policy = createPolicy({ store, builtin: options.builtin });
  const nodePods = createNodePods({ store });
  const cleanup = createCrdCleanup(() => context);
  const expiry = createEventExpiry({ store, clock, limits, context: () => context });
  const tokens = createAccountTokens(() => context);
  const local = (options.apis ?? []).map(localApi);
  const aggregation = createAggregation({ context: () => context, passToServer: options.passToServer, local });
  const localServices = createLocalApiServices({ context: () => context, local });
  const policies = createPolicies(options);
  const isSound = soundAmong(options.soundDefinitions ?? []);
  const webhooks = createWebhooks({ ...options, context: () => context, random: random.fork('webhooks') });
  const quotas = createQuotas({ ...options, context: () => context });
  const flows = createFlowObjects({ store, context: () => context });
  const resuming = [expiry, cleanup, aggregation, policies, webhooks.hooks, quotas, flows];
  const context: ServerContext = {
    store,
    clock,
    outsideClock: options.outsideClock ?? clock,
    random: random.fork('apiserver'),
    limits,
    memory: options.memory ?? openGate,
    authorizer: options.authorizer ?? rbac,
    grants: policy,
    podsOf: nodePods.of,
    registry: createRegistry({
      definitions,
      custom: createCustomResources({ store, converter: options.converter ?? webhooks.converter }),
    }),
    admission: admissionRules({ ...options, random, addresses, definitions, isSound, context: () => context }),
    loadExpressions: expressionsLoader(isSound),
    reviewers: [
      ...(options.reviewers ?? []),
      createMutationReviewer([policyMutators({ policies, context: () => context }), webhooks.mutators]),
      createPolicyReviewer({ policies, context: () => context }),
      webhooks.reviewer,
    ],
    listeners: [policy, nodePods, addresses, ...resuming, localServices],
    quotas,
    creating: new Map(),
    views: new Map(views.map((view) => [resourceId(view.definition), view])),
    ...(nodeLogs !== undefined && { nodeLogs }),
    ...(nodeDoors !== undefined && { nodeDoors }),
    others: aggregation,
    tokenSigner: options.tokenSigner ?? createTokenSigner(),
    authenticateToken: anyOf(tokens.authenticate, options.authenticateToken),
  };
  for (const each of resuming) each.resume();
  return {
    ...{ context, tokens, aggregation, localServices, flows },
    eventsGivenUp: () => expiry.givenUp,
    async closeContext() {
      expiry.stop();
      await Promise.all([flows.idle(), localServices.idle()]);
      await cleanup.idle();
    },
  };
}

/** Asks the second about what the first knows nothing of. */
function anyOf(first: AuthenticateToken, second: AuthenticateToken | undefined): AuthenticateToken {
  if (second === undefined) return first;
  return async (token, audiences) => {
    const verdict = await first(token, audiences);
    return verdict.known || verdict.why !== undefined ? verdict : second(token, audiences);
  };
}

function tableFor(
  { registry }: ServerContext,
  { resource, object }: { readonly resource: GroupVersionResource; readonly object: KubeObject | KubeList },
  options: Parameters<typeof tableOf>[2],
): ReturnType<typeof tableOf> | undefined {
  const served = findServed(registry, resource);
  // What only answers, such as a review, has nothing to show in columns.
  return served.traits.verbs.includes('get') ? tableOf(served, object, options) : undefined;
}
