import { readFile } from 'node:fs/promises';
import { parseSchedulerConfiguration } from '@signalbox/cluster';
import { CommandError } from '../io/errors.ts';
import { absolute, type Io } from '../io/io.ts';
import { fileProblem } from '../io/manifests.ts';

const option = '--scheduler-config';

/** Reads by which rules pods get their nodes. */
export async function readSchedulerConfiguration(path: string, io: Io): Promise<unknown> {
  const text = await readFile(absolute(path, io), 'utf8').catch((cause: unknown) => {
    throw new CommandError(`${option} ${path}: ${fileProblem(cause)}`, { cause });
  });
  try {
    return parseSchedulerConfiguration(text, { source: path });
  } catch (cause) {
    throw new CommandError(`${option} ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
