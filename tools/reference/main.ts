/** Writes the reference of the custom resources into docs/custom-resources/. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referenceFolder, referencePages } from './pages.ts';

mkdirSync(referenceFolder, { recursive: true });
for (const [file, text] of referencePages()) writeFileSync(join(referenceFolder, file), text);
process.stdout.write(`${referenceFolder}\n`);
