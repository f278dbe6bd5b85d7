import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { folderHolder, writeFileAtomically } from '@signalbox/cluster';

/** What a running `up` says about itself, in its data folder: for `status`, and for whoever looks. */
export interface RunFacts {
  readonly pid: number;
  /** RFC 3339 */
  readonly since: string;
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  readonly kubeconfig: string;
  /** Where it writes what it has to say, when it runs in the background. */
  readonly log?: string | undefined;
}

const fileName = 'run.json';

export async function writeRunFile(folder: string, facts: RunFacts): Promise<void> {
  await writeFileAtomically(join(folder, fileName), `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
}

export async function removeRunFile(folder: string): Promise<void> {
  await rm(join(folder, fileName), { force: true });
}

export type Running =
  | { readonly is: 'stopped' }
  /** It has the folder and does not serve, yet or any more. */
  | { readonly is: 'busy'; readonly pid: number }
  | { readonly is: 'serving'; readonly facts: RunFacts };

/** Who works on the folder. The lock tells; a file that a crash has left behind says nothing. */
export async function runningIn(folder: string): Promise<Running> {
  const holder = await folderHolder(folder);
  if (holder === undefined) return { is: 'stopped' };
  const facts = await readRunFile(folder);
  return facts?.pid === holder.pid ? { is: 'serving', facts } : { is: 'busy', pid: holder.pid };
}

async function readRunFile(folder: string): Promise<RunFacts | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(join(folder, fileName), 'utf8'));
    return isRunFacts(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isRunFacts(value: unknown): value is RunFacts {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, since, server, kubeconfig } = value as Partial<Record<keyof RunFacts, unknown>>;
  return typeof pid === 'number' && [since, server, kubeconfig].every((text) => typeof text === 'string');
}
