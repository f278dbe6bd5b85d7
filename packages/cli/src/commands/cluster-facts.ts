import { type ClockFacts, type KnownScheduler, type SchedulerFacts, StatusError } from '@signalbox/cluster';
import type { Connected } from '../io/connect.ts';
import type { Io } from '../io/io.ts';
import { readSchedulerConfiguration } from '../up/scheduler-config.ts';

type Read = Connected['read'];

/** The time there: a cluster on a virtual clock has one of its own. Others say nothing of it, and have that of this machine. */
export async function clusterNowMs(read: Read, io: Pick<Io, 'clock' | 'signal'>): Promise<number> {
  const facts = await told<ClockFacts>(read, '/signalbox/clock', io);
  return facts?.virtual === true ? Date.parse(facts.now) : io.clock.nowMs();
}

/** By which rules pods get their nodes there. Undefined: nobody says it. */
export async function schedulerOf(
  read: Read,
  { command, io }: { readonly command: { readonly schedulerConfig: string | undefined }; readonly io: Io },
): Promise<KnownScheduler | undefined> {
  const { schedulerConfig } = command;
  if (schedulerConfig !== undefined) return { configuration: await readSchedulerConfiguration(schedulerConfig, io) };
  const facts = await told<SchedulerFacts>(read, '/signalbox/scheduler', io);
  if (facts?.runs !== true) return undefined;
  const { configuration, ownPlugins: unasked = [] } = facts;
  return { ...(configuration !== undefined && { configuration }), unasked };
}

/** What a cluster of Signalbox says at a path of its own, to whom it may. Others refuse it, or answer with something that is no JSON. */
async function told<Facts>(read: Read, path: string, { signal }: Pick<Io, 'signal'>): Promise<Facts | undefined> {
  try {
    return JSON.parse(await read(path, { signal })) as Facts;
  } catch (error) {
    const isNobodys = error instanceof SyntaxError || (error instanceof StatusError && error.code < 500);
    if (isNobodys) return undefined;
    throw error;
  }
}
