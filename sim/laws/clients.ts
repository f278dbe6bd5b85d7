import {
  type Client,
  configmaps,
  isStatusError,
  type KubeObject,
  type Random,
  sleep,
  type WatchEvent,
} from '@signalbox/cluster';
import { chance, pick } from '../manifests.ts';
import type { SimPlane } from '../plane.ts';
import {
  keyOf,
  type ListRecord,
  type State,
  versionOf,
  type WatchedChange,
  type WatchRecord,
  type WriteRecord,
} from './recording.ts';

/** What all clients write down together. */
export interface Notes {
  readonly writes: WriteRecord[];
  readonly lists: ListRecord[];
  readonly watches: WatchRecord[];
  /** The next of all questions and answers. */
  tick(): number;
}

/** One of those who use a server until it is gone. */
export interface Using {
  readonly plane: SimPlane;
  readonly client: Client;
  readonly random: Random;
  readonly notes: Notes;
  /** Aborted when the server is to be gone: nobody hears an answer any more. */
  readonly signal: AbortSignal;
}

const namespacesUsed = ['default', 'kube-public'];
const names = ['a', 'b', 'c', 'd'];
const farAhead = 1_000_000;

/** Some requests, one after the other, with time between them or without. */
export async function use(using: Using, count: number): Promise<void> {
  const { random, signal, plane } = using;
  for (let index = 0; index < count && !signal.aborted; index++) {
    const act = pick(random, [write, write, write, list, list, follow]);
    await act(using).catch((error: unknown) => {
      if (!signal.aborted && !isRefusal(error)) throw error;
    });
    if (chance(random, 0.5)) await sleep(plane.clock, random.below(200), { signal }).catch(() => undefined);
  }
}

/** Somebody was quicker, or the version is not there yet, or not any more. */
function isRefusal(error: unknown): boolean {
  return isStatusError(error) && [404, 409, 410, 504].includes(error.code);
}

async function write({ client, random, notes, signal }: Using): Promise<void> {
  const [namespace, name] = [pick(random, namespacesUsed), pick(random, names)];
  const key = `${namespace}/${name}`;
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name },
    data: { n: String(random.below(1_000_000)) },
  } as const;
  const known = chance(random, 0.7)
    ? await client.get(configmaps, { namespace, name, signal }).catch(ignored)
    : undefined;
  const calledAt = notes.tick();
  const noted = (outcome: Partial<WriteRecord>): void =>
    void notes.writes.push({
      key,
      calledAt,
      endedAt: notes.tick(),
      revision: undefined,
      replaces: undefined,
      ...outcome,
    });
  try {
    if (known !== undefined && chance(random, 0.3)) {
      const preconditions = chance(random, 0.5) ? { resourceVersion: known.metadata.resourceVersion } : {};
      await client.delete(configmaps, { namespace, name, preconditions, signal });
      noted({});
      return;
    }
    const isGuarded = known !== undefined && chance(random, 0.6);
    const written =
      known === undefined
        ? await client.create(configmaps, body, { signal })
        : await client.update(configmaps, isGuarded ? { ...known, data: body.data } : body, { signal });
    const replaces = isGuarded ? Number(known.metadata.resourceVersion) : undefined;
    noted({ revision: Number(written.metadata.resourceVersion), replaces });
  } catch (error) {
    if (!isStatusError(error) || error.code >= 500) noted({ endedAt: Infinity });
    throw error;
  }
}

function ignored(): undefined {
  return undefined;
}

async function list(using: Using): Promise<ListRecord> {
  const { client, random, notes, signal } = using;
  const told = notes.lists.at(-1)?.revision;
  const asked =
    told === undefined ? 'newest' : pick(random, ['newest', 'newest', 'exactly', 'soon', 'never', 'pages'] as const);
  const version = {
    exactly: told,
    soon: (told ?? 0) + random.below(4),
    never: (told ?? 0) + farAhead,
    newest: undefined,
    pages: undefined,
  }[asked];
  const calledAt = notes.tick();
  const pages: number[] = [];
  const items: KubeObject[] = [];
  let next: string | undefined;
  do {
    const page = await client.list<KubeObject>(configmaps, {
      signal,
      ...(version !== undefined && { resourceVersion: String(version) }),
      ...(asked === 'exactly' && { resourceVersionMatch: 'Exact' }),
      ...(asked === 'pages' && { limit: 1 + random.below(3) }),
      ...(next !== undefined && { continue: next }),
    });
    pages.push(Number(page.metadata.resourceVersion));
    items.push(...page.items);
    next = page.metadata.continue === '' ? undefined : page.metadata.continue;
    // Others write between the pages.
    if (next !== undefined) await sleep(using.plane.clock, random.below(50), { signal });
  } while (next !== undefined);
  const record: ListRecord = {
    ...{ calledAt, endedAt: notes.tick(), pages, revision: pages[0] ?? 0, state: stateOf(items) },
    exactly: asked === 'exactly' ? version : undefined,
    atLeast: asked === 'exactly' ? undefined : version,
  };
  // A page of later belongs to the moment of the first: what is newest is said of the first question.
  notes.lists.push(record);
  return record;
}

function stateOf(items: readonly KubeObject[]): State {
  return new Map(items.map((item) => [keyOf(item), versionOf(item)]));
}

/** Watches on its own until the server is gone, or until it is cut off and goes on where it was. */
async function follow(using: Using): Promise<void> {
  const { random, notes } = using;
  const old = notes.lists[random.below(Math.max(1, notes.lists.length))];
  const start = old !== undefined && chance(random, 0.6) ? old : await list(using);
  const isAhead = chance(random, 0.1);
  const from = isAhead ? start.revision + random.below(5) : start.revision;
  const events: WatchedChange[] = [];
  notes.watches.push({ from, state: isAhead && from !== start.revision ? undefined : start.state, events });
  void watch(using, { from, events }).catch((error: unknown) => {
    if (!using.signal.aborted && !isRefusal(error)) throw error;
  });
}

async function watch(
  { client, random, signal }: Using,
  { from, events }: { readonly from: number; readonly events: WatchedChange[] },
): Promise<void> {
  let resourceVersion = String(from);
  while (!signal.aborted) {
    let left = chance(random, 0.5) ? Infinity : 1 + random.below(6);
    const watching = client.watch<KubeObject>(configmaps, { signal, resourceVersion, allowWatchBookmarks: true });
    for await (const event of watching) {
      events.push(noted(event));
      if (event.type === 'ERROR') return;
      resourceVersion = event.object.metadata.resourceVersion;
      if (--left <= 0) break;
    }
  }
}

function noted(event: WatchEvent): WatchedChange {
  if (event.type === 'ERROR') return { type: 'ERROR', code: event.object.code ?? 0 };
  const { type, object } = event;
  return { type, key: keyOf(object), revision: Number(object.metadata.resourceVersion), version: versionOf(object) };
}
