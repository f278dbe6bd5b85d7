import { expect, test } from 'vitest';
import { formatEntry } from './history.ts';

test('a recorded run is one line, with what is needed to judge it', () => {
  const line = formatEntry({
    at: '2026-01-01T00:00:00.000Z',
    revision: '0123456789ab',
    machine: { cores: 2, model: 'Some CPU', memoryGib: 24, node: 'v20.19.0' },
    runs: 3,
    figures: new Map([['start: idle MB', { median: 119.123456, least: 118, most: 120.5 }]]),
  });
  expect(line.endsWith('}\n') && line.indexOf('\n') === line.length - 1).toBe(true);
  expect(JSON.parse(line)).toEqual({
    at: '2026-01-01T00:00:00.000Z',
    revision: '0123456789ab',
    machine: { cores: 2, model: 'Some CPU', memoryGib: 24, node: 'v20.19.0' },
    runs: 3,
    figures: { 'start: idle MB': { median: 119.1, least: 118, most: 120.5 } },
  });
});
