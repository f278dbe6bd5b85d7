import {
  type ExplainWorld,
  type Explanation,
  explainFrom,
  namespaces,
  nodes,
  type ObjectSource,
  persistentvolumeclaims,
  pods,
  type ResourceType,
  readWorld,
  resourceName,
} from '@signalbox/cluster';
import { formatExplanation } from '../format/explain-object.ts';
import { connect } from '../io/connect.ts';
import { CommandError } from '../io/errors.ts';
import { colorsFor, type Io, writeLine } from '../io/io.ts';
import { listed } from '../io/listed.ts';
import { clusterNowMs, schedulerOf } from './cluster-facts.ts';
import { missingNamespace } from './missing-namespace.ts';

export interface ExplainObjectCommand {
  readonly type: ResourceType;
  readonly name: string;
  readonly namespace: string | undefined;
  /** Only what is to be said of this node. */
  readonly node: string | undefined;
  /** By which rules the cluster's scheduler decides: a KubeSchedulerConfiguration. */
  readonly schedulerConfig: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly output: 'text' | 'json';
}

const waits = 3;

/** Says why an object of a running cluster runs, waits or does not go. Resolves with the exit code. */
export async function explainObject(command: ExplainObjectCommand, io: Io): Promise<number> {
  const { type, name, node, output } = command;
  const { client, namespace: ofContext, read, close } = await connect({ ...command, prefersLocal: true }, io);
  try {
    const namespace = type.namespaced ? (command.namespace ?? ofContext ?? 'default') : undefined;
    const source: ObjectSource = {
      list: (each, place) => listed(client, each, { ...io, ...place, instead: insteadOf(each, type) }),
    };
    const [nowMs, scheduler] = await Promise.all([clusterNowMs(read, io), schedulerOf(read, { command, io })]);
    const world = await readWorld({ type, namespace, name }, { source, nowMs, scheduler, node });
    if (node !== undefined && !world.nodes.has(node)) throw new CommandError(`there is no node ${node}`);
    const explanation = explainFrom({ type, namespace, name }, { world, node });
    if (explanation === undefined) throw new CommandError(missing(type, { namespace, name, world }));
    print(explanation, { output, io });
    return explanation.outcome === 'settled' ? 0 : waits;
  } finally {
    await close();
  }
}

/** Without these there is no answer; without the others there is one that says less. */
const needed: readonly ResourceType[] = [nodes, pods, persistentvolumeclaims];

function insteadOf(type: ResourceType, asked: ResourceType): string | undefined {
  return type === asked || needed.includes(type) ? undefined : `the answer leaves ${resourceName(type)} out of account`;
}

function print(explanation: Explanation, { output, io }: { readonly output: 'text' | 'json'; readonly io: Io }): void {
  if (output === 'json') writeLine(io.stdout, JSON.stringify(explanation, null, 2));
  else io.stdout.write(formatExplanation(explanation, colorsFor(io.stdout, io)));
}

/** With those that there are. */
function missing(
  type: ResourceType,
  {
    namespace,
    name,
    world,
  }: { readonly namespace: string | undefined; readonly name: string; readonly world: ExplainWorld },
): string {
  const known = [...world.caches.of(namespaces).values()].map(({ metadata }) => metadata.name);
  const homeless =
    namespace === undefined ? undefined : missingNamespace(`${type.kind} ${namespace}/${name}`, { namespace, known });
  if (homeless !== undefined) return homeless;
  const cache = world.caches.of(type);
  const all = namespace === undefined ? [...cache.values()] : cache.inNamespace(namespace);
  const others = all.slice(0, 5).map((object) => object.metadata.name);
  const place = namespace === undefined ? 'the cluster' : `namespace ${namespace}`;
  const has = others.length === 0 ? `${place} has none` : `${place} has ${others.join(', ')}`;
  return `there is no ${type.kind} ${namespace === undefined ? name : `${namespace}/${name}`}; ${has}`;
}
