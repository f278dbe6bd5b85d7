import {
  formatDuration,
  type KubeObject,
  type Node,
  nodes,
  type Pod,
  pods,
  type ResourceType,
  within,
} from '@signalbox/cluster';
import { defaultComponents, podProblem, type RootComponent, worldOf } from '@signalbox/telemetry';
import { type RunFacts, runningIn } from '../background/run-file.ts';
import { connect } from '../io/connect.ts';
import { describeError } from '../io/errors.ts';
import { absolute, type Io, writeLine } from '../io/io.ts';
import { listed } from '../io/listed.ts';
import { type FoundNode, nodesIn } from '../up/left-nodes.ts';
import { isReady, stepsOf } from '../up/readiness.ts';

export interface StatusOptions {
  readonly data: string;
  readonly output: 'text' | 'json';
}

export interface Count {
  readonly ready: number;
  readonly total: number;
}

export interface RealNode {
  readonly name: string;
  readonly ready: boolean;
  /** Of its agent; absent: there is none. */
  readonly pid?: number;
}

/** What the cluster of a folder is doing. */
export type Status =
  | { readonly running: false; readonly why: string; readonly pid?: number }
  | (RunFacts & { readonly running: true; readonly answers: false; readonly why: string })
  | (RunFacts & {
      readonly running: true;
      readonly answers: true;
      readonly nodes: Count;
      /** Nodes whose pods are processes of this machine. */
      readonly realNodes: readonly RealNode[];
      readonly pods: Count;
      readonly roots: Count;
    });

/** How long the API may take to answer. */
const answerMsMax = 10_000;

/** Says whether a cluster runs in the folder, and how it is. Resolves with 0 when it runs and answers, else with 1. */
export async function status({ data, output }: StatusOptions, io: Io): Promise<number> {
  const found = await statusOf(data, io);
  if (output === 'json') writeLine(io.stdout, JSON.stringify(found, null, 2));
  else for (const line of statusLines(found, io.clock.nowMs())) writeLine(io.stdout, line);
  return found.running && found.answers ? 0 : 1;
}

async function statusOf(data: string, io: Io): Promise<Status> {
  const folder = absolute(data, io);
  const running = await runningIn(folder);
  switch (running.is) {
    case 'stopped':
      return { running: false, why: `no cluster is running in ${data}` };
    case 'busy':
      return { running: false, pid: running.pid, why: `process ${running.pid} has ${data} and serves nothing (yet)` };
    case 'serving':
      return ask(running.facts, folder, io);
    default:
      return running satisfies never;
  }
}

async function ask(facts: RunFacts, folder: string, io: Io): Promise<Status> {
  const { clock, signal } = io;
  const late = (ms: number): Error => new Error(`the API does not answer within ${formatDuration(ms)}`);
  try {
    return await within(answerMsMax, {
      clock,
      signal,
      late,
      work: (limited) => counted(facts, { folder, io, signal: limited }),
    });
  } catch (error) {
    return { running: true, ...facts, answers: false, why: describeError(error).join('; ') };
  }
}

async function counted(
  facts: RunFacts,
  { folder, io, signal }: { readonly folder: string; readonly io: Io; readonly signal: AbortSignal },
): Promise<Status> {
  const components = defaultComponents();
  const { client, close } = await connect(
    { kubeconfig: facts.kubeconfig, context: undefined, prefersLocal: false },
    io,
  );
  try {
    const list = (type: ResourceType): Promise<readonly KubeObject[]> =>
      listed(client, type, { signal, stderr: io.stderr });
    const [allNodes = [], allPods = [], ...roots] = await Promise.all(
      [nodes, pods, ...components.map(({ rootType }) => rootType)].map(list),
    );
    return {
      running: true,
      ...facts,
      answers: true,
      nodes: countOf((allNodes as readonly Node[]).map(isNodeReady)),
      realNodes: toldNodes(await nodesIn(folder), allNodes as readonly Node[]),
      pods: countOf((allPods as readonly Pod[]).filter(isMeantToRun).map((pod) => podProblem(pod) === undefined)),
      roots: countRoots(roots.flat(), components),
    };
  } finally {
    await close();
  }
}

function countOf(readiness: readonly boolean[]): Count {
  return { ready: readiness.filter(Boolean).length, total: readiness.length };
}

/** Those that are in the cluster or run. Pure. */
function toldNodes(found: readonly FoundNode[], known: readonly Node[]): readonly RealNode[] {
  return found.flatMap(({ name, pid }) => {
    const node = known.find(({ metadata }) => metadata.name === name);
    if (node === undefined && pid === undefined) return [];
    return [{ name, ready: node !== undefined && isNodeReady(node), ...(pid !== undefined && { pid }) }];
  });
}

function isNodeReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}

function isMeantToRun({ status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

function countRoots(roots: readonly KubeObject[], components: readonly RootComponent[]): Count {
  return countOf(stepsOf(worldOf(roots), { components }).map(isReady));
}

/** Pure. */
export function statusLines(found: Status, nowMs: number): readonly string[] {
  if (!found.running) return [found.why];
  const { pid, since, server, kubeconfig, log } = found;
  const forMs = Math.max(0, nowMs - Date.parse(since));
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['API', server],
    ['kubeconfig', kubeconfig],
    ['log', log],
    ...(found.answers
      ? ([
          ['nodes', countText(found.nodes)],
          ...found.realNodes.map((node) => ['real node', realNodeText(node)] as const),
          ['pods', countText(found.pods)],
          ['roots', countText(found.roots)],
        ] as const)
      : ([['trouble', found.why]] as const)),
  ];
  return [
    `running for ${forMs < 1_000 ? 'less than 1s' : formatDuration(Math.floor(forMs / 1_000) * 1_000)} (since ${since}) as process ${pid}`,
    ...facts.flatMap(([name, text]) => (text === undefined ? [] : [`  ${name.padEnd(11)} ${text}`])),
  ];
}

function realNodeText({ name, ready, pid }: RealNode): string {
  const agent = pid === undefined ? 'no agent runs; signalbox up --real starts one' : `process ${pid}`;
  return `${name}: ${ready ? 'ready' : 'not ready'}, ${agent}`;
}

function countText({ ready, total }: Count): string {
  return `${ready} of ${total} ready`;
}
