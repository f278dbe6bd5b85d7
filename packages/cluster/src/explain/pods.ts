import type { Pod } from '../api/generated/core-v1.ts';
import { keyOf } from '../api/meta.ts';
import { agreeing, counted } from '../base/counted.ts';
import type { Cause, Group } from './explanation.ts';
import { grouped, naming, type Said } from './groups.ts';
import { podTeller } from './pod-state.ts';
import type { ExplainWorld } from './world.ts';

/** Pods by what they wait for. `also`: what their workload has to say of one that is ready. */
export function podGroups(
  pods: Iterable<Pod>,
  { world, also }: { readonly world: ExplainWorld; readonly also?: (pod: Pod) => Said | undefined },
): readonly Group[] {
  const tell = podTeller(world);
  const nodes = new Map<string, string>();
  const items: { readonly name: string; readonly said: Said }[] = [];
  for (const pod of pods) {
    const said = tell(pod);
    const name = keyOf(pod);
    nodes.set(name, pod.spec.nodeName ?? '');
    items.push({ name, said: said.state === 'ready' ? (also?.(pod) ?? said) : said });
  }
  return grouped('pod', items).map((group) => namingNode(group, nodes));
}

/** What mends pods of one node names it, to be typed as it stands. */
export function namingNode(group: Group, nodes: ReadonlyMap<string, string>): Group {
  const of = group.names.map((name) => nodes.get(name) ?? '');
  return { ...group, mend: naming(group.mend, of) };
}

/** What pods that do not serve wait for, the largest group first; then those that go, which hold up others seldom. */
export function podCauses(groups: readonly Group[]): readonly Cause[] {
  return groups
    .filter(({ of, state }) => of === 'pod' && state !== 'ready' && state !== 'has succeeded')
    .sort((a, b) => goes(a) - goes(b) || b.names.length - a.names.length)
    .map((group) => {
      const { length } = group.names;
      return { cause: `${counted(length, 'pod')} ${inWords(group, length)}`, mend: group.mend };
    });
}

function goes({ state }: Group): number {
  return state === 'is going' ? 1 : 0;
}

/** What is said of so many, as the end of a sentence. */
export function inWords({ state, why = '' }: Pick<Said, 'state' | 'why'>, count: number): string {
  const said = agreeing(count, verbs[state] ?? state);
  return why === '' ? said : `${said}: ${why}`;
}

/** How states of rows are said in a sentence, where that is another way. */
const verbs: Readonly<Record<string, string>> = {
  'ready, not yet available': 'is ready, but not for long enough yet',
  'ready, outdated': 'is of an older revision',
};

/** Of a ready pod that does not count yet. */
export const notYetAvailable: Said = { state: 'ready, not yet available', why: 'minReadySeconds have not passed' };
