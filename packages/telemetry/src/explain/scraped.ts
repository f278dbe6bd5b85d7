import type { KubeObject } from '@signalbox/cluster';
import type { Collected } from '../operator/component.ts';
import { isKept, type LabelSet, type Passage, passage } from '../relabel/execute.ts';
import { onlyMatch } from '../relabel/expression.ts';
import type { RelabelRule } from '../relabel/rule.ts';
import type { World } from '../world/world.ts';
import { type Discovered, describeTarget, discover, type Look, type Prospect } from './discovery/discover.ts';
import { givenLabels, isImagined, labelsLeft, neededLabel } from './job.ts';
import { createJobReader, type ReadJob } from './job-text.ts';
import { type ShardChoice, shardChoice } from './shard-choice.ts';

/** What a job scrapes, without a word about what it does not. */
export interface ScrapedJob {
  readonly name: string;
  readonly looks: readonly Look[];
  readonly unknown: readonly string[];
  readonly targets: readonly ScrapedTarget[];
  /** Some stand for pods that are not there. */
  readonly isImagined: boolean;
}

export interface ScrapedTarget {
  /** What tells it apart from the others of its job. */
  readonly id: string;
  readonly of: string;
  readonly address: string;
  readonly shards: readonly number[];
  /** What its series carry: by the same function, the same. */
  readonly labels: () => LabelSet;
}

interface Asked {
  readonly world: World;
  readonly root: KubeObject;
  readonly shards: number;
}

/**
 * The first job of what is collected. Two jobs on end that differ only in how shards share their targets find the same:
 * then their discovery and the rules before are run once.
 */
export function createScraping(): (collected: Collected, asked: Asked) => ScrapedJob | undefined {
  const read = createJobReader();
  let last: Common | undefined;
  return ({ by, jobs }, { world, root, shards }) => {
    const [first] = jobs.texts;
    if (first === undefined) return undefined;
    const job = read(first.text);
    const isLogs = by.kind === 'LogsInstance';
    const home = root.metadata.namespace ?? '';
    const isSame = last?.job.head === job.head && last.world === world && last.home === home && last.isLogs === isLogs;
    const common = isSame && last !== undefined ? last : commonOf(job, { world, home, isLogs });
    last = common;
    const { looks, unknown } = common.found;
    const choice = shardChoice(job.own, isLogs ? 1 : shards);
    const targets = common.candidates.flatMap((candidate) => scraped(candidate, job, choice) ?? []);
    return { name: job.name, looks, unknown, targets, isImagined: common.isImagined };
  };

  function scraped(candidate: Candidate, job: ReadJob, choice: ShardChoice): ScrapedTarget | undefined {
    const { id, of, address, shared, isLogs } = candidate;
    const shards = choice(shared);
    if (shards.length === 0) return undefined;
    const rest = job.onlyDecides ? nothing : job.own(shards[0] ?? 0);
    const [needed = ''] = shared.valuesAfter(rest, [neededLabel(isLogs)]) ?? [];
    if (needed === '') return undefined;
    const labels = (): LabelSet => labelsLeft(shared.after(rest) ?? {}, isLogs) ?? {};
    return { id, of, address, shards, labels: job.onlyDecides ? candidate.labels : labels };
  }
}

const nothing: readonly RelabelRule[] = Object.freeze([]);

interface Place {
  readonly world: World;
  /** The namespace of the agents. */
  readonly home: string;
  readonly isLogs: boolean;
}

interface Common extends Place {
  readonly job: ReadJob;
  readonly found: Discovered;
  readonly isImagined: boolean;
  readonly candidates: readonly Candidate[];
}

/** Kept by the rules that all shards run alike. */
interface Candidate extends Omit<ScrapedTarget, 'shards'> {
  readonly shared: Passage;
  readonly isLogs: boolean;
}

function commonOf(job: ReadJob, { world, home, isLogs }: Place): Common {
  const found = discover(job.section, world, { home, prospect: prospectOf(job) });
  const given = givenLabels(job, isLogs);
  const candidates: Candidate[] = [];
  const ids = new Set<string>();
  for (const discovered of found.targets) {
    const shared = passage(discovered, { given, rules: job.common });
    if (shared === undefined) continue;
    const [of, address] = [describeTarget(discovered), discovered['__address__'] ?? ''];
    // One address may be found more than once: by several Services, or ports of one pod.
    let id = `${address} ${of}`;
    while (ids.has(id)) id += '+';
    ids.add(id);
    const labels = (): LabelSet => labelsLeft(shared.after(nothing) ?? {}, isLogs) ?? {};
    candidates.push({ id, of, address, shared, isLogs, labels });
  }
  return { job, world, home, isLogs, found, candidates, isImagined: found.targets.some(isImagined) };
}

/** By rules that look at nothing but what all targets of a Service have, before any could have changed it. */
export function prospectOf({ common }: Pick<ReadJob, 'common'>): Prospect {
  const end = common.findIndex(
    ({ action = 'replace', target_label = '' }) =>
      !(action === 'keep' || action === 'drop') && !(action === 'replace' && target_label.startsWith('__tmp_')),
  );
  const deciding = (end < 0 ? common : common.slice(0, end)).filter(
    ({ action = 'replace', source_labels = [] }) =>
      action !== 'replace' && source_labels.every((name) => ofService.test(name)),
  );
  const rules = Object.freeze(deciding);
  const only = rules
    .filter(({ action }) => action === 'keep')
    .map((rule) => ({ rule, text: onlyMatch(rule.regex ?? '(.*)') }))
    .find((each): each is NonNullable<Prospect['only']> => each.text !== undefined);
  return { isHopeless: (labels) => !isKept(labels, rules), only };
}

const ofService = /^__meta_kubernetes_(namespace|service_.*)$/;
