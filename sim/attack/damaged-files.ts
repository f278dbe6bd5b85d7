import { spawn } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { checkFolder, type Random } from '@signalbox/cluster';
import { seededRandom } from '@signalbox/cluster/testing';
import { startCommand } from '../../packages/cli/src/testing/process.ts';
import type { Attack, AttackOptions, AttackResult } from './attack.ts';

/**
 * What can lie in a data folder after a disk, a copy or a hand was not careful. A start has everything that was there, or ends
 * with exit code 1 and one line that says what to do: never by a signal, and never as if there had been no cluster.
 */
export const damagedFiles: Attack = {
  name: 'damaged-files',
  summary: 'a start on damaged files has everything that was there or is refused with the mend',
  async run(options) {
    const cwd = await mkdtemp(join(tmpdir(), 'signalbox-damaged-'));
    try {
      const [pages, starts] = await Promise.all([damagePages(options), damageFolders(cwd, options)]);
      return {
        cases: pages.cases + starts.cases,
        findings: [...pages.findings, ...starts.findings],
        figures: { ...pages.figures, ...starts.figures },
      };
    } finally {
      await rm(cwd, { recursive: true });
    }
  },
};

const pageCasesFor = { short: 60, long: 4_000 } as const;
const folderCasesFor = { short: 5, long: Infinity } as const;

/** In a process of its own, because it is the process that a damaged page may end. */
async function damagePages({ seed, effort, signal }: AttackOptions): Promise<AttackResult> {
  const worker = new URL('./damaged-pages.ts', import.meta.url).pathname;
  const argv = [
    '--conditions=signalbox-source',
    '--import',
    import.meta.resolve('tsx'),
    worker,
    `${seed}`,
    `${pageCasesFor[effort]}`,
  ];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'], signal });
  const findings: string[] = [];
  const counts = { intactFiles: 0, refusedFiles: 0 };
  let last = '';
  const ended = new Promise<string>((resolve) => child.on('close', (code, by) => resolve(by ?? String(code))));
  child.on('error', () => undefined);
  for await (const line of createInterface({ input: child.stdout })) {
    const { what, outcome } = JSON.parse(line) as { readonly what: string; readonly outcome: string };
    last = what;
    if (outcome === 'intact') counts.intactFiles += 1;
    else if (outcome === 'refused') counts.refusedFiles += 1;
    else if (outcome !== 'begun') findings.push(`seed ${seed}, ${what}: ${outcome}`);
  }
  const end = await ended;
  if (end !== '0') findings.push(`seed ${seed}, ${last}: the process ended by ${end}`);
  return { cases: counts.intactFiles + counts.refusedFiles, findings, figures: counts };
}

interface FolderCase {
  readonly name: string;
  readonly expects: 'intact' | 'refused' | 'either';
  change(folder: string, random: Random): Promise<void>;
}

const data = 'objects.mdb';
const marker = 'revisions.json';

const folderCases: readonly FolderCase[] = [
  { name: 'data file missing', expects: 'refused', change: (folder) => rm(join(folder, data)) },
  { name: 'data file empty', expects: 'refused', change: (folder) => truncate(join(folder, data), 0) },
  {
    name: 'data file and marker missing',
    expects: 'refused',
    change: async (folder) => {
      await rm(join(folder, data));
      await rm(join(folder, marker));
    },
  },
  {
    name: 'data file cut short',
    expects: 'either',
    change: async (folder, random) => {
      const { length } = await readFile(join(folder, data));
      await truncate(join(folder, data), length - 1 - random.below(length - 1));
    },
  },
  {
    name: 'data file is a folder',
    expects: 'refused',
    change: async (folder) => {
      await rm(join(folder, data));
      await mkdir(join(folder, data));
    },
  },
  {
    // When the day brought nothing new it is as good as the one of today.
    name: 'data file of an older day',
    expects: 'either',
    change: (folder) => copyFile(join(folder, '..', 'older.mdb'), join(folder, data)),
  },
  {
    name: 'folder is a file',
    expects: 'refused',
    change: async (folder) => {
      await rm(folder, { recursive: true });
      await writeFile(folder, '');
    },
  },
  { name: 'marker missing', expects: 'intact', change: (folder) => rm(join(folder, marker)) },
  { name: 'marker garbage', expects: 'intact', change: (folder) => writeFile(join(folder, marker), '\u0000{') },
  {
    name: 'marker behind',
    expects: 'intact',
    change: (folder) => writeFile(join(folder, marker), '{"least":1,"reserved":1}'),
  },
  {
    name: 'marker ahead',
    expects: 'refused',
    change: (folder) => writeFile(join(folder, marker), '{"least":99999,"reserved":99999}'),
  },
  {
    name: 'lock file of lmdb garbage',
    expects: 'intact',
    change: (folder) => writeFile(join(folder, `${data}-lock`), Buffer.alloc(9_999, 0xa5)),
  },
  {
    name: 'lock of a dead process',
    expects: 'intact',
    change: (folder) => writeFile(join(folder, 'lock.999999.1-aaaaaaaa'), 'garbage'),
  },
  {
    name: 'data file unreadable',
    expects: process.getuid?.() === 0 ? 'intact' : 'refused',
    change: (folder) => chmod(join(folder, data), 0o000),
  },
];

async function damageFolders(cwd: string, { seed, effort, signal, log }: AttackOptions): Promise<AttackResult> {
  const random = seededRandom(`damaged-files/${seed}`);
  const findings: string[] = [];
  const base = join(cwd, 'base');
  const first = await up(cwd, 'base');
  if (first.code !== 0) return { cases: 0, findings: [`the first start failed: ${first.err}`], figures: {} };
  await copyFile(join(base, data), join(cwd, 'older.mdb'));
  await up(cwd, 'base');
  const { objects, revision } = await checkFolder(base);
  const chosen = [...folderCases].sort(() => random.next() - 0.5).slice(0, folderCasesFor[effort]);
  let cases = 0;
  for (const { name, expects, change } of chosen) {
    if (signal.aborted) break;
    const folder = join(cwd, 'case');
    await cp(base, folder, { recursive: true });
    await change(folder, random);
    const { code, err } = await up(cwd, 'case');
    cases += 1;
    const lines = err.split('\n').filter((line) => line !== '');
    const told = lines.filter((line) => line.startsWith('error: '));
    const isRefused =
      code === 1 && told.length === 1 && /;|--data/.test(told[0] ?? '') && !/invariant| at \S+:\d+/.test(err);
    const after = code === 0 ? await checkFolder(folder) : undefined;
    const isIntact =
      after !== undefined && after.findings.length === 0 && after.objects >= objects && after.revision >= revision;
    const isAsExpected = (isRefused && expects !== 'intact') || (isIntact && expects !== 'refused');
    if (!isAsExpected)
      findings.push(`seed ${seed}, ${name}: exit ${code}, ${after?.objects} of ${objects} objects: ${err.trim()}`);
    log(`${name}: ${isRefused ? 'refused' : 'intact'}`);
    await rm(folder, { recursive: true });
  }
  return { cases, findings, figures: { startedFolders: cases } };
}

async function up(cwd: string, folder: string): Promise<{ readonly code: number | null; readonly err: string }> {
  const argv = [
    'up',
    '--data',
    folder,
    '--port',
    '0',
    '--nodes',
    '1',
    '--no-operator',
    '--no-crds',
    '--exit-when-ready',
  ];
  const command = startCommand(argv, { cwd });
  const code = await command.ended;
  return { code, err: command.err() };
}
