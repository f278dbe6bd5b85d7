/** What containers use: as their control groups count it, else as the processes of their namespace say. */
import { readFile } from 'node:fs/promises';
import type { ContainerUsage } from '../../protocol/inside.ts';
import { type Container, groupOf } from './container.ts';
import type { ControlGroups, GroupUsage } from './control-groups.ts';
import { mountNamespaceOf, processesByMountNamespace } from './mount-namespace.ts';

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
        : byNamespace.get(await mountNamespaceOf(pid));
      return used === undefined ? undefined : { pod: launch.pod, name: launch.name, ...used };
    }),
  );
  return all.flatMap((each) => each ?? []);
}

async function usageByNamespace(): Promise<ReadonlyMap<string, GroupUsage>> {
  const used = new Map<string, GroupUsage>();
  for (const [namespace, pids] of await processesByMountNamespace()) {
    const each = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
    used.set(
      namespace,
      each
        .filter((stat) => stat !== '')
        .map(parseStat)
        .reduce(sum, nothing),
    );
  }
  return used;
}

const nothing: GroupUsage = { cpuNanoseconds: 0, memoryBytes: 0 };

function sum(one: GroupUsage, other: GroupUsage): GroupUsage {
  return {
    cpuNanoseconds: one.cpuNanoseconds + other.cpuNanoseconds,
    memoryBytes: one.memoryBytes + other.memoryBytes,
  };
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
