/** What containers use: as their control groups count it, else as the processes of their namespace say. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import type { ContainerUsage } from '../../protocol/inside.ts';
import { type Container, groupOf } from './container.ts';
import type { ControlGroups, GroupUsage } from './control-groups.ts';

export async function usageOf(
  containers: readonly Container[],
  groups: ControlGroups,
): Promise<readonly ContainerUsage[]> {
  const counted = groups.trees !== undefined;
  const byNamespace = counted ? new Map<string, GroupUsage>() : await usageByNamespace();
  const all = await Promise.all(
    containers.map(async ({ launch, pid }) => {
      const used = counted
        ? await groups.usage(groupOf(launch)).catch(() => undefined)
        : byNamespace.get(await namespaceOf(pid));
      return used === undefined ? undefined : { pod: launch.pod, name: launch.name, ...used };
    }),
  );
  return all.flatMap((each) => each ?? []);
}

async function namespaceOf(pid: number): Promise<string> {
  return readlink(`/proc/${pid}/ns/pid`).catch(() => '');
}

/** Only processes of inside are seen here, so all of them are looked at. */
async function usageByNamespace(): Promise<ReadonlyMap<string, GroupUsage>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const used = new Map<string, GroupUsage>();
  for (const pid of pids) {
    const [namespace, stat] = await Promise.all([
      namespaceOf(pid),
      readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''),
    ]);
    if (stat === '' || namespace === '') continue;
    const one = parseStat(stat);
    const before = used.get(namespace) ?? { cpuNanoseconds: 0, memoryBytes: 0 };
    used.set(namespace, {
      cpuNanoseconds: before.cpuNanoseconds + one.cpuNanoseconds,
      memoryBytes: before.memoryBytes + one.memoryBytes,
    });
  }
  return used;
}

/** Linux has told times in hundredths of a second for ever, whatever the kernel's clock. */
const nanosecondsPerTick = 10_000_000;
const pageBytes = 4_096;

/** Its own time and that of children that it has waited for; the name in brackets may hold anything. */
export function parseStat(stat: string): GroupUsage {
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
  return {
    cpuNanoseconds: (user + system + childrenUser + childrenSystem) * nanosecondsPerTick,
    memoryBytes: (fields[21] ?? 0) * pageBytes,
  };
}
