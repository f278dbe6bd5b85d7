import { describe } from 'vitest';
import { listLaws } from './list-laws.ts';
import { openInProcess } from './subject.ts';
import { watchLaws } from './watch-laws.ts';
import { writeLaws } from './write-laws.ts';

describe('in process', () => {
  watchLaws(openInProcess, { runs: 25 });
  listLaws(openInProcess, { runs: 25 });
  writeLaws(openInProcess, { runs: 25 });
});
