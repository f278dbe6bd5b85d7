import { describe } from 'vitest';
import { listLaws } from './list-laws.ts';
import { openOverHttp } from './subject.ts';
import { watchLaws } from './watch-laws.ts';
import { writeLaws } from './write-laws.ts';

describe('over HTTP', () => {
  watchLaws(openOverHttp, { runs: 8 });
  listLaws(openOverHttp, { runs: 8 });
  writeLaws(openOverHttp, { runs: 8 });
});
