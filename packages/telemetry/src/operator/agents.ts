import { type Client, type Clock, type Key, readPodPage, readPodText, within } from '@signalbox/cluster';
import {
  type AgentAnswer,
  type AgentAnswers,
  type AgentQuestion,
  noAnswers,
  targetsPathOf,
  toAgentAnswer,
} from '../sharding/agents.ts';
import { type HashedText, hashedTexts, type ShardedJobs } from '../sharding/hashed-text.ts';

/** Asks the agents of roots that wait for them, by way of the API server, which reaches every pod. */
export interface AgentAsker {
  /** Asks what the root's last plan wanted to know, unless it was asked just now; the answers that are there already. */
  follow(key: Key, asking: Asking | undefined): AgentAnswers;
  /** Whom to wake when the agents of a root have answered. */
  onAnswer(wake: (key: Key) => void): () => void;
}

/** What a plan would like to know. */
export interface Asking {
  readonly questions: readonly AgentQuestion[];
  /** What runs there. Made when somebody asks. */
  readonly jobs: () => readonly ShardedJobs[];
}

export interface AskerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface Asked {
  readonly atMs: number;
  readonly isOpen: boolean;
}

/** More often would say nothing new: targets are taken over every five seconds. */
const pauseMs = 4_000;
/** Who has not answered by then is asked again. */
const answerMsMax = 10_000;
/** As many pods of a root are asked at once. */
const atOnce = 8;

export function createAgentAsker({ client, clock, signal }: AskerOptions): AgentAsker {
  const answers = new Map<Key, ReadonlyMap<string, AgentAnswer>>();
  const asked = new Map<Key, Asked>();
  const wakes = new Set<(key: Key) => void>();
  const ask = async (key: Key, { questions, jobs }: Asking): Promise<void> => {
    const found = new Map<string, AgentAnswer>();
    const left = [...questions];
    const hashed = hashedTexts(jobs());
    const askOn = async (): Promise<void> => {
      for (let question = left.shift(); question !== undefined; question = left.shift()) {
        const answer = await answerOf(question, { client, clock, signal, hashed });
        if (answer !== undefined) found.set(idOf(question), answer);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, askOn));
    asked.set(key, { atMs: clock.nowMs(), isOpen: false });
    answers.set(key, found);
    if (!signal.aborted && found.size > 0) for (const wake of wakes) wake(key);
  };
  return {
    follow(key, asking) {
      if (asking === undefined || asking.questions.length === 0) {
        answers.delete(key);
        asked.delete(key);
        return noAnswers;
      }
      const last = asked.get(key);
      const nowMs = clock.nowMs();
      if (last === undefined || (!last.isOpen && Math.abs(nowMs - last.atMs) >= pauseMs)) {
        asked.set(key, { atMs: nowMs, isOpen: true });
        void ask(key, asking);
      }
      const known = answers.get(key);
      return { of: (question) => known?.get(idOf(question)) };
    },
    onAnswer(wake) {
      wakes.add(wake);
      return () => wakes.delete(wake);
    },
  };
}

function idOf({ namespace, pod }: AgentQuestion): string {
  return `${namespace}/${pod}`;
}

/** Undefined: it does not answer, whatever the reason. Then time has to pass instead, which is safe. */
async function answerOf(
  question: AgentQuestion,
  { client, clock, signal, hashed }: AskerOptions & { readonly hashed: HashedText },
): Promise<AgentAnswer | undefined> {
  const askedMs = clock.nowMs();
  try {
    const [metrics, targets] = await within(answerMsMax, {
      clock,
      signal,
      work: (limited) =>
        Promise.all([
          readPodText(client, { ...question, path: `${question.prefix}/metrics` }, { signal: limited }),
          readPodPage(
            client,
            { ...question, path: targetsPathOf(question), parameters: { state: 'active' } },
            { signal: limited },
          ),
        ]),
    });
    return toAgentAnswer({ metrics, targets }, { askedMs, hashed });
  } catch {
    return undefined;
  }
}
