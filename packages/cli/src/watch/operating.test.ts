import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../testing/process.ts';
import { formatMeterTable } from './meter-table.ts';

const operating = readFileSync(join(repository, 'docs', 'operating.md'), 'utf8');

test('the document has the metrics as they are served: put what is expected here in the place of its table', () => {
  const [table] = /^\| metric \| type [\s\S]*?(?=\n\n)/m.exec(operating) ?? [];
  expect(table).toBe(formatMeterTable());
});
