import { findLauncher } from './launcher.ts';
import { systemProcessTable } from './process-table.ts';

/** Who started this process is looked up before anything else is loaded: it may be gone by then, see launcher.ts. */
const table = systemProcessTable(process);
const by = await findLauncher(table, process.env);
const [name, ...flags] = process.argv.slice(2);
// The help is the command line's, for all commands alike.
if (name === 'reloader' && !flags.some((flag) => flag === '--help' || flag === '-h')) {
  const { runReloaderProcess } = await import('./reloader-process.ts');
  await runReloaderProcess({ by, table });
} else {
  const { runProcess } = await import('./process.ts');
  await runProcess({ by, table });
}
