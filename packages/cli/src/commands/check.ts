import { checkFolder } from '@signalbox/cluster';
import { absolute, type Io, writeLine } from '../io/io.ts';

const findingsMax = 100;

/** Reads all of a data folder. Resolves with the exit code: 1 when something is wrong with it. */
export async function check({ data }: { readonly data: string }, io: Io): Promise<number> {
  const { findings, revision, objects, bytes, resources, freePages } = await checkFolder(absolute(data, io));
  for (const finding of findings.slice(0, findingsMax)) writeLine(io.stdout, finding);
  if (findings.length > findingsMax) writeLine(io.stdout, `and ${findings.length - findingsMax} more`);
  for (const [resource, count] of [...resources].sort(([a], [b]) => (a < b ? -1 : 1)))
    writeLine(io.stderr, `${String(count).padStart(8)}  ${resource}`);
  const megabytes = (bytes / 1_048_576).toFixed(1);
  writeLine(
    io.stderr,
    `${objects} objects, ${megabytes} MB, revision ${revision}, ${freePages} free pages, ${findings.length} findings`,
  );
  if (findings.length === 0) return 0;
  writeLine(io.stderr, 'restore a backup into another folder: signalbox restore FILE --data DIR');
  return 1;
}
