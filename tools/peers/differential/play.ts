/** The same requests by chance to two servers, and what they answer differently. */
import { type JsonObject, type Random, type SchemaNode, schemaOf } from '@signalbox/cluster';
import { type Difference, differencesOf } from '../compare/differences.ts';
import type { Requests } from '../plane/requests.ts';
import { type Said, saidBy } from './answers.ts';
import { type Played, playedKinds } from './kinds.ts';
import { type Asking, nextStep, pathOf, requestOf } from './steps.ts';

export interface Playing {
  /** Upstream's. */
  readonly there: Requests;
  readonly here: Requests;
  readonly random: Random;
  readonly steps: number;
  readonly kinds?: readonly Played[];
}

export interface Parted {
  readonly asked: Asking;
  readonly there: Said;
  readonly here: Said;
  readonly differences: readonly Difference[];
}

/** What every answer was alike in is not told. */
export async function* play({ there, here, random, steps, kinds = playedKinds }: Playing): AsyncIterable<Parted> {
  for (let step = 0; step < steps; step++) {
    const played = kinds[random.below(kinds.length)];
    if (played === undefined) return;
    yield* one(played, { there, here, random });
  }
}

async function* one(
  played: Played,
  { there, here, random }: Pick<Playing, 'there' | 'here' | 'random'>,
): AsyncIterable<Parted> {
  const name = `o-${random.below(3)}`;
  const schema: SchemaNode | undefined = played.definition === undefined ? undefined : schemaOf(played.definition);
  const [theirs, ours] = await Promise.all([current(there, played, name), current(here, played, name)]);
  if ((theirs === undefined) !== (ours === undefined)) {
    // One of them has refused what the other took: both begin anew.
    await Promise.all([there, here].map((side) => remove(side, played, name)));
    return;
  }
  const step = nextStep(played, name, { random, schema, current: theirs });
  const [toThem, toUs] = [requestOf(step, theirs), requestOf(step, ours)];
  const [a, b] = await Promise.all([there.ask(toThem).then(saidBy), here.ask(toUs).then(saidBy)]);
  const called = `${played.kind} ${step.does}`;
  const differences = differencesOf([{ called, object: { ...a } }], [{ called, object: { ...b } }]);
  if (differences.length === 0) return;
  yield { asked: toThem, there: a, here: b, differences };
  await Promise.all([there, here].map((side) => remove(side, played, name)));
}

async function current(side: Requests, played: Played, name: string): Promise<JsonObject | undefined> {
  const { code, text } = await side.ask({ method: 'GET', path: `${pathOf(played)}/${name}` });
  return code === 200 ? (JSON.parse(text) as JsonObject) : undefined;
}

async function remove(side: Requests, played: Played, name: string): Promise<void> {
  const path = `${pathOf(played)}/${name}`;
  const patch = JSON.stringify({ metadata: { finalizers: null } });
  await side.ask({ method: 'PATCH', path, headers: { 'content-type': 'application/merge-patch+json' }, body: patch });
  const body = JSON.stringify({ gracePeriodSeconds: 0, propagationPolicy: 'Background' });
  await side.ask({ method: 'DELETE', path, headers: { 'content-type': 'application/json' }, body });
}
