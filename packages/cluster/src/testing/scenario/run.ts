import type { ResourceType } from '../../api/gvk.ts';
import type { KubeObject, New } from '../../api/meta.ts';
import { isStatusError } from '../../api/status.ts';
import type { Identity } from '../../api/system-identities.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import type { Authorizer } from '../../server/context/authorizer.ts';
import { createMemoryBackend } from '../../store/backends/memory.ts';
import { createTestCluster, type TestCluster } from '../test-cluster.ts';
import { createVirtualClock } from '../virtual-clock.ts';
import { type CommandContext, commands } from './commands.ts';
import { createNames, type Names } from './names.ts';
import { type Block, type Command, durationMs, formatScenario, parseScenario, ScenarioError } from './parse.ts';
import { chapterTypes, createStory, type Story } from './story.ts';

export interface ScenarioOptions {
  readonly readFile: CommandContext['readFile'];
  /** Takes part in scenarios that begin with `cluster operator=yes`. */
  readonly operator?: OperatorUnderTest;
  /** Who may what. The default is the cluster's. */
  readonly authorizer?: Authorizer;
}

export interface OperatorUnderTest {
  /** Parts that run beside the plane's own. */
  readonly components: readonly ((platform: Platform) => Component)[];
  /** Whom they act as, and what they may do. */
  readonly identities?: readonly Identity[];
  /** Applied before anything else, e.g. CustomResourceDefinitions. */
  readonly objects: readonly New<KubeObject>[];
  /** Custom resources whose conditions are part of the story. */
  readonly custom: readonly ResourceType[];
}

/** Plays a scenario and returns its text with what really happened in the place of what was expected. */
export async function runScenario(text: string, options: ScenarioOptions): Promise<string> {
  const { blocks } = parseScenario(text);
  const stage = await setStage(blocks, options);
  try {
    const played: { head: string; happened: readonly string[] }[] = [];
    for (const block of blocks) played.push({ head: block.head, happened: await play(block, stage) });
    return formatScenario(played);
  } finally {
    stage.story.stop();
    await stage.cluster.close();
  }
}

interface Stage {
  cluster: TestCluster;
  story: Story;
  readonly names: Names;
  readonly custom: readonly ResourceType[];
  readonly options: ScenarioOptions;
  readonly open: () => Promise<TestCluster>;
}

/** `cluster nodes=3 seed=x heartbeat=10s operator=yes` in the first block; all have defaults. */
async function setStage(blocks: readonly Block[], options: ScenarioOptions): Promise<Stage> {
  const setup = blocks[0]?.commands.find(({ name }) => name === 'cluster');
  const facts = new Map((setup?.args ?? []).map((pair) => pair.split('=') as [string, string]));
  const heartbeatMs = durationMs(facts.get('heartbeat') ?? '10s', setup?.line ?? 1);
  const operator = facts.get('operator') === 'yes' ? options.operator : undefined;
  const clock = createVirtualClock();
  const backend = createMemoryBackend();
  const open = (): Promise<TestCluster> =>
    createTestCluster({
      clock,
      backend,
      seed: facts.get('seed') ?? 'scenario',
      nodes: Number(facts.get('nodes') ?? '3'),
      fleet: { leaseDurationSeconds: (4 * heartbeatMs) / 1_000 },
      ...(options.authorizer !== undefined && { authorizer: options.authorizer }),
      ...(operator !== undefined && { components: operator.components, identities: operator.identities ?? [] }),
    });
  const cluster = await open();
  if (operator !== undefined) await cluster.during(cluster.apply(operator.objects));
  const names = createNames();
  // Quiet before the first block: how a cluster comes up is not part of every story.
  await cluster.advance(2_000);
  const custom = operator?.custom ?? [];
  const story = await listen(cluster, names, custom);
  story.tell();
  // Until their definitions are there, the operator's resources cannot be followed. That is over now.
  forgetProblems(cluster);
  return { cluster, story, names, custom, options, open };
}

async function listen(cluster: TestCluster, names: Names, custom: readonly ResourceType[]): Promise<Story> {
  const { informers } = cluster.platform;
  await cluster.during(informers.sync(chapterTypes(custom), { signal: new AbortController().signal }));
  return createStory({ informers, names, custom });
}

async function play({ commands: steps }: Block, stage: Stage): Promise<readonly string[]> {
  const printed: string[] = [];
  for (const step of steps) printed.push(...(await perform(step, stage)));
  await stage.cluster.clock.settle();
  const problems = stage.cluster.problems.map(
    ({ component, message, error }) => `problem in ${component}: ${message}: ${String(error)}`,
  );
  forgetProblems(stage.cluster);
  return [...stage.story.tell(), ...printed, ...problems].map((line) => stage.names.within(line).trimEnd());
}

function forgetProblems({ problems }: TestCluster): void {
  (problems as unknown[]).length = 0;
}

async function perform(command: Command, stage: Stage): Promise<readonly string[]> {
  if (command.name === 'cluster') return [];
  if (command.name === 'crash') return crash(stage);
  const run = commands[command.name];
  if (run === undefined)
    throw new ScenarioError(
      command.line,
      `"${command.name}" is no command; there are: cluster, crash, ${Object.keys(commands).join(', ')}`,
    );
  try {
    return await run(command, { cluster: stage.cluster, readFile: stage.options.readFile });
  } catch (error) {
    // What the API refuses is part of the story.
    if (isStatusError(error)) return [`refused with ${error.code} ${error.reason}: ${error.message}`];
    throw error;
  }
}

/** The process ends without a word and starts again on what its store holds. */
async function crash(stage: Stage): Promise<readonly string[]> {
  const before = stage.story.tell();
  stage.story.stop();
  await stage.cluster.close();
  stage.cluster = await stage.open();
  stage.story = await listen(stage.cluster, stage.names, stage.custom);
  stage.story.tell();
  return [...before, 'the plane went down and came back'];
}
