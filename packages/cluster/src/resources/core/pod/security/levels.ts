import { type FieldPath, type Issue, root } from '../../../../api/issue.ts';
import { baseline } from './baseline.ts';
import type { Check, Judged, Violation } from './check.ts';
import { restricted } from './restricted.ts';

const levels = ['privileged', 'baseline', 'restricted'] as const;
type LevelName = (typeof levels)[number];

/** What a namespace asks of its pods: a level as a version of Kubernetes had it. */
export interface Level {
  readonly name: LevelName;
  /** `latest`, `v1.34`. */
  readonly version: string;
}

export interface Policy {
  /** What violates it is refused, */
  readonly enforce: Level;
  /** what violates this is written down, */
  readonly audit: Level;
  /** and what violates this the user is told. */
  readonly warn: Level;
}

type Labels = Readonly<Record<string, string>> | undefined;

const prefix = 'pod-security.kubernetes.io/';
const open: Level = { name: 'privileged', version: 'latest' };
const openPolicy: Policy = { enforce: open, audit: open, warn: open };

/** What the labels of a namespace say. What cannot be read holds pods to the most, and only warns of nothing. */
export function policyOf(labels: Labels): Policy {
  if (labels === undefined || !Object.keys(labels).some((key) => key.startsWith(prefix))) return openPolicy;
  const read = (mode: keyof Policy, otherwise: LevelName): Level => {
    const name = labels[prefix + mode];
    const version = labels[`${prefix}${mode}-version`] ?? 'latest';
    const level = name === undefined ? 'privileged' : isLevel(name) ? name : otherwise;
    return { name: level, version: isVersion(version) ? version : 'latest' };
  };
  const enforce = read('enforce', 'restricted');
  const warn = read('warn', 'privileged');
  const asked = labels[`${prefix}enforce`];
  // Who refuses pods warns of what would make such ones.
  const follows = labels[`${prefix}warn`] === undefined && asked !== undefined && isLevel(asked);
  const version = labels[`${prefix}warn-version`] === undefined ? enforce.version : warn.version;
  return {
    enforce,
    audit: read('audit', 'privileged'),
    warn: follows && enforce.name !== 'privileged' ? { name: enforce.name, version } : warn,
  };
}

export function* policyIssues(labels: Labels, at: FieldPath = root('metadata', 'labels')): Iterable<Issue> {
  for (const mode of ['enforce', 'audit', 'warn']) {
    const [name, version] = [labels?.[prefix + mode], labels?.[`${prefix}${mode}-version`]];
    if (name !== undefined && !isLevel(name))
      yield at.key(prefix + mode).invalid(name, `must be one of ${levels.join(', ')}`);
    if (version !== undefined && !isVersion(version))
      yield at.key(`${prefix}${mode}-version`).invalid(version, 'must be "latest" or "v1.x"');
  }
}

function isLevel(name: string): name is LevelName {
  return (levels as readonly string[]).includes(name);
}

function isVersion(version: string): boolean {
  return version === 'latest' || /^v1\.(?:0|[1-9][0-9]*)$/.test(version);
}

/** Whether one level of a version asks for more than another did. */
export function asksMore(next: Level, before: Level): boolean {
  if (next.name === 'privileged') return false;
  return next.version !== before.version || levels.indexOf(next.name) > levels.indexOf(before.name);
}

export function levelText({ name, version }: Level): string {
  return `${name}:${version}`;
}

export function violations(pod: Judged, { name, version }: Level): readonly Violation[] {
  if (name === 'privileged') return [];
  const minor = version === 'latest' ? Number.POSITIVE_INFINITY : Number(version.slice('v1.'.length));
  const isThere = ({ sinceMinor = 0 }: Check): boolean => minor >= sinceMinor;
  const more = name === 'restricted' ? restricted.filter(isThere) : [];
  const less = baseline.filter((check) => isThere(check) && !more.some(({ id }) => id === check.overriddenBy));
  return [...less, ...more].flatMap((check) => check.violation(pod, minor) ?? []);
}

export function violationText(found: readonly Violation[]): string {
  return found.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
}
