import { join } from 'node:path';
import { findLauncher } from './launcher.ts';
import { systemProcessTable } from './process-table.ts';

/** The file, where this is a bundle. */
declare const __SIGNALBOX_WHOLE__: string | undefined;

/** Who started this process is looked up before anything else is loaded: it may be gone by then, see launcher.ts. */
const table = systemProcessTable(process);
const by = await findLauncher(table, process.env);
const [name, ...flags] = process.argv.slice(2);
// The help is the command line's, for all commands alike.
if (name === 'reloader' && !flags.some((flag) => flag === '--help' || flag === '-h')) {
  const { runReloaderProcess } = await import('./reloader-process.ts');
  await runReloaderProcess({ by, table });
} else {
  const { runProcess } = name === 'up' ? await loadWhole() : await import('./process.ts');
  await runProcess({ by, table });
}

/** What starts a cluster starts most often of all, and is most code: in a bundle it is a file of its own that stays compiled. */
async function loadWhole(): Promise<typeof import('./process.ts')> {
  if (typeof __SIGNALBOX_WHOLE__ !== 'string') return await import('./process.ts');
  const { requireCompiled } = await import('./compiled.ts');
  const { env, execArgv } = process;
  const after = (delayMs: number, work: () => void): void => void setTimeout(work, delayMs).unref();
  return requireCompiled(join(import.meta.dirname, __SIGNALBOX_WHOLE__), { env, execArgv, after });
}
