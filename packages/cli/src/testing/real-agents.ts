/** Real agents that scrape 240 targets, 40 of them real, in shards of two replicas (`agents.yaml`): which there are, and what arrived. */
import { chmodSync, constants, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repository } from './process.ts';
import { mendFor, type RealUp } from './real-up.ts';

export const agentManifests: string = fileURLToPath(new URL('agents/agents.yaml', import.meta.url));
export const agentMend: string = mendFor({
  'victoria-metrics': '/usr/bin/vmagent',
  prometheus: '/usr/bin/prometheus',
  perl: '/usr/bin/perl',
});

export interface RealAgent {
  readonly agent: string;
  readonly program: string;
  /** Only its owner may reach it. */
  readonly isPrivate: boolean;
  /** Samples arrive so much later at most. */
  readonly lateSeconds: number;
}

/** Debian's Prometheus has no Kubernetes discovery: only an upstream one can be the agent, where there is one. */
export function realAgents(upstream: string | undefined): readonly RealAgent[] {
  const vmagent = join(repository, 'examples/real/vmagent-as-prometheus');
  return [
    { agent: 'vmagent', program: vmagent, isPrivate: false, lateSeconds: 2 },
    // It collects them for 5 s.
    ...(upstream === undefined ? [] : [{ agent: 'Prometheus', program: upstream, isPrivate: true, lateSeconds: 6 }]),
  ];
}

/** The options of `up` by which a program is the agent. */
export function nodeOf({ program, isPrivate }: RealAgent, { cwd }: RealUp): readonly string[] {
  const agent = isPrivate ? forOthers(program, cwd) : program;
  const images = ['perl=/usr/bin/perl', 'example/receiver=/usr/bin/prometheus', `prometheus/prometheus=${agent}`];
  return [
    '--nodes',
    '4',
    '--port',
    '0',
    '--real',
    '--node-name',
    'box',
    ...images.flatMap((each) => ['--image', each]),
  ];
}

/** A copy that every user reaches: what is in a home may be its owner's alone. */
function forOthers(program: string, folder: string): string {
  const copy = join(folder, 'prometheus');
  copyFileSync(program, copy, constants.COPYFILE_FICLONE);
  chmodSync(copy, 0o755);
  return copy;
}

/** What a query for raw samples of all targets begins with; a range comes after it. */
export const upOfTargets = 'up{job="monitoring/apps"}';

export interface Spread {
  readonly targets: number;
  readonly seen: number;
  readonly failed: number;
  readonly moved: number;
  readonly shards: readonly string[];
}

interface Row {
  readonly target: string;
  readonly failed: number;
  readonly shards: readonly string[];
}

/** Each replica sees each target, by one shard. */
export function spreadOf(rows: readonly Row[]): Spread {
  return {
    targets: new Set(rows.map(({ target }) => target)).size,
    seen: rows.length,
    failed: rows.reduce((sum, { failed }) => sum + failed, 0),
    moved: rows.filter(({ shards }) => shards.length > 1).length,
    shards: [...new Set(rows.flatMap(({ shards }) => shards))].toSorted(),
  };
}

/** Of the last seconds that have arrived. */
export function lastSeconds({ lateSeconds }: RealAgent): string {
  return `[5s] offset ${lateSeconds}s`;
}

/** All of them, each by one shard of each of both replicas. */
export function evenly(targets: number, shards: number): Spread {
  return {
    ...{ targets, seen: targets * 2, failed: 0, moved: 0 },
    shards: Array.from({ length: shards }, (_, shard) => String(shard)),
  };
}
