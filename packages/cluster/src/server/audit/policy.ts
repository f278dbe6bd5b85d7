/** Of which request how much is written down. Pure. */
import type { PathAccess, ResourceAccess } from '../context/authorizer.ts';

export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

/** As `audit.k8s.io/v1` has it. The first rule that is about a request says how much is kept of it; without one nothing is. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

export interface AuditRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly AuditedResources[];
  /** An empty name means what is in no namespace. */
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

export interface AuditedResources {
  /** Absent: the core group. */
  readonly group?: string;
  /** `pods`, `pods/log`, `pods/*`, `*\/scale`, `*`. Empty: all of the group. */
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** How much is kept of one request. */
export interface Audited {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

const unheard: Audited = { level: 'None', omitStages: new Set(), omitManagedFields: false };

/** What is asked; nobody where who asks could not be told. */
export type AuditedQuestion = (Omit<ResourceAccess, 'user'> | Omit<PathAccess, 'user'>) & {
  readonly user: { readonly name: string; readonly groups: readonly string[] } | undefined;
};

export function auditedBy(policy: AuditPolicy, asked: AuditedQuestion): Audited {
  const rule = policy.rules.find((each) => isAbout(each, asked));
  if (rule === undefined || rule.level === 'None') return unheard;
  return {
    level: rule.level,
    omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])]),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
  };
}

function isAbout(rule: AuditRule, asked: AuditedQuestion): boolean {
  const { users = [], userGroups = [], verbs = [], namespaces = [], resources = [], nonResourceURLs = [] } = rule;
  const { user } = asked;
  if (users.length > 0 && !users.includes(user?.name ?? '')) return false;
  if (userGroups.length > 0 && user?.groups.some((group) => userGroups.includes(group)) !== true) return false;
  if (verbs.length > 0 && !verbs.includes(asked.verb) && !verbs.includes('*')) return false;
  if (namespaces.length > 0 || resources.length > 0)
    return 'resource' in asked && isAboutResource({ namespaces, resources }, asked);
  if (nonResourceURLs.length > 0)
    return 'path' in asked && nonResourceURLs.some((pattern) => isPath(pattern, asked.path));
  return true;
}

function isAboutResource(
  {
    namespaces,
    resources,
  }: { readonly namespaces: readonly string[]; readonly resources: readonly AuditedResources[] },
  { group, resource, namespace = '', name = '' }: Omit<ResourceAccess, 'user'>,
): boolean {
  if (namespaces.length > 0 && !namespaces.includes(namespace)) return false;
  if (resources.length === 0) return true;
  return resources.some(({ group: wanted = '', resources: kinds = [], resourceNames = [] }) => {
    if (wanted !== group) return false;
    if (kinds.length === 0) return true;
    if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
    return kinds.some((pattern) => isResource(pattern, resource));
  });
}

function isResource(pattern: string, resource: string): boolean {
  if (pattern === '*' || pattern === resource) return true;
  const [kind = '', subresource] = resource.split('/');
  if (pattern.startsWith('*/')) return subresource !== undefined && pattern.slice(2) === subresource;
  return pattern === `${kind}/*`;
}

function isPath(pattern: string, path: string): boolean {
  if (pattern === '*') return true;
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
