import {
  describeRef,
  type Fate,
  type JobView,
  type MonitorExplanation,
  type SelectorView,
  type TargetExplanation,
  type TargetView,
} from '@signalbox/telemetry';
import type { Colors } from '../io/io.ts';

/** How many targets of one job, and of dropped ones how many rules, are shown; `-o json` has them all. */
const shownMax = 10;

/** The answer first, then how it came to it. Pure. */
export function formatMonitorExplanation(explanation: MonitorExplanation, colors: Colors): string {
  const { monitor, outcome, cause, mend, notes, selectors } = explanation;
  const name = colors.bold(describeRef(monitor));
  const lines = [
    outcome === 'scraped'
      ? `${colors.green('✓')} ${name} is scraped`
      : `${colors.red('✗')} ${name} ${outcomes[outcome]}`,
    ...answerLines({ cause, mend }, colors),
    ...noteLines(notes, colors),
    ...selectors.flatMap((view) => ['', ...selectorLines(view, colors)]),
  ];
  return `${lines.join('\n')}\n`;
}

const outcomes: Readonly<Record<Exclude<MonitorExplanation['outcome'], 'scraped'>, string>> = {
  'left out': 'is left out',
  'no targets': 'has no targets',
  'not selected': 'is selected by nobody',
  refused: 'would be refused',
  unknown: 'has targets that cannot be foretold',
  withheld: 'is selected, but not yet in any configuration',
};

export function formatTargetExplanation(text: string, explanation: TargetExplanation, colors: Colors): string {
  const { outcome, cause, mend, notes, objects, finds, idle } = explanation;
  const name = colors.bold(text);
  const shown = finds.slice(0, shownMax);
  const lines = [
    outcome === 'scraped' ? `${colors.green('✓')} ${name} is scraped` : `${colors.red('✗')} ${name} is not scraped`,
    ...answerLines({ cause, mend }, colors),
    ...noteLines(notes, colors),
    ...(objects.length === 0 ? [] : [`  it is:  ${objects.map(describeRef).join(', ')}`]),
    ...shown.flatMap(({ monitor, root, job, shards, target }) => [
      '',
      `${colors.bold(describeRef(monitor))} ${colors.dim('·')} ${describeRef(root)}, job ${job}`,
      ...targetLines(target, { colors, shards }).map((line) => `  ${line}`),
    ]),
    ...(finds.length > shown.length ? ['', colors.dim(`and ${finds.length - shown.length} more that drop it`)] : []),
    ...idle
      .slice(0, shownMax)
      .flatMap((each) => ['', `${colors.bold(describeRef(each.monitor))} would find it`, ...answerLines(each, colors)]),
  ];
  return `${lines.join('\n')}\n`;
}

function answerLines(
  { cause, mend }: { readonly cause: string; readonly mend: string },
  colors: Colors,
): readonly string[] {
  return [
    ...(cause === '' ? [] : [`  ${colors.red('cause:')} ${cause}`]),
    ...(mend === '' ? [] : [`  ${colors.green('mend:')}  ${mend}`]),
  ];
}

function noteLines(notes: readonly string[], colors: Colors): readonly string[] {
  return notes.map((note) => `  ${colors.yellow('note:')}  ${note}`);
}

function selectorLines(view: SelectorView, colors: Colors): readonly string[] {
  const { root, by, withheld, problems, jobs } = view;
  const place = describeRef(root) === describeRef(by) ? describeRef(by) : `${describeRef(root)}, ${describeRef(by)}`;
  const isSelecting = view.misses.length === 0 && view.beyond === undefined;
  return [
    `${colors.bold(place)} ${colors.dim('·')} ${stateOf(view)}`,
    ...missLines(view),
    ...(isSelecting && withheld !== undefined ? [`  ${colors.yellow('!')} ${withheld}`] : []),
    ...(isSelecting ? problems : []).map(
      ({ severity, regarding, field, message }) =>
        `  ${severity === 'error' ? colors.red('!') : colors.yellow('!')} ${describeRef(regarding)}: ${field === '' ? '' : `${field}: `}${message}`,
    ),
    ...jobs.flatMap((job) => jobLines(job, colors)),
  ];
}

function stateOf({ misses, beyond, isLeftOut }: SelectorView): string {
  if (misses.length > 0) return 'does not select it';
  if (beyond !== undefined) return 'selects it, but nobody runs this instance';
  return isLeftOut ? 'selects it, and leaves it out' : 'selects it';
}

function missLines({ misses, field, namespacesField, beyond }: SelectorView): readonly string[] {
  const line =
    (fields: { readonly field: string; readonly namespacesField: string }) =>
    ({ of, reason }: SelectorView['misses'][number]): string =>
      `  ${of === 'namespaces' ? fields.namespacesField : fields.field}: ${reason}`;
  return [
    ...misses.map(line({ field, namespacesField })),
    ...(misses.length > 0 || beyond === undefined ? [] : beyond.misses.map(line(beyond))),
  ];
}

function jobLines({ name, shards, looks, unknown, targets }: JobView, colors: Colors): readonly string[] {
  const kept = targets.filter(({ fate }) => fate.kept);
  const dropped = targets.filter(({ fate }) => !fate.kept);
  const looking = looks.map(({ role, namespaces }) => `${role} in ${namespaces?.join(', ') ?? 'all namespaces'}`);
  const sources = [...looking, ...unknown].join('; ');
  const shared = shards > 1 ? `, ${shards} shards` : '';
  const rest = kept.length - shownMax;
  return [
    `  job ${name}: ${kept.length} of ${targets.length} found${sources === '' ? '' : ` (${sources})`}${shared}`,
    ...kept
      .slice(0, shownMax)
      .flatMap((target) => targetLines(target, { colors, shards }).map((line) => `    ${line}`)),
    ...(rest > 0 ? [colors.dim(`    and ${rest} more`)] : []),
    ...droppedLines(dropped, colors).map((line) => `    ${line}`),
  ];
}

function targetLines(
  { of, address, isImagined, fate, health = [] }: TargetView,
  { colors, shards }: { readonly colors: Colors; readonly shards: number },
): readonly string[] {
  const what = `${address}${of === '' ? '' : ` ${of}`}${isImagined ? ' (made up: no pod is there)' : ''}`;
  if (!fate.kept) return [`${colors.red('✗')} ${what}: ${fate.reason}`];
  const labels = Object.entries(fate.labels).map(([label, value]) => `${label}="${value}"`);
  return [
    `${colors.green('✓')} ${what}${shardText(fate, shards)}`,
    `  ${colors.dim(`{${labels.sort().join(', ')}}`)}`,
    ...health.map(
      ({ pod, state, lastError, shard }) =>
        `  ${state === 'up' ? colors.green(state) : colors.red(state)} says ${pod}${shard === undefined ? '' : ` of shard ${shard}, which is another one`}${lastError === '' ? '' : `: ${lastError}`}`,
    ),
  ];
}

function shardText(fate: Fate & { readonly kept: true }, shards: number): string {
  if (shards <= 1) return '';
  return fate.shards.length === shards ? ', every shard' : `, shard ${fate.shards.join(', ')}`;
}

/** What one rule drops is one line, with the first as the example. */
function droppedLines(targets: readonly TargetView[], colors: Colors): readonly string[] {
  const groups = new Map<
    string,
    { readonly first: string; readonly reason: string; count: number; readonly rule: number }
  >();
  for (const { of, address, fate } of targets) {
    if (fate.kept) continue;
    const id = fate.by === undefined ? fate.reason : String(fate.by.number);
    const group = groups.get(id) ?? { first: of || address, reason: fate.reason, count: 0, rule: fate.by?.number ?? 0 };
    group.count += 1;
    groups.set(id, group);
  }
  return [...groups.values()]
    .sort((a, b) => b.rule - a.rule)
    .slice(0, shownMax)
    .map(({ first, reason, count }) => {
      const what = count === 1 ? first : `${count} dropped, first ${first}`;
      return `${colors.red('✗')} ${what}: ${reason}`;
    });
}
