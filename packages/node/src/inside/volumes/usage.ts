/**
 * How much folders on disk hold. A disk cannot be divided without rights that an ordinary user does not have, so whoever takes
 * more than was agreed is told of, and leaves: as a kubelet does it.
 */
import { statfs } from 'node:fs/promises';
import { run } from '../run.ts';

export interface DiskFolder {
  readonly pod: string;
  readonly volume: string;
  readonly folder: string;
  readonly limitBytes: number | undefined;
}

export interface Overfull {
  readonly pod: string;
  readonly volume: string;
  /** Undefined: the disk is nearly full, and this folder is the largest. */
  readonly limitBytes: number | undefined;
}

export interface Disk {
  readonly bytes: number;
  readonly freeBytes: number;
}

/** `limits`: what folders hold, where somebody has a limit. `disk`: only whether the disk has room, which costs next to nothing. */
export type UsageLook = 'limits' | 'disk';

/** How often folders are measured. */
export const usageIntervalMs = 10_000;
/** A full disk hurts all others on it, and is seen sooner. */
const diskIntervalMs = 1_000;
const freeSharesMin = 20;
const freeBytesMin = 256 << 20;

/** Whose folder is too large; nothing is measured while nobody has a limit and the disk has room. */
export async function overfullOf(
  folders: readonly DiskFolder[],
  { disk, look }: { readonly disk: string; readonly look: UsageLook },
): Promise<readonly Overfull[]> {
  if (folders.length === 0) return [];
  const { blocks, bavail, bsize } = await statfs(disk);
  const state = { bytes: blocks * bsize, freeBytes: bavail * bsize };
  const limited = look === 'disk' ? [] : folders.filter(({ limitBytes }) => limitBytes !== undefined);
  const asked = isNearlyFull(state) ? folders : limited;
  if (asked.length === 0) return [];
  return planOverfull(asked, { used: await usedBytes(asked.map(({ folder }) => folder)), disk: state });
}

export function isNearlyFull({ bytes, freeBytes }: Disk): boolean {
  return freeBytes < Math.min(bytes / freeSharesMin, freeBytesMin);
}

export interface Usage {
  /** By folder. */
  readonly used: ReadonlyMap<string, number>;
  readonly disk: Disk;
}

export function planOverfull(folders: readonly DiskFolder[], { used, disk }: Usage): readonly Overfull[] {
  const usedBy = ({ folder }: DiskFolder): number => used.get(folder) ?? 0;
  const over = folders.filter((each) => each.limitBytes !== undefined && usedBy(each) > each.limitBytes);
  if (over.length > 0) return over.map(({ pod, volume, limitBytes }) => ({ pod, volume, limitBytes }));
  if (!isNearlyFull(disk)) return [];
  const [largest] = folders.toSorted((one, other) => usedBy(other) - usedBy(one));
  if (largest === undefined || usedBy(largest) === 0) return [];
  return [{ pod: largest.pod, volume: largest.volume, limitBytes: undefined }];
}

/** By `du`, which follows no links and leaves no disk. */
async function usedBytes(folders: readonly string[]): Promise<ReadonlyMap<string, number>> {
  // It fails for files that go meanwhile, and has counted the others.
  const { stdout } = await run(['du', '-sxB1', '--', ...folders]);
  return new Map(
    stdout.split('\n').flatMap((line) => {
      const [bytes = '', folder] = line.split('\t');
      return folder === undefined ? [] : [[folder, Number(bytes)] as const];
    }),
  );
}

export interface UsageWatch {
  after(delayMs: number, work: () => void): () => void;
  overfull(of: Overfull): void;
}

/** Tells of each once, until it has room again. Goes on as long as the process lives. */
export function watchUsage(
  volumes: { overfull(look: UsageLook): Promise<readonly Overfull[]> },
  { after, overfull }: UsageWatch,
): void {
  let told = new Set<string>();
  let measuredMs = 0;
  const lookIn = (delayMs: number): void => {
    after(delayMs, () => void look(delayMs));
  };
  const look = async (passedMs: number): Promise<void> => {
    measuredMs += passedMs;
    const isMeasuring = measuredMs >= usageIntervalMs;
    if (isMeasuring) measuredMs = 0;
    const found = await volumes.overfull(isMeasuring ? 'limits' : 'disk').catch((): readonly Overfull[] => []);
    const keys = found.map(({ pod, volume }) => `${pod}/${volume}`);
    for (const [index, each] of found.entries()) if (!told.has(keys[index] ?? '')) overfull(each);
    told = isMeasuring ? new Set(keys) : new Set([...told, ...keys]);
    // Whoever was found gets the time to go before the next one has to.
    lookIn(found.length > 0 ? usageIntervalMs : diskIntervalMs);
  };
  lookIn(diskIntervalMs);
}
