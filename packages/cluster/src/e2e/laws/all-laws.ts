import { listLaws } from './list-laws.ts';
import type { OpenSubject } from './subject.ts';
import { type LawOptions, watchLaws } from './watch-laws.ts';
import { writeLaws } from './write-laws.ts';

/** Whatever holds in the process holds over HTTPS as well: both play these, and nothing else. */
export function allLaws(open: OpenSubject, options: LawOptions): void {
  watchLaws(open, options);
  listLaws(open, options);
  writeLaws(open, options);
}
