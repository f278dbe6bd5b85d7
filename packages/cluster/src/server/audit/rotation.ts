export interface Rotation {
  /** Of the file's name: what stands before and behind the time. */
  readonly stem: string;
  readonly end: string;
  readonly nowMs: number;
  readonly ageMsMax?: number | undefined;
  readonly backupsMax?: number | undefined;
}

/** Which files of a folder were put aside and have to go. Pure. */
export function staleBackups(names: readonly string[], rotation: Rotation): readonly string[] {
  const { nowMs, ageMsMax = Infinity, backupsMax = Infinity } = rotation;
  const backups = names
    .flatMap((name) => {
      const timeMs = timeIn(name, rotation);
      return timeMs === undefined ? [] : [{ name, timeMs }];
    })
    .sort((a, b) => b.timeMs - a.timeMs);
  return backups
    .filter(({ timeMs }, index) => index >= backupsMax || nowMs - timeMs > ageMsMax)
    .map(({ name }) => name);
}

function timeIn(name: string, { stem, end }: Rotation): number | undefined {
  if (!name.startsWith(`${stem}-`) || !name.endsWith(end)) return undefined;
  const text = name.slice(stem.length + 1, name.length - end.length);
  const [, day, hours, minutes, seconds] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const timeMs = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
