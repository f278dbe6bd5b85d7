/** A role that every cluster has, as a value, and how its rules are written down. Pure. */
import type { PolicyRule } from '../../../api/generated/rbac-v1.ts';

/** A role that every cluster has, and whom it is given to from the start. Given to an empty list, it has a binding without anybody. */
export interface BuiltinRole {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Roles with this label make up its rules. */
  readonly gathers?: string;
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  /** `namespace/name` */
  readonly serviceAccounts?: readonly string[];
}

/** Nothing of a resource's name or a verb looks like these. */
const within = ' in ';
const only = ' named ';

/**
 * A rule a line: `get list: pods pods/log in core apps named a b`. Without a group it is the core one; paths begin with a slash.
 * A line that stands further in goes on with the one before. The order is kept: it is what a cluster shows.
 */
export function rulesIn(text: string): readonly PolicyRule[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const indent = Math.min(...lines.map(indentOf));
  const rules: string[] = [];
  for (const line of lines)
    if (indentOf(line) === indent) rules.push(line.trim());
    else rules.push(`${rules.pop() ?? ''} ${line.trim()}`);
  return rules.map(ruleOf);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function ruleOf(line: string): PolicyRule {
  const colon = line.indexOf(': ');
  const verbs = line.slice(0, colon).split(' ');
  const [about = '', names] = line.slice(colon + 2).split(only);
  const [what = '', groups = 'core'] = about.split(within);
  const resources = what.split(' ');
  if (what.startsWith('/') || (groups === 'core' && what === '*' && !about.includes(within)))
    return { verbs, nonResourceURLs: resources };
  return {
    verbs,
    apiGroups: groups.split(' ').map((group) => (group === 'core' ? '' : group)),
    resources,
    ...(names !== undefined && { resourceNames: names.split(' ') }),
  };
}

/** A controller's role is called after its account, in `kube-system`. */
export function givenToItsAccount(role: BuiltinRole): BuiltinRole {
  return { ...role, serviceAccounts: [role.name.replace(/^system:controller:/, 'kube-system/')] };
}
