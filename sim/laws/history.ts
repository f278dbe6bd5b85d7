import { apiParts } from '@signalbox/cluster';
import { seededRandom } from '@signalbox/cluster/testing';
import { chance } from '../manifests.ts';
import { createSimPlane } from '../plane.ts';
import { type Notes, use } from './clients.ts';
import type { Recording } from './recording.ts';

export interface Lived {
  readonly recording: Recording;
  /** Over everything that became durable. */
  readonly hash: string;
}

/** One seed: an API server alone, several who use it at once, and now and then it loses its power and is there again. */
export async function live(seed: string): Promise<Lived> {
  const random = seededRandom(`${seed}/laws`);
  const plane = await createSimPlane({ seed, components: [], parts: apiParts });
  // Clients stand outside: what they are told is not disturbed, but the disk is as slow as the seed has it.
  const notes = createNotes();
  const lives = 1 + random.below(3);
  for (let life = 0; life < lives; life++) {
    const ending = new AbortController();
    const users = Array.from({ length: 2 + random.below(4) }, (_, index) =>
      use(
        { plane, notes, client: plane.cluster.client, signal: ending.signal, random: random.fork(`${life}/${index}`) },
        4 + random.below(12),
      ),
    );
    const all = Promise.all(users);
    all.catch(() => undefined);
    const isLast = life === lives - 1;
    await plane.pass(isLast ? 10_000 : 5 + random.below(chance(random, 0.7) ? 300 : 3_000));
    // What was changed more than five minutes ago is forgotten.
    if (chance(random, 0.3)) await plane.pass(random.below(900_000));
    if (isLast) await plane.call(() => all);
    else {
      ending.abort(new Error('the power is gone'));
      await plane.restart(chance(random, 0.7) ? 'power cut' : 'shutdown');
    }
    ending.abort(new Error('that is all'));
  }
  const { changes, batches } = plane.history;
  const { writes, lists, watches } = notes;
  const recording = { writes, lists, watches, changes, batches };
  await plane.close();
  return { recording, hash: plane.history.hash() };
}

function createNotes(): Notes {
  let ticks = 0;
  return { writes: [], lists: [], watches: [], tick: () => ticks++ };
}
