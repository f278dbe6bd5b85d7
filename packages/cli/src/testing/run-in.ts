import { run } from '../run.ts';
import { createTestIo } from './io.ts';

/** What a command has told, and how it has ended. */
export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command as a page of the documentation has it, in a folder of examples. */
export async function runIn(folder: URL, command: string): Promise<Answer> {
  const io = await createTestIo();
  try {
    const code = await run(command.split(' '), { ...io, cwd: folder.pathname });
    return { code, out: io.out(), err: io.err() };
  } finally {
    await io.remove();
  }
}
