import type { GrafanaAgent } from '../../resources/grafana-agent.ts';
import type { Section } from '../http.ts';
import { literal } from '../yaml.ts';

/**
 * The environment's variables by which users may ask for the shard or the pod in their monitors. The config reloader
 * takes no file any more that names another one, so all others are just text. Undefined: nobody knows which there are.
 */
export type Variables = readonly string[] | undefined;

const everywhere = ['AGENT_DEPLOY_MODE', 'HOSTNAME', 'POD_NAME', 'SHARD'];

export function metricsVariables(root: GrafanaAgent): Variables {
  return withOwn(root, [...everywhere, 'SHARDS', 'STATEFULSET_ORDINAL_NUMBER']);
}

export function logsVariables(root: GrafanaAgent): Variables {
  return withOwn(root, everywhere);
}

function withOwn({ spec }: GrafanaAgent, known: readonly string[]): Variables {
  const reloader = spec.containers?.find(({ name }) => name === 'config-reloader');
  if ((reloader?.envFrom ?? []).length > 0) return undefined;
  return [...known, ...(reloader?.env ?? []).map(({ name }) => name)];
}

/** The sections with everything made literal that looks like a variable and is none. */
export function withoutStrays(sections: readonly Section[], variables: Variables): readonly Section[] {
  return sections.map((section) => settled(section, variables) as Section);
}

function settled(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return settledText(value, variables);
  if (Array.isArray(value)) return value.map((item) => settled(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [
    settledText(key, variables),
    settled(member, variables),
  ]);
  return Object.fromEntries(members);
}

function settledText(text: string, variables: Variables): string {
  if (!text.includes('$')) return text;
  return text
    .replace(/\$\((\w+)\)/g, (whole, name: string) => ((variables?.includes(name) ?? true) ? whole : literal(whole)))
    .replace(/\$\{/g, (whole, at: number, all: string) => (expandable.test(all.slice(at)) ? whole : literal(whole)));
}

/** What the agent's own expansion reads without an error; `${1}` it leaves alone. */
const expandable = /^\$\{\w+(?::?[-=+][^${}]*)?\}/;
