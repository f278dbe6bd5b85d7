import type { ConfigMap, KubeList } from '@signalbox/cluster';

/** What clients were told and what they tried, across all lives of the server. */
export interface Ledger {
  readonly findings: readonly string[];
  find(finding: string): void;
  /** Where every counter stands at most, so that names and values never come again. */
  next(kind: 'name'): number;
  tried(name: string, change: Change): void;
  acknowledged(name: string, change: Change & { readonly revision: number }): void;
  /** A watcher was shown this. */
  shown(name: string, seen: { readonly revision: number; readonly value: number | 'deleted' }): void;
  /** Judges what is there after a start. */
  compare(list: KubeList<ConfigMap>, round: number): void;
  figures(): Readonly<Record<string, number>>;
}

/** A counter's new value, or the end of a name. */
export interface Change {
  readonly value: number | 'deleted';
}

interface Fate {
  /** The newest that somebody was told of. */
  told: { readonly revision: number; readonly value: number | 'deleted' } | undefined;
  /** Outcomes that nobody knows, since that. */
  open: (number | 'deleted')[];
  /** Values that were acknowledged, to find two winners of one race. */
  readonly won: Set<number | 'deleted'>;
}

export function createLedger(): Ledger {
  const fates = new Map<string, Fate>();
  const findings: string[] = [];
  let names = 0;
  let revisionMax = 0;
  const counts = { acknowledgedWrites: 0, unknownOutcomes: 0, shownEvents: 0, starts: 0 };
  const fateOf = (name: string): Fate => {
    const known = fates.get(name) ?? { told: undefined, open: [], won: new Set() };
    fates.set(name, known);
    return known;
  };
  const find = (finding: string): void => void findings.push(finding);
  const tell = (name: string, told: NonNullable<Fate['told']>): void => {
    if (Number.isFinite(told.revision)) revisionMax = Math.max(revisionMax, told.revision);
    const fate = fateOf(name);
    if (fate.told === undefined || fate.told.revision < told.revision) fate.told = told;
  };
  return {
    findings,
    find,
    next: () => ++names,
    tried(name, { value }) {
      fateOf(name).open.push(value);
    },
    acknowledged(name, { value, revision }) {
      counts.acknowledgedWrites += 1;
      const fate = fateOf(name);
      if (fate.won.has(value)) find(`${name}: two clients were told that they wrote ${value}`);
      fate.won.add(value);
      tell(name, { value, revision });
    },
    shown(name, seen) {
      counts.shownEvents += 1;
      tell(name, seen);
    },
    compare({ items, metadata }, round) {
      counts.starts += 1;
      const revision = Number(metadata.resourceVersion);
      if (revision < revisionMax) find(`start ${round}: revision ${revision} is before ${revisionMax}, which was told`);
      const there = new Map(items.map((item) => [item.metadata.name ?? '', item]));
      for (const [name, fate] of fates) {
        const item = there.get(name);
        const value = item === undefined ? 'deleted' : Number(item.data?.['n']);
        const at = Number(item?.metadata.resourceVersion ?? revision);
        const problem = judge(fate, { value, revision: at });
        if (problem !== undefined) find(`start ${round}: ${name} is ${value} at ${at}, ${problem}`);
        if (fate.told?.value !== value) counts.unknownOutcomes += 1;
        fate.told = item === undefined && fate.told === undefined ? undefined : { value, revision: at };
        fate.open = [];
      }
      revisionMax = Math.max(revisionMax, revision);
    },
    figures: () => counts,
  };
}

/** What is there is what was told last, or something that was tried since and of which nobody heard. */
function judge(
  { told, open }: Fate,
  found: { readonly value: number | 'deleted'; readonly revision: number },
): string | undefined {
  if (told === undefined)
    return found.value === 'deleted' || open.includes(found.value) ? undefined : 'which nobody tried';
  if (found.value === told.value) {
    const isSame = found.value === 'deleted' || found.revision === told.revision;
    return isSame ? undefined : `and was told to be of revision ${told.revision}`;
  }
  if (!open.includes(found.value)) return `and ${told.value} was told at ${told.revision}`;
  if (found.revision <= told.revision) return `and ${told.value} was told at ${told.revision}, which is later`;
  return undefined;
}
