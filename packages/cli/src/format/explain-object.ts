import { agreeing, counted, type ExplainedGroup, type Explanation } from '@signalbox/cluster';
import type { Colors } from '../io/io.ts';

/** So many causes, groups and names are shown; `-o json` has them all. */
const causesMax = 3;
const groupsMax = 15;
const namesMax = 3;

/** The answer first, then the numbers, then one row for each group of nodes or pods. Pure. */
export function formatExplanation(explanation: Explanation, colors: Colors): string {
  const { subject, outcome, summary, causes, facts, groups } = explanation;
  const { kind, namespace, name } = subject;
  const title = colors.bold(`${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`);
  const mark = outcome === 'settled' ? colors.green('✓') : colors.red('✗');
  const shown = causes.slice(0, causesMax);
  const told = new Set(shown.map(({ mend }) => mend));
  const numbers = Object.entries(facts).map(([fact, value]) => `${wordsOf(fact)} ${String(value)}`);
  const lines = [
    `${mark} ${title} ${summary}`,
    ...shown.flatMap(({ cause, mend }) => [
      `  ${colors.red('cause:')} ${cause}`,
      ...(mend === '' ? [] : [`  ${colors.green('mend:')}  ${mend}`]),
    ]),
    ...(causes.length > shown.length
      ? [colors.dim(`  and ${counted(causes.length - shown.length, 'more cause')}`)]
      : []),
    ...(numbers.length === 0 ? [] : [colors.dim(`  ${numbers.join(' · ')}`)]),
    ...groupLines(groups, { colors, told }),
  ];
  return `${lines.join('\n')}\n`;
}

function groupLines(
  groups: readonly ExplainedGroup[],
  { colors, told }: { readonly colors: Colors; readonly told: ReadonlySet<string> },
): readonly string[] {
  if (groups.length === 0) return [];
  const shown = groups.slice(0, groupsMax);
  const counts = shown.map(({ names, of }) => counted(names.length, of));
  const countWidth = Math.max(...counts.map((count) => count.length));
  const states = shown.map(({ state, names }) => agreeing(names.length, state));
  const stateWidth = Math.max(...states.map((state) => state.length));
  const lines = shown.flatMap(({ why, mend, names }, index) => {
    const head = `  ${(counts[index] ?? '').padStart(countWidth)}  ${(states[index] ?? '').padEnd(stateWidth)}`;
    const mended =
      mend === '' || told.has(mend) ? [] : [`${' '.repeat(countWidth + 4)}${colors.green('mend:')} ${mend}`];
    return [`${head}  ${why === '' ? '' : `${why} `}${colors.dim(`[${namesOf(names)}]`)}`, ...mended];
  });
  const more = groups.length - shown.length;
  return [
    '',
    ...lines,
    ...(more > 0
      ? [colors.dim(`  and ${counted(more, 'more group')}; -o json has ${more === 1 ? 'it' : 'them all'}`)]
      : []),
  ];
}

function namesOf(names: readonly string[]): string {
  const more = names.length - namesMax;
  return `${names.slice(0, namesMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `maxUnavailable` as it stands in manifests; `inTheWay` ⇒ `in the way`. */
function wordsOf(fact: string): string {
  return manifestFields.has(fact) ? fact : fact.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

const manifestFields: ReadonlySet<string> = new Set([
  ...['maxUnavailable', 'maxSurge', 'updateStrategy', 'partition', 'podManagementPolicy', 'minReadySeconds'],
  ...['schedulerName', 'backoffLimit', 'backoffLimitPerIndex', 'maxFailedIndexes', 'completionMode'],
  ...['timeZone', 'concurrencyPolicy', 'startingDeadlineSeconds', 'lastScheduleTime', 'lastSuccessfulTime'],
  ...['accessModes', 'volumeBindingMode'],
]);
