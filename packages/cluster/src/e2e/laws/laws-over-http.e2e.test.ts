import { describe } from 'vitest';
import { allLaws } from './all-laws.ts';
import { openOverHttp } from './subject.ts';

describe('over HTTP', () => allLaws(openOverHttp, { runs: 8 }));
