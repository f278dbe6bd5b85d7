import {
  durationMs,
  type JsonObject,
  type LabelMatcher,
  parseLabelSelector,
  parseYamlDocuments,
} from '@signalbox/cluster';

/** What one metric of the APIs that autoscalers read is made of. */
export interface MetricRule {
  /** Its name there: `http_requests_per_second`. */
  readonly metric: string;
  readonly from: PageSource | QuerySource;
}

/** A value on the page that pods serve about themselves. It belongs to the pod. */
export interface PageSource {
  readonly is: 'page';
  /** Names on the page. The first that is there counts: programs that do the same work call it differently. */
  readonly names: readonly string[];
  /** Of a counter its rate a second over the window; of a gauge the value itself. */
  readonly as: 'rate' | 'gauge';
  readonly windowMs: number;
  /** Whose pages are read. */
  readonly pods: LabelMatcher;
  readonly page: Page;
}

export interface Page {
  /** Name or number of the container's port; the default is the first that a container names. */
  readonly port: string | undefined;
  /** The default is what the readiness probe of that port is asked by, else `http`. */
  readonly scheme: 'http' | 'https' | undefined;
  /** The default is `/metrics` behind the prefix that the readiness probe has. */
  readonly path: string | undefined;
}

/** A PromQL expression that a Prometheus-compatible server answers. */
export interface QuerySource {
  readonly is: 'query';
  readonly query: string;
  /** Undefined: the value belongs to no object, and is an external metric. */
  readonly object: DescribedBy | undefined;
}

/** Which labels of the result name the object that a value belongs to. */
export interface DescribedBy {
  /** `pods`, `services`, `prometheuses.monitoring.coreos.com`, `namespaces`. */
  readonly resource: string;
  readonly nameLabel: string;
  /** Undefined for what is in no namespace. */
  readonly namespaceLabel: string | undefined;
}

export class RuleError extends Error {}

export const windowMsDefault = 300_000;

/**
 * Reads `rules:` of a YAML text. Throws a {@link RuleError} that says where and what is wrong with the first rule that cannot
 * be read: half of somebody's rules would scale half of what they mean to.
 */
export function parseRules(text: string, source: string): readonly MetricRule[] {
  let documents: readonly { readonly value: unknown }[];
  try {
    documents = parseYamlDocuments(text, { source });
  } catch (error) {
    throw new RuleError(error instanceof Error ? error.message : String(error));
  }
  return documents.flatMap(({ value }) => rulesOf(value, source));
}

/** The same of what stands in such a file. */
export function rulesOf(value: unknown, source: string): readonly MetricRule[] {
  const { rules } = recordOf(value, source, ['rules']);
  if (!Array.isArray(rules)) throw new RuleError(`${source}: rules: wanted a list of rules`);
  return rules.map((rule, index) => ruleOf(rule, `${source}: rules[${index}]`));
}

const members = ['metric', 'rate', 'gauge', 'query', 'window', 'pods', 'object', 'external'] as const;

function ruleOf(value: unknown, at: string): MetricRule {
  const rule = recordOf(value, at, members);
  const metric = textOf(rule['metric'], `${at}.metric`);
  if (!metricName.test(metric))
    throw new RuleError(
      `${at}.metric: ${JSON.stringify(metric)} is no name of a metric: letters, digits, "_", ":", "-", "."`,
    );
  const made = (['rate', 'gauge', 'query'] as const).filter((key) => rule[key] !== undefined);
  const [kind] = made;
  if (kind === undefined || made.length > 1)
    throw new RuleError(
      `${at}: wanted one of rate, gauge and query, found ${made.length === 0 ? 'none' : made.join(' and ')}`,
    );
  return { metric, from: kind === 'query' ? queryOf(rule, at) : pageOf(rule, kind, at) };
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:.-]*$/;

function pageOf(rule: JsonObject, kind: 'rate' | 'gauge', at: string): PageSource {
  for (const key of ['object', 'external'] as const)
    if (rule[key] !== undefined)
      throw new RuleError(
        `${at}.${key}: what is read from a pod's page belongs to the pod; only a query belongs to something else`,
      );
  const given = rule[kind];
  const names = (Array.isArray(given) ? given : [given]).map((name, index) => textOf(name, `${at}.${kind}[${index}]`));
  const pods = recordOf(rule['pods'] ?? {}, `${at}.pods`, ['selector', 'port', 'scheme', 'path']);
  const scheme = optional(pods['scheme'], `${at}.pods.scheme`);
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https')
    throw new RuleError(`${at}.pods.scheme: wanted http or https, found ${JSON.stringify(scheme)}`);
  const path = optional(pods['path'], `${at}.pods.path`);
  if (path !== undefined && !path.startsWith('/'))
    throw new RuleError(`${at}.pods.path: wanted a path that begins with "/"`);
  return {
    is: 'page',
    names,
    as: kind,
    windowMs: windowOf(rule['window'], `${at}.window`),
    pods: selectorOf(textOf(pods['selector'], `${at}.pods.selector`), `${at}.pods.selector`),
    page: { port: portOf(pods['port'], `${at}.pods.port`), scheme, path },
  };
}

function queryOf(rule: JsonObject, at: string): QuerySource {
  const query = textOf(rule['query'], `${at}.query`);
  for (const key of ['pods', 'window'] as const)
    if (rule[key] !== undefined) throw new RuleError(`${at}.${key}: has no effect on a query, which says it itself`);
  const isExternal = rule['external'] === true;
  if (rule['external'] !== undefined && typeof rule['external'] !== 'boolean')
    throw new RuleError(`${at}.external: wanted true or false`);
  if (isExternal === (rule['object'] !== undefined))
    throw new RuleError(
      `${at}: a query needs either object, whose labels say what a value belongs to, or external: true`,
    );
  if (isExternal) return { is: 'query', query, object: undefined };
  const object = recordOf(rule['object'], `${at}.object`, ['resource', 'nameLabel', 'namespaceLabel', 'clusterScoped']);
  const resource = textOf(object['resource'], `${at}.object.resource`);
  const isClusterScoped = object['clusterScoped'] === true || resource === 'namespaces' || resource === 'nodes';
  return {
    is: 'query',
    query,
    object: {
      resource,
      nameLabel: optional(object['nameLabel'], `${at}.object.nameLabel`) ?? singular(resource),
      namespaceLabel: isClusterScoped
        ? undefined
        : (optional(object['namespaceLabel'], `${at}.object.namespaceLabel`) ?? 'namespace'),
    },
  };
}

/** `pods` are told apart by a label `pod`. */
function singular(resource: string): string {
  const [plural = ''] = resource.split('.');
  return /(s|x)es$/.test(plural) ? plural.slice(0, -2) : plural.replace(/s$/, '');
}

function windowOf(value: unknown, at: string): number {
  if (value === undefined) return windowMsDefault;
  const ms = typeof value === 'string' ? durationMs(value) : undefined;
  if (ms === undefined || ms < 1_000 || ms > 3_600_000)
    throw new RuleError(`${at}: wanted a duration from 1s to 1h, such as 5m, found ${JSON.stringify(value)}`);
  return ms;
}

function selectorOf(text: string, at: string): LabelMatcher {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw new RuleError(`${at}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function portOf(value: unknown, at: string): string | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536) return String(value);
  return optional(value, at);
}

function optional(value: unknown, at: string): string | undefined {
  return value === undefined || value === null ? undefined : textOf(value, at);
}

function textOf(value: unknown, at: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new RuleError(`${at}: wanted a text, found ${value === undefined ? 'nothing' : JSON.stringify(value)}`);
}

function recordOf(value: unknown, at: string, known: readonly string[]): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RuleError(`${at}: wanted an object with ${known.join(', ')}`);
  const stray = Object.keys(value).find((key) => !known.includes(key));
  if (stray !== undefined) throw new RuleError(`${at}.${stray}: unknown field; there are ${known.join(', ')}`);
  return value as JsonObject;
}
