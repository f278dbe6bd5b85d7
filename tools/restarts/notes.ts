/** What a release's notes say about restarts. Pure. */
import type { ChangedField, Compared, PodChange } from './record.ts';

const head = '### Restarts\n\n';

export const notCompared: string = `${head}Not known: there is no record of the pods of the release before. \`signalbox diff\` of this one says it of your cluster.\n`;

/** A section of the change log; one comparison for each example. */
export function restartNotes(all: readonly Compared[]): string {
  const changes = all.flatMap((each) => each.changes).filter(({ effect }) => effect !== 'keeps');
  if (changes.length === 0) return `${head}No pod restarts by this upgrade.\n`;
  const looked = (kinds: string): number => all.reduce((sum, each) => sum + (each.looked.get(kinds) ?? 0), 0);
  const lines = grouped(changes, (change) => `${change.root} ${change.workload} ${change.effect}`).flatMap((group) =>
    groupLines(group, looked),
  );
  return `${head}Pods restart by this upgrade. \`signalbox diff\` of this version says which of yours, before it does anything.\n\n${lines.join('\n')}\n`;
}

type Group = readonly [PodChange, ...PodChange[]];

function grouped(changes: readonly PodChange[], keyOf: (change: PodChange) => string): readonly Group[] {
  const groups = new Map<string, [PodChange, ...PodChange[]]>();
  for (const change of changes) {
    const group = groups.get(keyOf(change));
    if (group === undefined) groups.set(keyOf(change), [change]);
    else group.push(change);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function groupLines(group: Group, looked: (kinds: string) => number): readonly string[] {
  const [{ root, workload, effect }] = group;
  // What comes anew is none of those that were there.
  const share = effect === 'starts' ? '' : ` of ${looked(`${root} ${workload}`)}`;
  const fields = group.map((change) => byList(change.fields));
  const paths = [...new Set(fields.flatMap((each) => [...each.keys()]))].sort();
  return [
    `- ${root}, ${workload}: ${effectTexts[effect]} (${group.length}${share} in the examples)`,
    ...paths.map((path) => {
      const of = fields.flatMap((each) => each.get(path) ?? []);
      const texts = new Set(of);
      const values = texts.size === 1 ? [...texts].join('') : '';
      const some = of.length === group.length ? '' : ` (${of.length} of them)`;
      return `  - \`${path}\`${values}${some}`;
    }),
  ];
}

const effectTexts: Readonly<Record<PodChange['effect'], string>> = {
  restarts: 'restarts, one pod after the other',
  'restarts on deletion': 'restarts each pod when somebody deletes it (OnDelete)',
  'ends and starts': 'ends all its pods, then starts new ones',
  starts: 'is new',
  stops: 'goes with its pods',
  scales: 'has another number of pods',
  keeps: 'is made anew around its pods',
};

/**
 * By path without the places in lists, with what goes and comes there: one argument more moves all that follow, and is still one.
 */
function byList(fields: readonly ChangedField[]): ReadonlyMap<string, string> {
  const lists = new Map<string, ChangedField[]>();
  for (const field of fields) {
    const path = field.path.replace(/(?:\[\d+\])+$/, '');
    lists.set(path, [...(lists.get(path) ?? []), field]);
  }
  return new Map([...lists].map(([path, of]) => [path, valuesText(of)]));
}

function valuesText(fields: readonly ChangedField[]): string {
  const [gone, come] = [fields.flatMap(({ before }) => before ?? []), fields.flatMap(({ after }) => after ?? [])];
  const [only, other] = [without(gone, come), without(come, gone)];
  const [before, after] = [only.map(code).join(', '), other.map(code).join(', ')];
  if (before === '' && after === '') return '';
  if (after === '') return `: without ${before}`;
  return before === '' ? `: with ${after}` : `: ${before} → ${after}`;
}

/** As often as it stands more often on the left. */
function without(left: readonly string[], right: readonly string[]): readonly string[] {
  const rest = [...right];
  return left.filter((each) => {
    const at = rest.indexOf(each);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

function code(text: string): string {
  return `\`${text}\``;
}
