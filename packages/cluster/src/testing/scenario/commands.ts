import { parseYamlDocuments } from '../../api/codec/yaml.ts';
import type { Node, Taint } from '../../api/generated/core-v1.ts';
import { nodes, secrets } from '../../api/generated/kinds.ts';
import { isSameResource, type ResourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { formatExactJson } from '../../base/exact-json.ts';
import { explainLive } from '../../explain/explain.ts';
import { stoppedAnnotation } from '../../node/driver.ts';
import { newNode } from '../../node/node-status.ts';
import type { TestCluster } from '../test-cluster.ts';
import { type Command, durationMs, ScenarioError } from './parse.ts';

export interface CommandContext {
  readonly cluster: TestCluster;
  /** Reads a manifest that `apply FILE` names. */
  readonly readFile: (path: string) => string;
}

/** What a command prints besides what happens because of it. */
type Run = (command: Command, context: CommandContext) => Promise<readonly string[]>;

const { signal } = new AbortController();
const silent: readonly string[] = [];

export const commands: Readonly<Record<string, Run>> = {
  async apply({ rest, body }, { cluster, readFile }) {
    for (const text of body === '' ? rest.split(/\s+/).map(readFile) : [body]) await cluster.applyYaml(text);
    return silent;
  },
  async tick({ rest, line }, { cluster }) {
    await cluster.advance(durationMs(rest, line));
    return silent;
  },
  node: changeNode,
  async taint({ args: [name = '', text = ''], line }, { cluster }) {
    const node = await cluster.during(cluster.client.get(nodes, { name, signal }));
    const taint = parseTaint(text.replace(/-$/, ''), line);
    const others = (node.spec.taints ?? []).filter(({ key, effect }) => key !== taint.key || effect !== taint.effect);
    await mergeNode(cluster, name, { spec: { taints: text.endsWith('-') ? others : [...others, taint] } });
    return silent;
  },
  async cordon({ args: [name = ''] }, { cluster }) {
    await mergeNode(cluster, name, { spec: { unschedulable: true } });
    return silent;
  },
  async uncordon({ args: [name = ''] }, { cluster }) {
    await mergeNode(cluster, name, { spec: { unschedulable: null } });
    return silent;
  },
  label: (command, context) => mark(command, context, 'labels'),
  annotate: (command, context) => mark(command, context, 'annotations'),
  async scale({ args: [reference = '', count = ''], line }, { cluster }) {
    const { type, namespace, name } = find(reference, cluster, line);
    const body = { spec: { replicas: Number(count) } };
    await cluster.during(
      cluster.client.patch(type, { namespace, name, signal, patchType: 'merge', body, subresource: 'scale' }),
    );
    return silent;
  },
  async image({ args: [reference = '', assignment = ''], line }, { cluster }) {
    const [container = '', image = ''] = assignment.split('=');
    const body = { spec: { template: { spec: { containers: [{ name: container, image }] } } } };
    const { type, namespace, name } = find(reference, cluster, line);
    await cluster.during(cluster.client.patch(type, { namespace, name, signal, patchType: 'strategic', body }));
    return silent;
  },
  async patch({ args: [reference = ''], body, line }, { cluster }) {
    const [document] = parseYamlDocuments(body, { source: `patch at line ${line}` });
    await merge(cluster, find(reference, cluster, line), document?.value);
    return silent;
  },
  async delete({ args: [reference = '', how], line }, { cluster }) {
    const { type, namespace, name } = find(reference, cluster, line);
    const propagationPolicy = how === 'orphan' ? 'Orphan' : how === 'foreground' ? 'Foreground' : 'Background';
    const byForce = how === 'force' ? { gracePeriodSeconds: 0 } : {};
    await cluster.during(cluster.client.delete(type, { namespace, name, signal, propagationPolicy, ...byForce }));
    return silent;
  },
  show,
  explain: explainObject,
};

async function changeNode(
  { args: [verb = '', name = '', ...labels], line }: Command,
  { cluster }: CommandContext,
): Promise<readonly string[]> {
  switch (verb) {
    case 'add': {
      const node = newNode(name);
      const extra = Object.fromEntries(labels.map((pair) => pair.split('=')));
      const metadata = { ...node.metadata, labels: { ...node.metadata.labels, ...extra } };
      await cluster.during(cluster.client.create(nodes, { ...node, metadata }, { signal }));
      return silent;
    }
    case 'delete':
      await cluster.during(cluster.client.delete(nodes, { name, signal }));
      return silent;
    case 'stop':
      await mergeNode(cluster, name, { metadata: { annotations: { [stoppedAnnotation]: 'true' } } });
      return silent;
    case 'start':
      await mergeNode(cluster, name, { metadata: { annotations: { [stoppedAnnotation]: null } } });
      return silent;
    default:
      throw new ScenarioError(line, `node ${verb}: write node add|delete|stop|start NAME`);
  }
}

async function mark(
  { args: [reference = '', ...pairs], line }: Command,
  { cluster }: CommandContext,
  field: 'labels' | 'annotations',
): Promise<readonly string[]> {
  const values = pairs.map((pair) => (pair.endsWith('-') ? [pair.slice(0, -1), null] : pair.split('=')));
  await merge(cluster, find(reference, cluster, line), { metadata: { [field]: Object.fromEntries(values) } });
  return silent;
}

/** `show KIND/NAME FIELD…`: fields by their path; a Secret's value decoded. Lines that do not match a `~word` are left out. */
async function show(
  { args: [reference = '', ...paths], line }: Command,
  { cluster }: CommandContext,
): Promise<readonly string[]> {
  const { type, namespace, name } = find(reference, cluster, line);
  const object = await cluster.during(cluster.client.get(type, { namespace, name, signal }));
  const words = paths.filter((path) => path.startsWith('~')).map((path) => path.slice(1));
  return paths
    .filter((path) => !path.startsWith('~'))
    .flatMap((path) => render(type, at(object, path)).split('\n'))
    .filter((text) => text !== '' && (words.length === 0 || words.some((word) => text.includes(word))));
}

/** `explain KIND/NAME`: the answer, its causes and one line for each group. */
async function explainObject(
  { args: [reference = ''], line }: Command,
  { cluster }: CommandContext,
): Promise<readonly string[]> {
  const options = { signal, nowMs: cluster.clock.nowMs(), scheduler: cluster.scheduler };
  const told = await cluster.during(explainLive(cluster.client, find(reference, cluster, line), options));
  if (told === undefined) throw new ScenarioError(line, `"${reference}" is not there`);
  const { subject, summary, causes, groups } = told;
  return [
    `${subject.kind} ${subject.name} ${summary}`,
    ...causes.map(({ cause }) => `  because ${cause}`),
    ...groups.map(({ names, state, why }) => `  ${names.length} ${state}${why === '' ? '' : `: ${why}`}`),
  ];
}

function render(type: ResourceType, value: unknown): string {
  if (typeof value !== 'string') return formatExactJson(value) ?? 'nothing';
  return isSameResource(type, secrets) ? Buffer.from(value, 'base64').toString() : value;
}

/** `spec.template.spec.containers.0.image`; a key with dots stands in brackets: `data.[agent.yml]`. */
function at(object: unknown, path: string): unknown {
  const steps = [...path.matchAll(/\[([^\]]+)\]|([^.]+)/g)].map(([, bracketed, plain]) => bracketed ?? plain ?? '');
  return steps.reduce<unknown>(
    (value, step) => (value as Readonly<Record<string, unknown>> | undefined)?.[step],
    object,
  );
}

interface Found {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** `statefulset/web`, or `shop:statefulset/web` in another namespace than default. Names end with a fixed part: `pod/web-0`. */
function find(reference: string, cluster: TestCluster, line: number): Found {
  const [, namespace = 'default', kind = '', name = ''] = /^(?:([^:]+):)?([^/]+)\/(.+)$/.exec(reference) ?? [];
  const served = cluster.api.describe().find(({ definition }) => definition.kind.toLowerCase() === kind);
  if (served === undefined)
    throw new ScenarioError(line, `"${reference}" names no object; write kind/name or namespace:kind/name`);
  return { type: served.definition, namespace: served.definition.namespaced ? namespace : undefined, name };
}

async function merge(cluster: TestCluster, { type, namespace, name }: Found, body: unknown): Promise<KubeObject> {
  return cluster.during(cluster.client.patch(type, { namespace, name, signal, patchType: 'merge', body }));
}

async function mergeNode(cluster: TestCluster, name: string, body: unknown): Promise<Node> {
  return cluster.during(cluster.client.patch(nodes, { name, signal, patchType: 'merge', body }));
}

function parseTaint(text: string, line: number): Taint {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  if (key === undefined || effect === undefined)
    throw new ScenarioError(line, `"${text}" is no taint; write key=value:Effect`);
  return { key, effect, ...(value !== undefined && { value }) };
}
