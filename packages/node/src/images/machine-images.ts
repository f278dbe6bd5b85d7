import { type ArchivesOptions, createArchives } from './archives/archives.ts';
import { createImages, type Images } from './images.ts';
import { createPrograms, type ProgramsOptions } from './programs.ts';
import type { ImageRule } from './rules.ts';

export interface MachineImagesOptions extends ProgramsOptions {
  readonly rules: readonly ImageRule[];
  /** Undefined: there are programs only. */
  readonly archives: ArchivesOptions | undefined;
}

/** The programs on this machine's PATH, and the images in a folder of it. */
export function createMachineImages({ rules, archives, ...programs }: MachineImagesOptions): Images {
  const unpacked = archives === undefined ? undefined : createArchives(archives);
  return createImages({
    ...{ rules, ...createPrograms(programs) },
    unpacked: async (fullName) => unpacked?.unpacked(fullName),
  });
}
