import { describe } from 'vitest';
import { allLaws } from './all-laws.ts';
import { openInProcess } from './subject.ts';

describe('in process', () => allLaws(openInProcess, { runs: 25 }));
