/** The priority levels and flow schemas that every cluster has, as upstream's 1.34 has them. */
import type {
  FlowSchema,
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  Subject,
} from '../../api/generated/flowcontrol-v1.ts';
import { flowschemas, prioritylevelconfigurations } from '../../api/generated/kinds.ts';
import { apiVersionOf, type ResourceType } from '../../api/gvk.ts';
import { groups } from '../../api/identities.ts';
import type { StoredMeta } from '../../api/meta.ts';
import { controllerManager, scheduler } from '../../api/system-identities.ts';
import { freeze } from '../../base/freeze.ts';

/** Set to `false`, the object stays as its owner made it; else what is suggested is put back. */
export const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';

/** Nothing may change them: they hold what no other matches. Of `exempt`, the shares may be changed. */
export const mandatory: ReadonlySet<string> = new Set(['exempt', 'catch-all']);

export const exempt = 'exempt';

/** Share of the seats, what of it others may use, and how many queues there are; all in the words of the objects. */
interface Share {
  readonly shares: number;
  readonly lendablePercent: number;
  /** Absent: nothing waits. */
  readonly queues?: readonly [queues: number, handSize: number];
}

function level(name: string, { shares, lendablePercent, queues }: Share): PriorityLevelConfiguration {
  const limitResponse =
    queues === undefined
      ? { type: 'Reject' }
      : { type: 'Queue', queuing: { queues: queues[0], handSize: queues[1], queueLengthLimit: 50 } };
  const limited = { nominalConcurrencyShares: shares, lendablePercent, limitResponse };
  return levelOf(name, { type: 'Limited', limited });
}

function levelOf(name: string, spec: PriorityLevelConfigurationSpec): PriorityLevelConfiguration {
  return objectOf(prioritylevelconfigurations, name, spec);
}

function objectOf<T extends FlowSchema | PriorityLevelConfiguration>(
  type: ResourceType<T>,
  name: string,
  spec: T['spec'],
): T {
  const metadata = { name, generation: 1, annotations: { [autoUpdate]: 'true' } } as unknown as StoredMeta;
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata, spec, status: {} } as unknown as T;
}

export const builtinLevels: readonly PriorityLevelConfiguration[] = freeze([
  levelOf(exempt, { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  level('catch-all', { shares: 5, lendablePercent: 0 }),
  level('system', { shares: 30, lendablePercent: 33, queues: [64, 6] }),
  level('node-high', { shares: 40, lendablePercent: 25, queues: [64, 6] }),
  level('leader-election', { shares: 10, lendablePercent: 0, queues: [16, 4] }),
  level('workload-high', { shares: 40, lendablePercent: 50, queues: [128, 6] }),
  level('workload-low', { shares: 100, lendablePercent: 90, queues: [128, 6] }),
  level('global-default', { shares: 20, lendablePercent: 50, queues: [128, 6] }),
]);

type Rules = Omit<PolicyRulesWithSubjects, 'subjects'>;

const anything: Rules = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const probing: Rules = { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] };
const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] };
const leading: Rules = { resourceRules: [{ verbs: ['get', 'create', 'update'], ...leases }] };
const aboutNodes: Rules = {
  resourceRules: [
    { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], namespaces: ['*'], clusterScope: true },
    { verbs: ['*'], ...leases },
  ],
};

const inGroups = (...names: readonly string[]): readonly Subject[] =>
  names.map((name) => ({ kind: 'Group', group: { name } }));
const usersNamed = (...names: readonly string[]): readonly Subject[] =>
  names.map((name) => ({ kind: 'User', user: { name } }));
const everybody = inGroups(groups.unauthenticated, groups.authenticated);
const planeAccounts: Subject = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } };
const [managerName, schedulerName] = [controllerManager.user.name, scheduler.user.name];

interface Schema {
  readonly precedence: number;
  /** The default is its own name. */
  readonly level?: string;
  /** Absent: all of its requests are one flow. */
  readonly by?: 'User' | 'Namespace';
  readonly subjects: readonly Subject[];
  readonly rules?: Rules;
}

function schema(name: string, { precedence, level: of = name, by, subjects, rules = anything }: Schema): FlowSchema {
  const spec: FlowSchemaSpec = {
    matchingPrecedence: precedence,
    priorityLevelConfiguration: { name: of },
    ...(by !== undefined && { distinguisherMethod: { type: `By${by}` } }),
    rules: [{ subjects, ...rules }],
  };
  return objectOf(flowschemas, name, spec);
}

export const builtinSchemas: readonly FlowSchema[] = freeze([
  schema(exempt, { precedence: 1, subjects: inGroups(groups.masters) }),
  schema('probes', { precedence: 2, level: exempt, subjects: everybody, rules: probing }),
  schema('system-leader-election', {
    ...{ precedence: 100, level: 'leader-election', by: 'User', rules: leading },
    subjects: [...usersNamed(managerName, schedulerName), planeAccounts],
  }),
  schema('system-node-high', {
    ...{ precedence: 400, level: 'node-high', by: 'User', subjects: inGroups(groups.nodes), rules: aboutNodes },
  }),
  schema('system-nodes', { precedence: 500, level: 'system', by: 'User', subjects: inGroups(groups.nodes) }),
  schema('kube-controller-manager', {
    ...{ precedence: 800, level: 'workload-high', by: 'Namespace', subjects: usersNamed(managerName) },
  }),
  schema('kube-scheduler', {
    ...{ precedence: 800, level: 'workload-high', by: 'Namespace', subjects: usersNamed(schedulerName) },
  }),
  schema('kube-system-service-accounts', {
    ...{ precedence: 900, level: 'workload-high', by: 'Namespace', subjects: [planeAccounts] },
  }),
  schema('service-accounts', {
    ...{ precedence: 9_000, level: 'workload-low', by: 'User', subjects: inGroups(groups.serviceAccounts) },
  }),
  schema('global-default', { precedence: 9_900, by: 'User', subjects: everybody }),
  schema('catch-all', { precedence: 10_000, by: 'User', subjects: everybody }),
]);

const mandatorySpecs = new Map<string, unknown>(
  [...builtinSchemas, ...builtinLevels]
    .filter(({ metadata }) => mandatory.has(metadata.name))
    .map(({ kind, metadata, spec }) => [`${kind}/${metadata.name}`, spec]),
);

/** What the spec of an object has to be; undefined where its owner says. */
export function mandatorySpec({ kind, name }: { readonly kind: string; readonly name: string }): unknown {
  return mandatorySpecs.get(`${kind}/${name}`);
}
