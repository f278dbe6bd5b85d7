/** From the name of an image to the program that it is: what to look for, and what follows from what was found. */
import { programAccounts } from './accounts.ts';
import type { Image } from './image.ts';
import { type ImageName, parseImageName } from './reference.ts';
import { type ImageRule, matchesImage } from './rules.ts';
import { type KnownImage, knownImages } from './table.ts';

export type ImagePlan =
  | { readonly is: 'invalid' }
  /** Nobody says which program it is. */
  | { readonly is: 'unknown'; readonly name: ImageName }
  | {
      readonly is: 'program';
      readonly name: ImageName;
      readonly candidates: readonly string[];
      readonly known: KnownImage;
    };

/** Rules in their order; then what is known of itself. */
export function planImage(text: string, rules: readonly ImageRule[]): ImagePlan {
  const name = parseImageName(text);
  if (name === undefined) return { is: 'invalid' };
  const known = knownImages.find(({ patterns }) => patterns.some((pattern) => matchesImage(pattern, name)));
  const rule = rules.find(({ pattern }) => matchesImage(pattern, name));
  if (rule === undefined)
    return known === undefined ? { is: 'unknown', name } : { is: 'program', name, candidates: known.programs, known };
  const mend = 'install it, or name another one by --image';
  // A program of one's own under a known name runs as its image does; under any other name it takes what the pod gives.
  return {
    is: 'program',
    name,
    candidates: [rule.program],
    known: known === undefined ? { patterns: [], programs: [], mend } : { ...known, mend },
  };
}

/** A program as it was found. */
export interface FoundProgram {
  /** What is run: the program itself, or its interpreter and the program. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute, links resolved. */
  readonly path: string;
  /** Of what it needs outside of `/usr`, itself included. */
  readonly paths: readonly string[];
}

export function programImage({ known }: Extract<ImagePlan, { readonly is: 'program' }>, found: FoundProgram): Image {
  const { leading = [], cmd = [], env = {}, user = '', workingDir = '', isBare = false } = known;
  return {
    id: `program://${found.path}`,
    root: { is: 'programs', paths: found.paths },
    entrypoint: isBare ? [] : [...found.argv, ...leading],
    // The first of these is the program, whatever it is called here.
    cmd: isBare ? [...found.argv, ...cmd.slice(1)] : cmd,
    ...{ env, user, workingDir },
    accounts: programAccounts,
    aliases: aliasesOf(known, found),
    ...(known.cpuMilliLeast !== undefined && { cpuMilliLeast: known.cpuMilliLeast }),
    ...(known.memoryBytesLeast !== undefined && { memoryBytesLeast: known.memoryBytesLeast }),
  };
}

/** Commands of pods name the program as the real image has it: `/bin/prometheus-config-reloader`. */
function aliasesOf({ patterns, programs }: KnownImage, { argv, path }: FoundProgram): Image['aliases'] {
  const names = [...programs, ...patterns.flatMap((pattern) => pattern.split('/').at(-1) ?? [])];
  const own = path.split('/').at(-1) ?? '';
  return Object.fromEntries([...new Set([own, ...names])].map((name) => [name, argv]));
}
