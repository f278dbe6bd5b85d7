/** Where answers are known to differ, and why: each class is a row of docs/differences.md. Pure. */
import { formatDifference } from '../compare/differences.ts';
import { causeRules, compareCauses } from './known/causes.ts';
import type { KnownClass } from './known/class.ts';
import { gatedClasses } from './known/gated.ts';
import { kindClasses } from './known/kinds.ts';
import { ownerClasses } from './known/owners.ts';
import { patchClasses } from './known/patches.ts';
import { requestClasses } from './known/requests.ts';
import { shownClasses } from './known/shown.ts';
import type { Parted } from './play.ts';

export const knownClasses: readonly KnownClass[] = [
  ...requestClasses,
  ...patchClasses,
  ...shownClasses,
  ...ownerClasses,
  ...kindClasses,
  ...gatedClasses,
];

/** All rows of docs/differences.md that differences are known by. */
export const knownRows: readonly string[] = [...knownClasses, ...causeRules].map(({ row }) => row);

export interface Explained {
  /** Rows that something of it is known by. */
  readonly rows: readonly string[];
  /** What nobody has explained. */
  readonly news: readonly string[];
}

export function explain(parted: Parted): Explained {
  const rows = new Set<string>();
  const news: string[] = [];
  const causes = compareCauses(parted);
  for (const difference of parted.differences) {
    const known = knownClasses.find(({ covers }) => covers(difference, parted));
    const isCauses = causes !== undefined && /^body\.(?:message|details)/.test(difference.path);
    if (known !== undefined) rows.add(known.row);
    else if (isCauses && causes.open.length === 0) for (const row of causes.rows) rows.add(row);
    else if (isCauses) news.push(...causes.open.map((cause) => `${parted.called}: ${cause}`));
    else news.push(formatDifference(difference));
  }
  return { rows: [...rows], news: [...new Set(news)] };
}
