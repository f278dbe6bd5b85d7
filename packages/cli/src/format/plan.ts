import { counted } from '@signalbox/cluster';
import {
  type ConfigurationChange,
  describeRef,
  type FieldChange,
  type Hunk,
  type ObjectChange,
  type PlannedChanges,
  type ShardChange,
  type TargetChange,
  type TargetChanges,
  type WorkloadChange,
} from '@signalbox/telemetry';
import type { Colors } from '../io/io.ts';

/** How much of each kind is shown to people; `-o json` has everything. */
const [objectsMax, fieldsMax, diffLinesMax, targetsMax] = [100, 8, 200, 10];
/** The rule of many slots is a thousand characters wide. */
const widthMax = 160;

/** What would happen as people read it, the sum at the end. Pure. */
export function formatPlannedChanges(changes: PlannedChanges, colors: Colors): string {
  const sections = [
    section('You change', objectLines(changes.edits, colors), colors),
    section('The operator then', objectLines(changes.objects, colors), colors),
    section(
      'Pods',
      changes.workloads.flatMap((each) => workloadLines(each, colors)),
      colors,
    ),
    ...changes.configurations.map((each) => configurationSection(each, colors)),
    ...changes.targets.map((each) => targetSection(each, colors)),
    section(
      'Events',
      changes.events.map(({ regarding, reason, note }) => `${describeRef(regarding)} ${reason}: ${note}`),
      colors,
    ),
    section(
      'Findings',
      changes.findings.map((finding) => findingLine(finding, colors)),
      colors,
    ),
  ].filter((lines) => lines.length > 0);
  return `${[...sections, [sumOf(changes, colors)]].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[], colors: Colors): readonly string[] {
  return lines.length === 0 ? [] : [colors.bold(title), ...lines.map((line) => `  ${line}`)];
}

const marks = { created: '+', changed: '~', deleted: '-', recreated: '±' } as const;

function objectLines(all: readonly ObjectChange[], colors: Colors): readonly string[] {
  const shown = all
    .slice(0, objectsMax)
    .flatMap(({ object, change, fields }) => [
      painted(change, `${marks[change]} ${describeRef(object)}${noteOn(change, fields.length)}`, colors),
      ...limited(fields.map(fieldText), fieldsMax, 'fields').map((line) => `    ${colors.dim(line)}`),
    ]);
  return all.length > objectsMax ? [...shown, colors.dim(`… and ${all.length - objectsMax} more`)] : shown;
}

function noteOn(change: ObjectChange['change'], fields: number): string {
  if (change === 'recreated') return ' (deleted and created anew)';
  return change === 'changed' && fields === 0 ? ' (marked, and nothing else)' : '';
}

function painted(change: ObjectChange['change'], text: string, colors: Colors): string {
  switch (change) {
    case 'created':
      return colors.green(text);
    case 'deleted':
      return colors.red(text);
    default:
      return colors.yellow(text);
  }
}

function fieldText({ path, before, after }: FieldChange): string {
  if (before === undefined && after === undefined) return path;
  return `${path}: ${before ?? 'not set'} → ${after ?? 'not set'}`;
}

function limited(lines: readonly string[], most: number, what: string): readonly string[] {
  return lines.length <= most ? lines : [...lines.slice(0, most), `… and ${lines.length - most} more ${what}`];
}

function workloadLines(change: WorkloadChange, colors: Colors): readonly string[] {
  const { workload, because } = change;
  return [
    `${describeRef(workload)} ${colors.bold(effectText(change))}`,
    ...limited(because, fieldsMax, 'fields').map((path) => `    ${colors.dim(`because of ${path}`)}`),
  ];
}

function effectText({ effect, podsBefore, podsAfter }: WorkloadChange): string {
  switch (effect) {
    case 'starts':
      return `starts ${podsText(podsAfter)}`;
    case 'stops':
      return `stops ${podsText(podsBefore)}`;
    case 'restarts':
      return `restarts ${podsText(podsAfter)}, one after the other`;
    case 'restarts on deletion':
      return `restarts ${podsText(podsAfter)}, each when somebody deletes it (OnDelete)`;
    case 'ends and starts':
      return `ends ${podsText(podsBefore)} and starts ${podsText(podsAfter)}, all at once`;
    case 'keeps':
      return `keeps ${podsText(podsAfter)}: it is made anew around them`;
    case 'scales':
      return `goes from ${podsText(podsBefore)} to ${podsText(podsAfter)}`;
    default:
      return effect satisfies never;
  }
}

function podsText(pods: number | undefined): string {
  return pods === undefined ? 'a pod on each node' : counted(pods, 'pod');
}

function restartText(workloads: number): string {
  if (workloads === 0) return 'nothing restarts';
  return workloads === 1 ? '1 workload restarts' : `${workloads} workloads restart`;
}

function configurationSection(change: ConfigurationChange, colors: Colors): readonly string[] {
  const { name, hunks } = change;
  const title = `Configuration ${name}: ${configurationText(change)}`;
  const lines = hunks.flatMap((hunk) => [
    colors.cyan(headOf(hunk)),
    ...hunk.lines.map((line) => diffLine(line, colors)),
  ]);
  return [colors.bold(title), ...limited(lines, diffLinesMax, 'lines, which -o json has').map((line) => `  ${line}`)];
}

function configurationText({ change, isSorted, linesAdded, linesRemoved }: ConfigurationChange): string {
  if (isSorted && linesAdded + linesRemoved === 0) return 'written otherwise, no setting changes';
  const lines = `${change}, ${counted(linesAdded, 'line')} added, ${linesRemoved} removed`;
  return isSorted ? `${lines} (written otherwise: both with sorted fields)` : lines;
}

function headOf({ beforeLine, afterLine, lines }: Hunk): string {
  const count = (mark: string): number => lines.filter((line) => line[0] === ' ' || line[0] === mark).length;
  return `@@ -${beforeLine},${count('-')} +${afterLine},${count('+')} @@`;
}

function diffLine(line: string, colors: Colors): string {
  const shown = line.length <= widthMax ? line : `${line.slice(0, widthMax)}…`;
  switch (line[0]) {
    case '+':
      return colors.green(shown);
    case '-':
      return colors.red(shown);
    default:
      return shown;
  }
}

function targetSection(
  { root, looked, changes, shards, emptied, unknown, isImagined }: TargetChanges,
  colors: Colors,
): readonly string[] {
  const count = (what: TargetChange['change']): number => changes.filter(({ change }) => change === what).length;
  const kinds = (['gained', 'lost', 'moved', 'relabelled'] as const).filter((what) => count(what) > 0);
  const sum = kinds.map((what) => `${count(what)} ${what}`).join(', ');
  const lines = [
    ...shards.map(({ shard, ...each }) => `shard ${shard}: ${shardText(each)}`),
    ...kinds.flatMap((what) =>
      limited(
        changes.filter(({ change }) => change === what).map(targetText),
        targetsMax,
        `${what}, which -o json has`,
      ).map((line) => colors.dim(line)),
    ),
    ...limited(
      emptied.map((job) => `${job} loses its last target`),
      targetsMax,
      'jobs that lose their last target, which -o json has',
    ).map((line) => colors.red(line)),
    ...unknown.map(({ job, why }) => colors.yellow(`${job}: ${why}`)),
    ...(isImagined
      ? [colors.yellow('addresses of pods that are not among the manifests are made up, and so is their shard')]
      : []),
  ];
  return section(
    `Targets of ${describeRef(root)}: ${sum === '' ? 'not known' : `${sum} (of ${looked})`}`,
    lines,
    colors,
  );
}

function shardText({ gained, lost, movedIn, movedOut }: Omit<ShardChange, 'shard'>): string {
  const parts = [
    ...(gained > 0 ? [`${gained} gained`] : []),
    ...(lost > 0 ? [`${lost} lost`] : []),
    ...(movedIn > 0 ? [`${movedIn} move in`] : []),
    ...(movedOut > 0 ? [`${movedOut} move out`] : []),
  ];
  return parts.join(', ');
}

function targetText({ change, job, address, of, shardsBefore, shardsAfter }: TargetChange): string {
  const what = `${address}${of === '' ? '' : ` ${of}`} of ${job}`;
  switch (change) {
    case 'gained':
      return `+ ${what}, shard ${shardsAfter.join(', ')}`;
    case 'lost':
      return `- ${what}, shard ${shardsBefore.join(', ')}`;
    case 'moved':
      return `~ ${what}, shard ${shardsBefore.join(', ')} → ${shardsAfter.join(', ')}`;
    case 'relabelled':
      return `~ ${what}, other labels`;
    default:
      return change satisfies never;
  }
}

function findingLine(
  { severity, regarding, field, message }: PlannedChanges['findings'][number],
  colors: Colors,
): string {
  const mark = severity === 'error' ? colors.red('error') : colors.yellow('warning');
  return `${mark}: ${describeRef(regarding)}: ${field === '' ? '' : `${field}: `}${message}`;
}

function sumOf({ edits, objects, workloads, isEndless }: PlannedChanges, colors: Colors): string {
  if (edits.length + objects.length === 0) return 'Nothing would change.';
  const all = [...edits, ...objects];
  const count = (...changes: readonly ObjectChange['change'][]): number =>
    all.filter(({ change }) => changes.includes(change)).length;
  const restarts = workloads.filter(
    ({ effect }) => effect.startsWith('restarts') || effect === 'ends and starts',
  ).length;
  const sum = `${count('created')} to create, ${count('changed', 'recreated')} to change, ${count('deleted')} to delete; ${restartText(restarts)}.`;
  return isEndless ? `${sum}\n${colors.yellow('The operator does not come to rest: this is how far it came.')}` : sum;
}
