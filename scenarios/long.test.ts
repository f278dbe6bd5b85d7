/** Stories of days, with the simulations. */
import { join } from 'node:path';
import { test } from 'vitest';
import { play, storiesIn } from './play.ts';

const folder = join(import.meta.dirname, 'long');

test.each(storiesIn(folder))('%s', (name) => play(join(folder, name)));
