import { type Client, type Clock, equal, type Key, readPodPage, readPodText, sleep, within } from '@signalbox/cluster';
import { type AgentQuestion, targetsPathOf } from '../sharding/agents.ts';
import type { Weighing } from '../sharding/current.ts';
import { type HashedText, hashedTexts, type ShardedJobs } from '../sharding/hashed-text.ts';
import type { SlotLoads } from '../sharding/mapping.ts';
import { type HeldTarget, heldTargets, targetsIn } from '../sharding/targets-page.ts';
import {
  type Measure,
  metricsOfJobs,
  samplesIn,
  steadyLoads,
  type Weighed,
  type WeighedShard,
  weighedMin,
  weighedSlots,
} from '../sharding/weighing.ts';
import { isNews } from '../sharding/weights.ts';

/** Finds out what slots weigh, from what the agents say, beside all reconciling: who is asked, and how often, is bounded. */
export interface Weigher {
  /** What a root came to when it was last built; undefined: its agents are left alone, and what they said is forgotten. */
  follow(key: Key, asking: WeighAsking | undefined): void;
  /** What the root's slots have weighed for some time; undefined: nobody knows yet. */
  loadsOf(key: Key): SlotLoads | undefined;
  /** Whom to wake when slots weigh something else than is remembered. */
  onNews(wake: (key: Key) => void): () => void;
}

export interface WeighAsking extends Weighing {
  /** What runs there. Made when somebody asks. */
  readonly jobs: () => readonly ShardedJobs[];
}

export interface WeigherOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const everyMs = 300_000;
/** All pages of an agent, which lists tens of thousands of targets. */
const answerMsMax = 20_000;
/** As many agents of one root are asked at once, and one root after the other. */
const atOnce = 2;

interface Known {
  readonly in: Weighed['in'];
  readonly found: readonly SlotLoads[];
}

export function createWeigher(options: WeigherOptions): Weigher {
  const { clock, signal } = options;
  const asked = new Map<Key, WeighAsking>();
  const known = new Map<Key, Known>();
  const wakes = new Set<(key: Key) => void>();
  let isRunning = false;

  const weigh = async (key: Key): Promise<void> => {
    const asking = asked.get(key);
    const weighed = asking && (await weighRoot(asking, options));
    // Nobody could tell, or something else runs there since.
    if (asking === undefined || weighed === undefined || !isShared(asked.get(key), asking)) return;
    const before = known.get(key);
    const found = before?.in === weighed.in && isAlike(before, weighed) ? before.found : [];
    known.set(key, { in: weighed.in, found: [...found, weighed.loads].slice(-weighedMin) });
    const loads = loadsOf(key);
    if (loads !== undefined && isNews(asking, loads)) for (const wake of wakes) wake(key);
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted && asked.size > 0) {
      await sleep(clock, everyMs, { signal });
      for (const key of [...asked.keys()]) await weigh(key);
    }
  };
  const loadsOf = (key: Key): SlotLoads | undefined => steadyLoads(known.get(key)?.found ?? []);
  const start = (): void => {
    if (isRunning) return;
    isRunning = true;
    // It ends with the operator, or when there is nobody left to ask.
    void run()
      .catch(() => undefined)
      .finally(() => {
        isRunning = false;
        if (!signal.aborted && asked.size > 0) start();
      });
  };
  return {
    follow(key, asking) {
      if (asking === undefined) {
        asked.delete(key);
        known.delete(key);
        return;
      }
      asked.set(key, asking);
      start();
    },
    loadsOf,
    onNews(wake) {
      wakes.add(wake);
      return () => wakes.delete(wake);
    },
  };
}

/** By the same mapping, though it may have been read anew. */
function isShared(now: WeighAsking | undefined, before: WeighAsking): boolean {
  return now?.mapping.shards === before.mapping.shards && equal(now.mapping.owners, before.mapping.owners);
}

function isAlike({ found: [first] }: Known, { loads }: Weighed): boolean {
  return first?.length === loads.length;
}

async function weighRoot(
  { shards, mapping, jobs }: WeighAsking,
  options: WeigherOptions,
): Promise<Weighed | undefined> {
  const hashed = hashedTexts(jobs());
  const answers: WeighedShard[] = [];
  const left = shards.map((questions, shard) => ({ questions, shard }));
  let isWhole = true;
  const askOn = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined && isWhole; next = left.shift()) {
      const answer = await weighShard(next, { ...options, hashed });
      // Without one of them nothing can be told, so that the others are left in peace.
      if (answer === undefined) isWhole = false;
      else answers.push(answer);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, askOn));
  return isWhole ? weighedSlots(answers, mapping) : undefined;
}

interface Asking extends WeigherOptions {
  readonly hashed: HashedText;
}

/** By the word of its first replica that answers. */
async function weighShard(
  { questions, shard }: { readonly questions: readonly AgentQuestion[]; readonly shard: number },
  asking: Asking,
): Promise<WeighedShard | undefined> {
  const { clock, signal } = asking;
  for (const question of questions)
    try {
      const work = (limited: AbortSignal): Promise<Omit<WeighedShard, 'shard'>> =>
        weighAgent(question, { ...asking, signal: limited });
      return { shard, ...(await within(answerMsMax, { clock, signal, work })) };
    } catch {
      if (signal.aborted) return undefined;
    }
  return undefined;
}

async function weighAgent(
  question: AgentQuestion,
  { client, clock, signal, hashed }: Asking,
): Promise<Omit<WeighedShard, 'shard'>> {
  const parameters = { state: 'active' };
  const page = await readPodPage(client, { ...question, path: targetsPathOf(question), parameters }, { signal });
  const listed = targetsIn(page);
  if (listed === undefined) throw new Error('it lists no targets');
  const held = await heldInTurns(listed, { clock, hashed });
  if (held.length === 0 || held.some(({ samples }) => samples !== undefined))
    return { held, measure: { in: 'samples', of: ({ samples }) => samples } };
  return { held, measure: await measureOf(question, { client, signal }) };
}

/** Rules that are run on thousands of targets would hold up everybody else. */
const inOneTurn = 1_000;

async function heldInTurns(
  listed: NonNullable<ReturnType<typeof targetsIn>>,
  { clock, hashed }: Pick<Asking, 'clock' | 'hashed'>,
): Promise<readonly HeldTarget[]> {
  const held: HeldTarget[] = [];
  for (let from = 0; from < listed.length; from += inOneTurn) {
    held.push(...heldTargets(listed.slice(from, from + inOneTurn), hashed));
    await clock.turn();
  }
  return held;
}

async function measureOf(
  question: AgentQuestion,
  { client, signal }: Pick<Asking, 'client' | 'signal'>,
): Promise<Measure> {
  if (question.speaks === 'prometheus') {
    const [path, parameters] = [`${question.prefix}/api/v1/query`, { query: 'scrape_samples_post_metric_relabeling' }];
    // A Prometheus that runs as an agent refuses.
    const answer = await readPodPage(client, { ...question, path, parameters }, { signal }).catch(() => undefined);
    const of = samplesIn(answer);
    if (of !== undefined) return { in: 'samples', of };
  }
  const ofJobs = metricsOfJobs(
    await readPodText(client, { ...question, path: `${question.prefix}/metrics` }, { signal }),
  );
  return ofJobs.size === 0 ? { in: 'targets' } : { in: 'metrics', ofJobs };
}
