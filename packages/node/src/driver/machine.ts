import { readFileSync, statfsSync } from 'node:fs';
import { arch, availableParallelism, release, totalmem } from 'node:os';
import type { Machine } from '@signalbox/cluster';

/** What this machine is. Read once: it does not change while the node runs. */
export interface MachineRead {
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Of the disk that its folder is on. */
  readonly diskBytes: number;
  readonly kernel: string;
  readonly osImage: string;
  readonly machineId: string;
  readonly bootId: string;
  readonly architecture: string;
  /** As many as it can hold. */
  readonly processes: number;
}

export function readMachine(folder: string): MachineRead {
  const osRelease = text('/etc/os-release');
  const { blocks, bsize } = statfsSync(folder);
  return {
    cpus: availableParallelism(),
    memoryBytes: totalmem(),
    diskBytes: blocks * bsize,
    kernel: release(),
    osImage: /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(osRelease)?.[1] ?? 'Linux',
    machineId: text('/etc/machine-id').trim(),
    bootId: text('/proc/sys/kernel/random/boot_id').trim(),
    architecture: architectures[arch()] ?? arch(),
    processes: Math.min(
      ...['pid_max', 'threads-max'].map((name) => Number(text(`/proc/sys/kernel/${name}`)) || 32_768),
    ),
  };
}

/** As Go calls them, and Kubernetes with it. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

function text(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** No pod has ever meant to have more at once; several that do not mean it leave room for everybody else. */
const processesMost = 4_096;
const processesPart = 1 / 16;

/** Of one container, so that one that starts itself again and again does not take the machine. */
export function processesMaxOf({ processes }: Pick<MachineRead, 'processes'>): number {
  return Math.min(processesMost, Math.floor(processes * processesPart));
}

export interface MachineTerms {
  readonly address: string;
  readonly podsMax: number;
  /** What cannot be held on this machine, each with the mend. */
  readonly lacks: readonly string[];
  readonly version: string;
}

/** What the Node says of it. */
export function machineOf(read: MachineRead, { address, podsMax, lacks, version }: MachineTerms): Machine {
  const capacity = {
    cpu: String(read.cpus),
    memory: `${Math.floor(read.memoryBytes / 1024)}Ki`,
    pods: String(podsMax),
    'ephemeral-storage': `${Math.floor(read.diskBytes / 1024)}Ki`,
  };
  return {
    address,
    capacity,
    measured: {
      allocatable: capacity,
      conditions: [
        lacks.length === 0
          ? {
              type: 'LimitsHeld',
              status: 'True',
              reason: 'ControlGroups',
              message: 'memory, CPU and processes of pods are limited',
            }
          : { type: 'LimitsHeld', status: 'False', reason: 'NoControlGroups', message: lacks.join('; ') },
      ],
    },
    info: {
      machineID: read.machineId,
      systemUUID: read.machineId,
      bootID: read.bootId,
      kernelVersion: read.kernel,
      osImage: read.osImage,
      containerRuntimeVersion: `process://${version}`,
      operatingSystem: 'linux',
      architecture: read.architecture,
    },
  };
}
