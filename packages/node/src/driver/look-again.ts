import { isStatusError, type KubeObject, type ResourceType, sleep } from '@signalbox/cluster';
import type { ObjectsOptions, Sight } from './objects.ts';

/** Between two looks at what is not as it should be yet, and at what is. */
const soonMs = 1_000;
const laterMs = 60_000;

export interface Looking {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  /** Called when a look finds something else than the one before. */
  readonly changed: () => void;
  /** What it is like when hardly anything can change any more. */
  readonly until: (object: KubeObject) => boolean;
}

/** Follows an object that may be read but not watched. */
export function lookAgain(options: ObjectsOptions, looking: Looking): Sight {
  const ending = new AbortController();
  const { signal } = ending;
  let current: KubeObject | undefined;
  const look = async (): Promise<void> => {
    current = await read(options, { ...looking, signal });
  };
  const pause = (): Promise<void> =>
    sleep(options.clock, current !== undefined && looking.until(current) ? laterMs : soonMs, { signal });
  const first = async (): Promise<void> => {
    while (!(await succeeds(options, { ...looking, signal, look }))) await pause();
  };
  const synced = first();
  const goOn = async (): Promise<void> => {
    await synced;
    for (;;) {
      await pause();
      const before = current?.metadata.resourceVersion;
      await succeeds(options, { ...looking, signal, look });
      if (current?.metadata.resourceVersion !== before) looking.changed();
    }
  };
  goOn().catch(() => undefined);
  return { synced, now: () => current, close: () => ending.abort(new Error('nobody needs the object any more')) };
}

interface Ending {
  readonly signal: AbortSignal;
}

async function succeeds(
  { report }: ObjectsOptions,
  { look, type, namespace, name, signal }: Looking & Ending & { readonly look: () => Promise<void> },
): Promise<boolean> {
  try {
    await look();
    return true;
  } catch (error) {
    signal.throwIfAborted();
    report(`cannot read ${type.resource} ${namespace}/${name}`, error);
    return false;
  }
}

async function read(
  { client }: ObjectsOptions,
  { type, namespace, name, signal }: Looking & Ending,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(type, { namespace, name, signal });
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return undefined;
    throw error;
  }
}
