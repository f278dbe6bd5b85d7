import { apiParts, type PlanePart, planeParts } from '@signalbox/cluster';

/** The variable that says what runs beside the API. */
export const controllersVariable = 'SIGNALBOX_TEST_CONTROLLERS';
/** How many simulated nodes there are; the default is 3 where `nodes` runs, else none. */
export const nodesVariable = 'SIGNALBOX_TEST_NODES';

export interface Beside {
  readonly parts: readonly PlanePart[];
  readonly nodes: number;
}

type Env = Readonly<Record<string, string | undefined>>;

const nodesDefault = 3;
const nodesMax = 10_000;

/** What runs in the plane of a test. Throws an Error with one sentence. Pure. */
export function besideApi(env: Env): Beside {
  const parts = partsFrom(env[controllersVariable] ?? '');
  const text = (env[nodesVariable] ?? '').trim();
  const runs = parts.includes('nodes');
  if (text === '') return { parts, nodes: runs ? nodesDefault : 0 };
  const nodes = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(nodes <= nodesMax)) throw new Error(`${nodesVariable}: "${text}" is no whole number from 0 to ${nodesMax}`);
  if (nodes > 0 && !runs)
    throw new Error(`${nodesVariable} is ${nodes}, but no simulated nodes run: add "nodes" to ${controllersVariable}`);
  return { parts, nodes };
}

/** `none`, `all`, names, and `-NAME` for what is left out. What the API server does itself always runs. */
function partsFrom(text: string): readonly PlanePart[] {
  const words = text.split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
  const chosen = new Set<PlanePart>(apiParts);
  const left = new Set<PlanePart>();
  for (const word of words) {
    if (word === 'none') continue;
    if (word === 'all' || word === '*') for (const part of planeParts) chosen.add(part);
    else if (word.startsWith('-')) left.add(partCalled(word.slice(1)));
    else chosen.add(partCalled(word));
  }
  for (const part of left) if (!apiParts.includes(part)) chosen.delete(part);
  return planeParts.filter((part) => chosen.has(part));
}

/** Upstream's controller manager says `deployment-controller`. */
function partCalled(word: string): PlanePart {
  const name = word.replace(/-controller$/, '');
  const found = planeParts.find((part) => part === name);
  if (found === undefined)
    throw new Error(`${controllersVariable}: there is no "${word}"; it takes all, none, and ${planeParts.join(', ')}`);
  return found;
}
