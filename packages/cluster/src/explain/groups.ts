import { type Detail, formatAmount, podSlots } from '../scheduler/detail.ts';
import type { Group, Rule } from './explanation.ts';

/** What is to be said of one node or pod. */
export interface Said {
  readonly state: string;
  readonly why?: string;
  /** What stands for `why` where it tells amounts and names that differ from one to the next: the first is shown for all. */
  readonly alike?: string;
  readonly mend?: string;
  readonly rules?: readonly SaidRule[];
}

export interface SaidRule extends Detail {
  readonly plugin: string;
}

interface Draft {
  readonly said: Said;
  readonly names: string[];
  readonly rules: readonly RuleDraft[];
}

interface RuleDraft {
  readonly rule: SaidRule;
  freeMin: number;
  freeMax: number;
  readonly pods: Set<string>;
}

/** Puts together of whom the same is to be said. Amounts and names of other pods may differ within a group. */
export function grouped(
  of: Group['of'],
  items: Iterable<{ readonly name: string; readonly said: Said }>,
): readonly Group[] {
  const drafts = new Map<string, Draft>();
  for (const { name, said } of items) {
    const key = keyOf(said);
    let draft = drafts.get(key);
    if (draft === undefined) {
      draft = { said, names: [], rules: (said.rules ?? []).map(ruleDraft) };
      drafts.set(key, draft);
    }
    draft.names.push(name);
    for (const [index, rule] of draft.rules.entries()) count(rule, said.rules?.[index]);
  }
  return [...drafts.values()].map((draft) => groupOf(of, draft)).sort(byState);
}

function keyOf({ state, why = '', alike = why, rules = [] }: Said): string {
  return [state, alike, ...rules.map(({ plugin, text, mend = '' }) => `${plugin}: ${text} ${mend}`)].join('\n');
}

function ruleDraft(rule: SaidRule): RuleDraft {
  return { rule, freeMin: Number.POSITIVE_INFINITY, freeMax: Number.NEGATIVE_INFINITY, pods: new Set() };
}

function count(draft: RuleDraft, rule: SaidRule | undefined): void {
  for (const pod of rule?.pods ?? []) draft.pods.add(pod);
  if (rule?.shortage === undefined) return;
  draft.freeMin = Math.min(draft.freeMin, rule.shortage.free);
  draft.freeMax = Math.max(draft.freeMax, rule.shortage.free);
}

function groupOf(of: Group['of'], { said, names, rules: drafts }: Draft): Group {
  const rules = drafts.map((draft) => ruleOf(draft, of === 'node' ? names : []));
  const { state, why = '', mend = '' } = said;
  const texts = rules.map(describeRule);
  const own = naming(mend, of === 'node' ? names : []);
  const mends = [...new Set([own, ...rules.map((rule) => rule.mend)])].filter((each) => each !== '');
  return {
    of,
    state,
    why: [...(why === '' ? [] : [why]), ...texts].join('; '),
    mend: mends.join('; '),
    names,
    rules,
  };
}

function ruleOf({ rule, freeMin, freeMax, pods }: RuleDraft, names: readonly string[]): Rule {
  const { plugin, text, mend = '', shortage } = rule;
  return {
    plugin,
    text,
    mend: naming(mend, names),
    ...(shortage !== undefined && {
      shortage: { resource: shortage.resource, wanted: shortage.wanted, freeMin, freeMax },
    }),
    ...(pods.size > 0 && { pods: [...pods] }),
  };
}

/** What mends something of one node names it, to be typed as it stands; a command that takes several, a few. `nodes`: whose it is. */
export function naming(mend: string, nodes: Iterable<string>): string {
  const names = [...new Set(nodes)];
  if (names.length === 0 || names.length > namedMax || names.includes('')) return mend;
  return names.length === 1
    ? mend.replaceAll(placeholder, () => names.join())
    : mend.replaceAll(ofSeveral, (command) => command.replace('NODE', names.join(' ')));
}

/** Commands that take names of several nodes, and do the same to each: a VALUE that somebody has to choose may differ. */
/** The whole word: a label may have it in its name. */
const placeholder = /(?<![\w./=-])NODE(?![\w/=-])/g;
const ofSeveral = /kubectl (uncordon|taint nodes|label nodes(?! NODE \S+=VALUE)) NODE/g;

/** `NodeResourcesFit: 500m cpu is not free (100m to 200m is free)`. */
export function describeRule({ plugin, text, shortage, pods = [] }: Rule): string {
  const about = plugin === '' ? text : `${plugin}: ${text}`;
  const free = shortage === undefined || shortage.resource === podSlots ? '' : ` (${freeOf(shortage)})`;
  return `${about}${free}${pods.length === 0 ? '' : ` (${pods.length === 1 ? 'pod' : 'pods'} ${namesOf(pods)})`}`;
}

function freeOf({ resource, freeMin, freeMax }: NonNullable<Rule['shortage']>): string {
  const [least, most] = [freeMin, freeMax].map((amount) => formatAmount(resource, Math.max(0, amount)));
  return least === most ? `${least} is free` : `${least} to ${most} is free`;
}

const namedMax = 3;

/** `a, b, c and 4 more`. */
export function namesOf(names: readonly string[]): string {
  const more = names.length - namedMax;
  return `${names.slice(0, namedMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Of a workload that is scaled to nothing. */
export const noneWanted = 'is to have no pods, and has none';

/** States in the order in which they matter least; within one the larger group first. */
function byState(a: Group, b: Group): number {
  if (a.state !== b.state) return rankOf(a.state) - rankOf(b.state) || (a.state < b.state ? -1 : 1);
  return b.names.length - a.names.length;
}

const calm = ['runs', 'ready', 'is bound', 'fits', 'has succeeded', 'is complete'];
const others = ['is not wanted'];

function rankOf(state: string): number {
  if (calm.includes(state)) return 0;
  return others.includes(state) ? 2 : 1;
}
