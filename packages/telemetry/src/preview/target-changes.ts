import {
  endpointslices,
  equal,
  ingresses,
  type KubeObject,
  nodes,
  pods,
  type ResourceType,
  services,
} from '@signalbox/cluster';
import type { ObjectRef } from '../explain/explanation.ts';
import { createScraping, type ScrapedTarget } from '../explain/scraped.ts';
import { refOf } from '../explain/selectors.ts';
import type { Collected } from '../operator/component.ts';
import { compare, type World } from '../world/world.ts';
import type { BuiltRoot, Side } from './configuration-changes.ts';
import { placeOf } from './imagined-server.ts';

/** What becomes of the targets of one root. */
export interface TargetChanges {
  readonly root: ObjectRef;
  /** How many targets the jobs have that change; all others stay where they are. */
  readonly looked: number;
  /** Sorted by job, then address. */
  readonly changes: readonly TargetChange[];
  /** By number; only shards in which something changes. */
  readonly shards: readonly ShardChange[];
  /** Jobs that had targets, and have none any more. */
  readonly emptied: readonly string[];
  /** Jobs whose targets nobody can foretell, or would have to be discovered where nothing is known. */
  readonly unknown: readonly UnknownJob[];
  /** Some stand for pods that are not there: their addresses, and with them their shards, are made up. */
  readonly isImagined: boolean;
}

export interface TargetChange {
  /** `relabelled`: the same shards scrape it, and its series go on under other labels. */
  readonly change: 'gained' | 'lost' | 'moved' | 'relabelled';
  readonly job: string;
  readonly address: string;
  /** What it stands for: `Pod shop/web-1`; may be empty. */
  readonly of: string;
  readonly shardsBefore: readonly number[];
  readonly shardsAfter: readonly number[];
}

export interface ShardChange {
  readonly shard: number;
  readonly gained: number;
  readonly lost: number;
  readonly movedIn: number;
  readonly movedOut: number;
}

export interface UnknownJob {
  readonly job: string;
  readonly why: string;
}

/** Only jobs whose text or discovery changes are looked at. */
export function targetChanges(
  [before, after]: readonly [before: Side, after: Side],
  [discoveredBefore, discoveredAfter]: readonly [before: World, after: World],
): readonly TargetChanges[] {
  const isDiscoverySame = [...discoveredTypes, ingresses].every((type: ResourceType) =>
    isSameList(discoveredBefore.list(type), discoveredAfter.list(type)),
  );
  const roots = new Map<string, readonly [BuiltRoot | undefined, BuiltRoot | undefined]>(
    before.built.map((each) => [placeOf(each.root), [each, undefined]]),
  );
  for (const each of after.built) roots.set(placeOf(each.root), [roots.get(placeOf(each.root))?.[0], each]);
  return [...roots]
    .sort(([a], [b]) => compare(a, b))
    .flatMap(([, [old, next]]) => {
      const [left, right] = [jobsOf(old), jobsOf(next)];
      const isSame = (id: string): boolean => isDiscoverySame && isSameJob(left.get(id), right.get(id));
      const ids = [...new Set([...left.keys(), ...right.keys()])].filter((id) => !isSame(id));
      const root = (next ?? old)?.root;
      if (ids.length === 0 || root === undefined || (next !== undefined && !isWritten(next))) return [];
      const sides = [
        { jobs: left, world: discoveredBefore },
        { jobs: right, world: isDiscoverySame ? discoveredBefore : discoveredAfter },
      ] as const;
      const changes = changesOf(root, { ids, sides });
      return changes.changes.length + changes.unknown.length === 0 ? [] : [changes];
    });
}

/** Otherwise its agents go on with what they have. */
function isWritten({ component, root, desired }: BuiltRoot): boolean {
  return component.isPaused?.(root) !== true && desired.objects.length > 0;
}

const discoveredTypes: readonly ResourceType[] = [endpointslices, nodes, pods, services];

function isSameList(a: readonly KubeObject[], b: readonly KubeObject[]): boolean {
  return a.length === b.length && a.every((object, index) => object === b[index] || equal(object, b[index]));
}

interface JobOf {
  readonly text: Collected['jobs']['texts'][number];
  readonly shards: number;
  readonly root: KubeObject;
  /** Of one job alone. */
  readonly collected: Collected;
}

/** By who collects and the job's name. */
function jobsOf(built: BuiltRoot | undefined): ReadonlyMap<string, JobOf> {
  const found = new Map<string, JobOf>();
  if (built === undefined) return found;
  const { root, desired } = built;
  for (const { by, monitor, jobs } of [...desired.collected, ...desired.additional()])
    jobs.names.forEach((name, index) => {
      const text = jobs.texts[index];
      if (text === undefined) return;
      const alone = { ...jobs, names: [name], texts: [text], ownRules: jobs.ownRules.slice(index, index + 1) };
      found.set(`${placeOf(by)} ${name}`, {
        text,
        shards: desired.shards,
        root,
        collected: { by, monitor, jobs: alone },
      });
    });
  return found;
}

/** The same text for the same shards. */
function isSameJob(a: JobOf | undefined, b: JobOf | undefined): boolean {
  if (a === undefined || b === undefined || a.shards !== b.shards) return false;
  return a.text === b.text || a.text.text === b.text.text;
}

interface JobsIn {
  readonly jobs: ReadonlyMap<string, JobOf>;
  readonly world: World;
}

interface Comparing {
  readonly ids: readonly string[];
  readonly sides: readonly [JobsIn, JobsIn];
}

function changesOf(root: KubeObject, { ids, sides }: Comparing): TargetChanges {
  const changes: TargetChange[] = [];
  const unknown: UnknownJob[] = [];
  const emptied: string[] = [];
  const scrapedBy = createScraping();
  const targetsIn = (id: string, { jobs, world }: JobsIn): JobTargets | undefined => {
    const job = jobs.get(id);
    const scraped = job && scrapedBy(job.collected, { world, root: job.root, shards: job.shards });
    if (scraped === undefined) return undefined;
    const isBlind = scraped.looks.length > 0 && discoveredTypes.every((type) => world.list(type).length === 0);
    const nothing = 'there are no Pods, Services, EndpointSlices or Nodes to discover';
    return {
      name: scraped.name,
      kept: new Map(scraped.targets.map((target) => [target.id, target])),
      unknown: [...scraped.unknown.map((how) => `cannot be foretold: ${how}`), ...(isBlind ? [nothing] : [])],
      isImagined: scraped.isImagined,
    };
  };
  let looked = 0;
  let isImagined = false;
  for (const id of ids) {
    const [left, right] = [targetsIn(id, sides[0]), targetsIn(id, sides[1])];
    const name = (right ?? left)?.name ?? '';
    looked += new Set([...(left?.kept.keys() ?? []), ...(right?.kept.keys() ?? [])]).size;
    isImagined ||= left?.isImagined === true || right?.isImagined === true;
    unknown.push(...((right ?? left)?.unknown.map((why) => ({ job: name, why })) ?? []));
    if (isEmptied(left, right)) emptied.push(name);
    changes.push(...compared(name, left?.kept ?? new Map(), right?.kept ?? new Map()));
  }
  const sorted = changes.sort((a, b) => compare(a.job, b.job) || compare(a.address, b.address));
  const shards = shardChanges(sorted);
  return { root: refOf(root), looked, changes: sorted, shards, emptied: emptied.sort(compare), unknown, isImagined };
}

interface JobTargets {
  readonly name: string;
  /** Those that are scraped, by what tells them apart. */
  readonly kept: ReadonlyMap<string, ScrapedTarget>;
  readonly unknown: readonly string[];
  readonly isImagined: boolean;
}

type Kept = JobTargets['kept'];

/** Of a job of which more may be found than is known nothing is claimed. */
function isEmptied(before: JobTargets | undefined, after: JobTargets | undefined): boolean {
  if (before === undefined || before.kept.size === 0) return false;
  return after === undefined || (after.kept.size === 0 && after.unknown.length === 0);
}

function compared(job: string, before: Kept, after: Kept): readonly TargetChange[] {
  const found: TargetChange[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [left, right] = [before.get(key), after.get(key)];
    const either = right ?? left;
    const change = changeOf(left, right);
    if (either === undefined || change === undefined) continue;
    const [shardsBefore, shardsAfter] = [left?.shards ?? [], right?.shards ?? []];
    found.push({ change, job, address: either.address, of: either.of, shardsBefore, shardsAfter });
  }
  return found;
}

function changeOf(
  before: ScrapedTarget | undefined,
  after: ScrapedTarget | undefined,
): TargetChange['change'] | undefined {
  if (before === undefined) return after && 'gained';
  if (after === undefined) return 'lost';
  if (!isSameShards(before.shards, after.shards)) return 'moved';
  return before.labels === after.labels || labelsOf(before) === labelsOf(after) ? undefined : 'relabelled';
}

function isSameShards(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((shard, index) => shard === b[index]);
}

function labelsOf(target: ScrapedTarget): string {
  return JSON.stringify(Object.entries(target.labels()).sort(([a], [b]) => compare(a, b)));
}

function shardChanges(changes: readonly TargetChange[]): readonly ShardChange[] {
  const shards = new Map<number, { gained: number; lost: number; movedIn: number; movedOut: number }>();
  const count = (shard: number, what: 'gained' | 'lost' | 'movedIn' | 'movedOut'): void => {
    const counts = shards.get(shard) ?? { gained: 0, lost: 0, movedIn: 0, movedOut: 0 };
    counts[what]++;
    shards.set(shard, counts);
  };
  for (const { change, shardsBefore, shardsAfter } of changes) {
    if (change === 'relabelled') continue;
    const isMove = change === 'moved';
    for (const shard of shardsAfter) if (!shardsBefore.includes(shard)) count(shard, isMove ? 'movedIn' : 'gained');
    for (const shard of shardsBefore) if (!shardsAfter.includes(shard)) count(shard, isMove ? 'movedOut' : 'lost');
  }
  return [...shards].sort(([a], [b]) => a - b).map(([shard, counts]) => ({ shard, ...counts }));
}
