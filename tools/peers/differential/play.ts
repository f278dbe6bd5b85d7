/** The same requests by chance to two servers, and what they answer differently. */
import { type JsonObject, type Random, sleep, systemClock } from '@signalbox/cluster';
import { type Difference, differencesOf } from '../compare/differences.ts';
import type { Answered, Requests } from '../plane/requests.ts';
import { type Said, saidBy } from './answers.ts';
import type { Played } from './kinds/played.ts';
import { playedKinds } from './kinds.ts';
import { explain } from './known.ts';
import { type Asking, nextStep, pathOf, requestOf, type Step } from './steps.ts';
import { nextWatching, requestOfWatch, watch } from './watching.ts';

export interface Playing {
  /** Upstream's. */
  readonly there: Requests;
  readonly here: Requests;
  readonly random: Random;
  readonly steps: number;
  readonly kinds?: readonly Played[];
  /** Called for each comparison, alike or not. */
  readonly compared?: (called: string) => void;
}

export interface Parted {
  /** `Pod update` */
  readonly called: string;
  readonly asked: Asking;
  readonly there: Said;
  readonly here: Said;
  readonly differences: readonly Difference[];
}

type Table = Required<Pick<Playing, 'there' | 'here' | 'random' | 'compared'>>;

/** One in so many steps is a watch: it takes a quarter of a second. */
const stepsPerWatch = 25;
const pagesMax = 4;

/** What every answer was alike in is not told, but for failures. */
export async function* play(playing: Playing): AsyncIterable<Parted> {
  const { there, here, random, steps, kinds = playedKinds, compared = () => undefined } = playing;
  for (let step = 0; step < steps; step++) {
    const played = kinds[random.below(kinds.length)];
    if (played === undefined) return;
    const table = { there, here, random, compared };
    yield* random.below(stepsPerWatch) === 0 ? watched(played, table) : one(played, table);
  }
}

async function* one(played: Played, table: Table): AsyncIterable<Parted> {
  const { there, here, random } = table;
  const name = `o-${random.below(3)}`;
  const [theirs, ours] = await Promise.all([settled(there, played, name), settled(here, played, name)]);
  // One of them may have refused what the other took. What is about to go is looked at once more, and let go.
  if ((theirs === undefined) !== (ours === undefined)) return forget(played, name, table);
  const step = nextStep(played, name, { random, current: theirs });
  const asked = [requestOf(step, theirs), requestOf(step, ours)] as const;
  const parted = await compare(`${played.kind} ${step.does}`, asked, table);
  if (parted.found !== undefined) yield parted.found;
  const isNews = parted.found !== undefined && explain(parted.found).news.length > 0;
  // What one of them took and the other refused is not there alike any more.
  if (isNews || isTakenByOne(parted.found) || isLasting(parted.found) || isGoing(theirs))
    await forget(played, name, table);
  if (isNews && step.does === 'collection') await forgetAll(played, table);
  if (step.does === 'list' && !isNews) yield* pages(step, parted.answers, table);
}

function isTakenByOne(found: Parted | undefined): boolean {
  return found !== undefined && found.there.code < 300 !== found.here.code < 300;
}

/** Owners that are forgotten, or counted otherwise, and what one of them has taken alone, would be told with every answer from here on. */
function isLasting(found: Parted | undefined): boolean {
  if (found === undefined) return false;
  const takesMore = /^(?:ServiceCIDR |Namespace door$|CustomResourceDefinition status)/.test(found.called);
  return found.differences.some(
    ({ path, there }) =>
      path === 'body.metadata.generation' ||
      (path === 'body.metadata.managedFields' && there === undefined) ||
      (takesMore && /^body\.(?:metadata|status\.conditions)/.test(path)),
  );
}

function isGoing(object: JsonObject | undefined): boolean {
  return (object?.['metadata'] as JsonObject | undefined)?.['deletionTimestamp'] !== undefined;
}

interface Compared {
  readonly answers: readonly [Answered, Answered];
  readonly found: Parted | undefined;
}

async function compare(
  called: string,
  [toThem, toUs]: readonly [Asking, Asking],
  { there, here, compared }: Table,
): Promise<Compared> {
  const answers = await Promise.all([there.ask(toThem), here.ask(toUs)]);
  compared(called);
  return { answers, found: parted({ called, asked: toThem, there: saidBy(answers[0]), here: saidBy(answers[1]) }) };
}

function parted(said: Omit<Parted, 'differences'>): Parted | undefined {
  const { called, there, here } = said;
  const differences = differencesOf([{ called, object: { ...there } }], [{ called, object: { ...here } }]);
  // That both fail alike makes it no better.
  const isFailure = differences.length === 0 && here.code >= 500;
  if (isFailure)
    return { ...said, differences: [{ of: called, path: 'code', there: `${there.code}`, here: `${here.code}` }] };
  return differences.length === 0 ? undefined : { ...said, differences };
}

/** The rest of a list that came in pieces. */
async function* pages(step: Step, [first, second]: Compared['answers'], table: Table): AsyncIterable<Parted> {
  let tokens = [continueOf(first), continueOf(second)];
  const limit = /limit=\d+/.exec(step.query)?.[0] ?? '';
  for (let page = 1; page < pagesMax; page++) {
    const [theirs, ours] = tokens;
    if (theirs === undefined || ours === undefined) return;
    const selection = step.query.split('&').filter((part) => part.includes('Selector='));
    const next = (token: string): Asking => {
      const query = [...selection, limit, `continue=${encodeURIComponent(token)}`].join('&');
      return { ...requestOf({ ...step, query }, undefined) };
    };
    const { answers, found } = await compare(`${step.played.kind} page`, [next(theirs), next(ours)], table);
    if (found !== undefined) yield found;
    tokens = answers.map(continueOf);
  }
}

function continueOf({ code, text }: Answered): string | undefined {
  if (code !== 200) return undefined;
  const { metadata } = JSON.parse(text) as { readonly metadata?: { readonly continue?: string } };
  return metadata?.continue === '' ? undefined : metadata?.continue;
}

async function* watched(played: Played, table: Table): AsyncIterable<Parted> {
  const { there, here, random, compared } = table;
  if (played.isReview || played.isShared) return yield* one(played, table);
  const watching = nextWatching(played, random);
  // Both begin with the same, whatever was played before.
  await forgetAll(played, table);
  const [first] = watching.deeds;
  if (first === undefined) return;
  const name = 'o-0';
  const body = first.body?.replace('"o-1"', `"${name}"`);
  await Promise.all([there, here].map((side) => side.ask({ ...first, ...(body !== undefined && { body }) })));
  const of = async (side: Requests): Promise<readonly [Asking, Said]> => {
    const asked = requestOfWatch(watching, await current(side, played, name));
    return [asked, await watch(side, { asked, deeds: watching.deeds })];
  };
  const [[asked, theirs], [, ours]] = await Promise.all([of(there), of(here)]);
  const called = `${played.kind} watch`;
  compared(called);
  const found = parted({ called, asked, there: theirs, here: ours });
  if (found !== undefined) yield found;
}

/** A part of a server that says something of a new object is waited for this often. */
const settlesWithinLooks = 20;
const lookEveryMs = 50;

async function settled(side: Requests, played: Played, name: string): Promise<JsonObject | undefined> {
  for (let look = 0; ; look++) {
    const object = await current(side, played, name);
    const { signal } = new AbortController();
    if (object === undefined || played.isSettled(object) || look >= settlesWithinLooks) return object;
    await sleep(systemClock, lookEveryMs, { signal });
  }
}

async function current(side: Requests, played: Played, name: string): Promise<JsonObject | undefined> {
  if (played.isReview) return undefined;
  const { code, text } = await side.ask({ method: 'GET', path: `${pathOf(played)}/${played.named(name)}` });
  return code === 200 ? (JSON.parse(text) as JsonObject) : undefined;
}

async function forgetAll(played: Played, table: Table): Promise<void> {
  for (const name of ['o-0', 'o-1', 'o-2']) await forget(played, name, table);
}

async function forget(played: Played, name: string, { there, here }: Table): Promise<void> {
  await Promise.all([there, here].map((side) => remove(side, played, name)));
}

async function remove(side: Requests, played: Played, name: string): Promise<void> {
  const path = `${pathOf(played)}/${played.named(name)}`;
  const body = JSON.stringify({ gracePeriodSeconds: 0, propagationPolicy: 'Background' });
  await side.ask({ method: 'DELETE', path, headers: { 'content-type': 'application/json' }, body });
  const patch = JSON.stringify({ metadata: { finalizers: null } });
  await side.ask({ method: 'PATCH', path, headers: { 'content-type': 'application/merge-patch+json' }, body: patch });
  if (played.kind !== 'Namespace') return;
  const finalized = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
    spec: { finalizers: [] },
  });
  await side.ask({
    method: 'PUT',
    path: `${path}/finalize`,
    headers: { 'content-type': 'application/json' },
    body: finalized,
  });
}
