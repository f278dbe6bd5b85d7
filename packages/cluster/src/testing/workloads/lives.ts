/** Controllers over a plan world, in a process that may die after any write. */
import { expect } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { pods } from '../../api/generated/kinds.ts';
import type { Key, KubeObject } from '../../api/meta.ts';
import type { Controller } from '../../runtime/controller.ts';
import type { Action } from '../../runtime/plan.ts';
import { ready, type World } from '../plan-world.ts';

/** How often somebody wrote, and when the process dies: once, before the write of that number. */
export interface Fate {
  readonly diesBefore: number;
  writes: number;
  deaths: number;
}

export const fateOf = (diesBefore: number = Number.POSITIVE_INFINITY): Fate => ({ diesBefore, writes: 0, deaths: 0 });

/** What a story is played with, besides itself. */
export interface Play {
  readonly fate?: Fate;
  look?(world: World, action: Action): void;
}

export interface Played {
  readonly world: World;
  readonly fate: Fate;
}

interface Ending<Story> {
  play(story: Story, playing?: Play): Played;
  /** All that a user sees in the end, without names and times that chance gives. */
  outcomeOf(played: Played): unknown;
}

/** Plays a story once whole and then once with a death before each of its writes: all have to end alike. */
export function endsAlike<Story>(story: Story, { play, outcomeOf }: Ending<Story>): void {
  const lived = play(story);
  const outcome = outcomeOf(lived);
  for (let diesBefore = 0; diesBefore < lived.fate.writes; diesBefore++) {
    const died = play(story, { fate: fateOf(diesBefore) });
    expect(died.fate.deaths).toBe(1);
    expect(outcomeOf(died)).toEqual(outcome);
  }
}

/** As a user edits a workload: its generation goes up. */
export function edited<T extends Workload>(object: T, spec: Partial<T['spec']>): T {
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, generation: (metadata.generation ?? 1) + 1 },
    spec: { ...object.spec, ...spec },
  };
}

interface Workload extends KubeObject {
  readonly spec: object;
}

export interface Living<Observed, Memory> {
  readonly controller: Controller<Observed, Memory>;
  keys(world: World): Iterable<Key>;
  readonly fate: Fate;
  /** Called after each write, with the world before it. */
  wrote?(action: Action): void;
}

/** One look at all keys; whoever died looks again, and remembers nothing. True: something was written. */
export function living<Observed, Memory>(
  world: World,
  { controller, keys, fate, wrote }: Living<Observed, Memory>,
): () => boolean {
  let memories = new Map<Key, Memory>();
  let deaths = 0;
  const lookAt = (key: Key): 'quiet' | 'wrote' | 'died' => {
    if (deaths !== fate.deaths) memories = new Map();
    deaths = fate.deaths;
    const observed = controller.observe(key, world, memories.get(key));
    if (observed === undefined) return 'quiet';
    const { actions, memory } = controller.plan(observed, world.nowMs);
    if (memory === undefined) memories.delete(key);
    else memories.set(key, memory);
    const writes = actions.flatMap(single).filter((action) => action.do !== 'emit');
    for (const action of writes) {
      if (fate.writes++ === fate.diesBefore) {
        fate.deaths++;
        return 'died';
      }
      world.apply(action);
      wrote?.(action);
    }
    return writes.length > 0 ? 'wrote' : 'quiet';
  };
  return () => {
    let hasWritten = false;
    for (const key of [...keys(world)]) {
      let outcome = lookAt(key);
      while (outcome === 'died') outcome = lookAt(key);
      hasWritten ||= outcome === 'wrote';
    }
    return hasWritten;
  };
}

function single(action: Action): readonly Action[] {
  return action.do === 'inOrder' ? action.actions.flatMap(single) : [action];
}

/** What happens to one of the pods: one that starts serves, one that stops is gone. */
export function moveOn(world: World, { pick, placeOf }: Moving): void {
  const moving = world
    .list(pods)
    .filter((pod) => isStopping(pod) || pod.status.phase === 'Pending')
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  const pod = moving[pick % Math.max(1, moving.length)];
  if (pod === undefined) return;
  if (isStopping(pod)) world.remove(pods, pod);
  else world.put(pods, ready(pod, { sinceMs: world.nowMs, nodeName: placeOf(pod) }));
}

export interface Moving {
  /** Which of them. */
  readonly pick: number;
  placeOf(pod: Pod): string;
}

function rank({ metadata, spec }: Pod): string {
  return `${spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0]} ${metadata.name}`;
}

export const isStopping = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** Everything goes its way until nobody has anything left to do. Fails when that does not come. */
export function settle(world: World, { looks, placeOf }: Settling): void {
  let calm = 0;
  for (let round = 0; round < 400; round++) {
    const isQuiet = looks.map((look) => look()).every((hasWritten) => !hasWritten);
    const before = world.list(pods).filter((pod) => isStopping(pod) || pod.status.phase === 'Pending').length;
    for (let each = 0; each < before; each++) moveOn(world, { pick: 0, placeOf });
    world.nowMs += 1_000_000;
    calm = isQuiet && before === 0 ? calm + 1 : 0;
    // Some only wait for time to pass.
    if (calm === 2) return;
  }
  throw new Error('does not come to rest');
}

export interface Settling {
  readonly looks: readonly (() => boolean)[];
  placeOf(pod: Pod): string;
}

/** A pod as a number of seconds of service tells it; what waits or stops serves nobody. */
export function servesAt(nowMs: number, minReadySeconds: number): (pod: Pod) => boolean {
  return (pod) => {
    const condition = pod.status.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True');
    if (condition === undefined || isStopping(pod)) return false;
    return Date.parse(condition.lastTransitionTime ?? '') + minReadySeconds * 1_000 <= nowMs;
  };
}

export const imageOf = ({ spec }: Pod): string => spec.containers[0]?.image ?? '';
