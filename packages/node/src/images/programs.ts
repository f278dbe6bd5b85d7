/** Programs of this machine, and what their files say they can do. */
import { accessSync, constants, createReadStream, type Stats, statSync } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { ImageSources } from './images.ts';
import { type Ability, abilitiesLacking, abilityMarks } from './needs.ts';
import type { FoundProgram } from './plan.ts';
import { ownReloader } from './table.ts';

export interface ProgramsOptions {
  /** As in the environment: `/usr/local/bin:/usr/bin`. */
  readonly path: string;
  /** How containers start our config reloader; undefined: it is not there. */
  readonly reloader: FoundProgram | undefined;
}

/** What is known of a program is kept for as long as its file is the same. */
export function createPrograms({ path, reloader }: ProgramsOptions): Pick<ImageSources, 'findProgram' | 'lacking'> {
  const found = new Map<string, Promise<FoundProgram>>();
  const findOnPath = (program: string): Promise<FoundProgram> | undefined => {
    const file = fileOf(program, path);
    if (file === undefined) return undefined;
    const known = found.get(file.stamp) ?? foundAt(file.place);
    found.set(file.stamp, known);
    known.catch(() => found.delete(file.stamp));
    return known;
  };
  const verdicts = new Map<string, Promise<readonly Ability[]>>();
  return {
    findProgram: async (program) => (program === ownReloader ? reloader : findOnPath(program)),
    async lacking({ path: file }) {
      const { size, mtimeMs, ino } = await stat(file);
      const key = JSON.stringify([file, size, mtimeMs, ino]);
      const known = verdicts.get(key) ?? marksIn(file).then(abilitiesLacking);
      verdicts.set(key, known);
      return known;
    },
  };
}

interface ProgramFile {
  readonly place: string;
  /** Another one when the file is another one. */
  readonly stamp: string;
}

/** Looked for each time: it may have been installed meanwhile, or further to the front. */
function fileOf(program: string, path: string): ProgramFile | undefined {
  const places = isAbsolute(program)
    ? [program]
    : path.split(':').flatMap((folder) => (isAbsolute(folder) ? [join(folder, program)] : []));
  for (const place of places) {
    const stats = startable(place);
    if (stats === undefined) continue;
    return { place, stamp: JSON.stringify([place, stats.size, stats.mtimeMs, stats.ino]) };
  }
  return undefined;
}

/** Undefined, too, in a folder that this user may not look into. */
function startable(place: string): Stats | undefined {
  try {
    const stats = statSync(place, { throwIfNoEntry: false });
    if (stats?.isFile() !== true) return undefined;
    accessSync(place, constants.X_OK);
    return stats;
  } catch {
    return undefined;
  }
}

/** Started by the name that it was found by: some programs decide by it what they are. */
async function foundAt(place: string): Promise<FoundProgram> {
  const real = await realpath(place);
  const isOfMachine = (each: string): boolean => /^\/(usr|bin|sbin|lib\w*)\//.test(each);
  const interpreter = await interpreterOf(real);
  const needed = [
    place,
    real,
    ...(interpreter === undefined ? [] : [interpreter, await realpath(interpreter).catch(() => interpreter)]),
  ];
  return { argv: [place], path: real, paths: [...new Set(needed)].filter((each) => !isOfMachine(each)) };
}

const firstLineMax = 256;

async function interpreterOf(file: string): Promise<string | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(firstLineMax), 0, firstLineMax, 0);
    return /^#!\s*(\/\S+)/.exec(buffer.subarray(0, bytesRead).toString('latin1'))?.[1];
  } finally {
    await handle.close();
  }
}

/** Which of the marks are in the file, read once from start to end. */
async function marksIn(file: string): Promise<ReadonlySet<string>> {
  const longest = Math.max(...abilityMarks.map((mark) => mark.length));
  const found = new Set<string>();
  let tail = Buffer.alloc(0);
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    const text = Buffer.concat([tail, chunk as Buffer]);
    for (const mark of abilityMarks) if (!found.has(mark) && text.includes(mark)) found.add(mark);
    tail = text.subarray(-longest);
  }
  return found;
}
