import { findLauncher } from './launcher.ts';
import { systemProcessTable } from './process-table.ts';

/** Who started this process is looked up before anything else is loaded: it may be gone by then, see launcher.ts. */
const table = systemProcessTable(process);
const by = await findLauncher(table, process.env);
const { runProcess } = await import('./process.ts');
await runProcess({ by, table });
