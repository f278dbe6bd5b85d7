/** What becomes of a decision: how the API answers the first binding, and what the scheduler asks and says then. */
import { afterEach, expect, test } from 'vitest';
import { configmaps, nodes, pods } from '../api/generated/kinds.ts';
import type { Operation, Outcome } from '../api/operation.ts';
import { failure, StatusError, type StatusReason } from '../api/status.ts';
import { sleep } from '../base/clock.ts';
import { createPlaneFigures } from '../runtime/plane-figures.ts';
import { createTestPlane, type TestPlane } from '../testing/plane.ts';
import { defaultPlugins } from './default-plugins.ts';
import type { Groundwork } from './groundwork.ts';
import { guarded } from './guarded.ts';
import { createScheduler } from './loop.ts';
import type { SchedulerPlugin } from './plugin.ts';
import { defaultProfile } from './profile.ts';

let plane: TestPlane;
afterEach(() => plane.close());

const at = { namespace: 'default', name: 'p' };

interface Played {
  /** What the scheduler asked of pods, in a word each. */
  readonly asked: readonly string[];
  /** What the pod says while it waits for another try. */
  readonly told: string | undefined;
  /** Where it is in the end. */
  readonly place: string | undefined;
  readonly attempts: readonly string[];
  /** Together. */
  readonly seconds: number;
  readonly problems: readonly string[];
}

type Answer = (perform: () => Promise<Outcome>) => Promise<Outcome>;

/** Numbers by the result, of one of the scheduler's figures. */
function figuresOf(text: string, name: string): readonly (readonly [result: string, value: number])[] {
  const lines = text.matchAll(new RegExp(`^scheduler_${name}\\{.*result="(\\w+)".*\\} (.+)$`, 'gm'));
  return [...lines].map(([, result = '', value]) => [result, Number(value)] as const).filter(([, value]) => value > 0);
}

interface Play {
  /** How other questions are answered for the first time. */
  readonly others?: Readonly<Record<string, Answer>>;
  readonly plugin?: SchedulerPlugin;
}

async function play(answer: Answer, { others = {}, plugin }: Play = {}): Promise<Played> {
  const asked: string[] = [];
  plane = await createTestPlane({
    between: (inner) => ({
      perform(operation, waiting) {
        const word = operation.resource.resource === 'pods' ? wordOf(operation) : 'list';
        const perform = (): Promise<Outcome> => inner.perform(operation, waiting);
        if (word === 'list') return perform();
        asked.push(word);
        const isFirst = asked.indexOf(word) === asked.length - 1;
        const other = word === 'bind' ? answer : others[word];
        return isFirst && other !== undefined ? other(perform) : perform();
      },
      watch: (operation, waiting) => inner.watch(operation, waiting),
    }),
  });
  const { client, signal, clock, platform } = plane;
  const amounts = { cpu: '1', memory: '1Gi', pods: '10' };
  const status = { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] };
  await client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' }, spec: {}, status }, { signal });
  // Nobody keeps the health of nodes here.
  await client.patch(nodes, { name: 'a', signal, patchType: 'merge', body: { spec: { taints: null } } });
  const spec = { containers: [{ name: 'main', image: 'app:1' }] };
  await client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata: at, spec, status: {} }, { signal });
  const figures = createPlaneFigures({ clock });
  const plugins = plugin === undefined ? defaultPlugins : [guarded(plugin), ...defaultPlugins];
  plane.start(createScheduler({ ...platform, figures }, { profiles: [{ ...defaultProfile, plugins }] }));
  await clock.advance(900);
  const waiting = await plane.find(pods, 'p', 'default');
  const said = waiting?.status.conditions?.find(({ type }) => type === 'PodScheduled');
  await clock.advance(5_000);
  return {
    asked,
    told: said?.status === 'False' ? `${said.reason}: ${said.message}` : undefined,
    place: (await plane.find(pods, 'p', 'default'))?.spec.nodeName,
    attempts: figuresOf(figures.text(), 'schedule_attempts_total').map(([result, count]) => `${count} ${result}`),
    seconds: figuresOf(figures.text(), 'scheduling_attempt_duration_seconds_sum').reduce(
      (sum, [, each]) => sum + each,
      0,
    ),
    problems: plane.problems.map(({ message }) => message),
  };
}

function wordOf(operation: Operation): string {
  if (operation.verb === 'create') return 'bind';
  return operation.verb === 'patch' ? 'tell' : operation.verb;
}

const refused =
  (code: number, reason: StatusReason): Answer =>
  () =>
    Promise.reject(new StatusError(failure(code, reason, 'not today')));

const told = 'SchedulerError: running Bind plugin "DefaultBinder": not today';
const again: Partial<Played> = { told, place: 'a', attempts: ['1 error', '1 scheduled'], seconds: 0, problems: [] };

test.each<[string, Answer, Partial<Played>]>([
  [
    'is done',
    (perform) => perform(),
    { asked: ['bind'], told: undefined, place: 'a', attempts: ['1 scheduled'], problems: [] },
  ],
  ['is refused: nothing was done', refused(403, 'Forbidden'), { ...again, asked: ['bind', 'tell', 'bind'] }],
  [
    'goes wrong: something may be done',
    refused(500, 'InternalError'),
    { ...again, asked: ['bind', 'get', 'tell', 'bind'] },
  ],
  [
    'meets another one: it may be our own',
    refused(409, 'Conflict'),
    { ...again, asked: ['bind', 'get', 'tell', 'bind'] },
  ],
  [
    'does not arrive',
    () => Promise.reject(new Error('not today')),
    { ...again, asked: ['bind', 'get', 'tell', 'bind'], problems: ['cannot bind pod default/p to a'] },
  ],
  [
    'is done, and nobody hears of it',
    async (perform) => {
      await perform();
      throw new StatusError(failure(504, 'Timeout', 'not today'));
    },
    { asked: ['bind', 'get'], told: undefined, place: 'a', attempts: ['1 scheduled'], problems: [] },
  ],
  [
    'comes after somebody else’s',
    async (perform) => {
      const target = { apiVersion: 'v1', kind: 'Node', name: 'elsewhere' };
      const body = { apiVersion: 'v1', kind: 'Binding', metadata: at, target };
      await plane.client.post(pods, { ...at, signal: plane.signal, subresource: 'binding', body });
      return perform();
    },
    { asked: ['bind', 'get'], told: undefined, place: 'elsewhere', attempts: ['1 error'], problems: [] },
  ],
  [
    'comes after the pod’s end',
    async (perform) => {
      await plane.client.delete(pods, { ...at, signal: plane.signal, gracePeriodSeconds: 0 });
      return perform();
    },
    { asked: ['bind'], told: undefined, place: undefined, attempts: ['1 error'], problems: [] },
  ],
])('a binding that %s', async (_, answer, expected) => {
  expect(await play(answer)).toEqual({ seconds: 0, ...expected });
});

const groundless: Groundwork = {
  ...{ by: 'Own', doing: 'looking', holds: [], actions: [], limitMs: 1_000 },
  standing() {
    throw new Error('no idea');
  },
};

test.each<[string, Partial<SchedulerPlugin>, Partial<Played>]>([
  ['no node is for', { prepare: () => ({ rejected: 'no' }) }, { attempts: ['1 unschedulable'], problems: [] }],
  [
    'a rule cannot tell about',
    {
      prepare() {
        throw new Error('no idea');
      },
    },
    { attempts: ['3 error'], problems: Array.from({ length: 3 }, () => 'cannot decide about pod default/p') },
  ],
  [
    'nobody can tell what there is of all that is needed',
    { beforeBinding: () => groundless },
    {
      ...{ told: 'SchedulerError: no idea', attempts: ['3 error'] },
      problems: Array.from({ length: 3 }, () => 'cannot prepare pod default/p for a'),
    },
  ],
])('an attempt counts although there is nothing to bind: %s', async (_, rule, expected) => {
  const played = await play((perform) => perform(), { plugin: { name: 'Own', wakesOn: [], ...rule } });
  expect(played.asked).not.toContain('bind');
  expect(played).toMatchObject({ place: undefined, ...expected });
});

test('what goes wrong while a pod waits for what it needs is told, and nobody looks any more', async () => {
  let looks = 0;
  const work: Groundwork = {
    ...groundless,
    limitMs: 60_000,
    standing() {
      if (++looks === 1) return 'waits';
      throw new Error('no idea');
    },
  };
  const beforeBinding = (): Groundwork => {
    const metadata = { namespace: 'default', name: `seen-${plane.clock.nowMs()}` };
    const configmap = { apiVersion: 'v1', kind: 'ConfigMap', metadata } as const;
    plane.clock.after(100, () => void plane.client.create(configmaps, configmap, { signal: plane.signal }));
    return work;
  };
  const plugin: SchedulerPlugin = { name: 'Own', wakesOn: [], reads: [configmaps], beforeBinding };
  const { told: said, problems } = await play((perform) => perform(), { plugin });
  expect([said, new Set(problems)]).toEqual([
    'SchedulerError: no idea',
    new Set(['cannot prepare pod default/p for a']),
  ]);
  // Twice for the first try, and once for each of the others.
  expect(looks).toBe(problems.length + 1);
});

test('an attempt lasts until its binding is answered', async () => {
  const played = await play(async (perform) => {
    await sleep(plane.clock, 250, { signal: plane.signal });
    return perform();
  });
  expect(played).toMatchObject({ attempts: ['1 scheduled'], seconds: 0.25 });
});

test('where nothing can be said either it is tried again all the same', async () => {
  const refusal = refused(403, 'Forbidden');
  expect(await play(refusal, { others: { tell: refusal } })).toEqual({
    ...again,
    asked: ['bind', 'tell', 'bind'],
    told: undefined,
    problems: ['cannot report on pod default/p'],
  });
});

test('who is told to end while a binding is under way says nothing of it', async () => {
  const done = play(
    () =>
      new Promise((_, reject) => {
        plane.clock.after(10_000, () => reject(new Error('not today')));
      }),
  );
  expect(await done).toMatchObject({ asked: ['bind'], attempts: [] });
  const { problems } = plane;
  const closing = plane.close();
  await plane.clock.advance(10_000);
  await closing;
  expect(problems).toEqual([]);
});
