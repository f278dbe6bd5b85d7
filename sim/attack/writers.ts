import { type Client, configmaps, isStatusError, type Random } from '@signalbox/cluster';
import type { Ledger } from './ledger.ts';

export interface Hands {
  readonly client: Client;
  readonly signal: AbortSignal;
}

interface Work {
  readonly ledger: Ledger;
  readonly random: Random;
}

const namespace = 'default';
const counters = 3;
const writersPerCounter = 2;

/** Counters by several writers each, one that creates and deletes, watchers; all end when the server does. */
export async function workUntilDead(hands: Hands, work: Work): Promise<void> {
  const { ledger, random } = work;
  const jobs = [];
  for (let counter = 0; counter < counters; counter++) {
    for (let writer = 0; writer < writersPerCounter; writer++)
      jobs.push(count(hands, { ledger, name: `counter-${counter}` }));
  }
  jobs.push(createAndDelete(hands, { ledger, random: random.fork(`names ${ledger.figures()['starts']}`) }));
  jobs.push(watch(hands, ledger), watch(hands, ledger));
  await Promise.all(jobs);
}

/** Reads, adds one, writes on condition; a conflict is another's turn. Ends at the first answer that did not come. */
async function count(
  { client, signal }: Hands,
  { ledger, name }: { readonly ledger: Ledger; readonly name: string },
): Promise<void> {
  for (;;) {
    let value = 0;
    try {
      const found = await client.get(configmaps, { namespace, name, signal });
      value = Number(found.data?.['n']) + 1;
      const next = { ...found, data: { n: String(value) } };
      ledger.tried(name, { value });
      const { metadata } = await client.update(configmaps, next, { signal });
      ledger.acknowledged(name, { value, revision: Number(metadata.resourceVersion) });
    } catch (error) {
      if (isStatusError(error, 'Conflict') || isStatusError(error, 'AlreadyExists')) continue;
      if (!isStatusError(error, 'NotFound')) return;
      if (!(await create({ client, signal }, { ledger, name }))) return;
    }
  }
}

/** False when no answer came. */
async function create(
  { client, signal }: Hands,
  { ledger, name }: { readonly ledger: Ledger; readonly name: string },
): Promise<boolean> {
  try {
    ledger.tried(name, { value: 0 });
    const object = {
      apiVersion: 'v1' as const,
      kind: 'ConfigMap' as const,
      metadata: { name, namespace },
      data: { n: '0' },
    };
    const { metadata } = await client.create(configmaps, object, { signal });
    ledger.acknowledged(name, { value: 0, revision: Number(metadata.resourceVersion) });
    return true;
  } catch (error) {
    return isStatusError(error, 'AlreadyExists');
  }
}

async function createAndDelete(hands: Hands, { ledger, random }: Work): Promise<void> {
  const { client, signal } = hands;
  for (;;) {
    const name = `name-${ledger.next('name')}`;
    if (!(await create(hands, { ledger, name }))) return;
    if (random.below(2) === 0) continue;
    try {
      ledger.tried(name, { value: 'deleted' });
      await client.delete(configmaps, { namespace, name, signal });
      // The answer does not say at which revision; the name never comes again, so nothing may follow.
      ledger.acknowledged(name, { value: 'deleted', revision: Infinity });
    } catch {
      return;
    }
  }
}

/** A list and what follows it: every revision once, in order, and each counter one by one. */
async function watch({ client, signal }: Hands, ledger: Ledger): Promise<void> {
  try {
    const list = await client.list(configmaps, { namespace, signal });
    let last = Number(list.metadata.resourceVersion);
    const values = new Map(list.items.map(({ metadata, data }) => [metadata.name ?? '', Number(data?.['n'])]));
    for (let resumes = 0; ; resumes++) {
      let taken = 0;
      const events = client.watch(configmaps, { namespace, signal, resourceVersion: String(last) });
      for await (const event of events) {
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED' && event.type !== 'DELETED') {
          ledger.find(`a watch from ${last} brought ${event.type}`);
          return;
        }
        const { metadata, data } = event.object;
        const name = metadata.name ?? '';
        const revision = Number(metadata.resourceVersion);
        const value = event.type === 'DELETED' ? 'deleted' : Number(data?.['n']);
        if (revision <= last) ledger.find(`a watch brought revision ${revision} after ${last}`);
        if (event.type === 'MODIFIED' && value !== (values.get(name) ?? Number.NaN) + 1)
          ledger.find(`a watch brought ${name} = ${value} after ${values.get(name)}`);
        if (event.type === 'ADDED' && values.has(name)) ledger.find(`a watch brought ${name} as new twice`);
        if (typeof value === 'number') values.set(name, value);
        else values.delete(name);
        last = revision;
        ledger.shown(name, { revision, value });
        // Now and then from where it stopped: without a gap and without a repeat.
        if (++taken > 20 + resumes * 10) break;
      }
    }
  } catch {
    // The server is gone: what was shown until then is in the ledger.
  }
}
