/**
 * The whole system as stories: each file is a list of commands and what they led to, in virtual time. `npm test -- -u`
 * rewrites what happened; commit only what you can explain.
 */
import { join } from 'node:path';
import { test } from 'vitest';
import { play, storiesIn } from './play.ts';

const folder = import.meta.dirname;

test.each(storiesIn(folder))('%s', (name) => play(join(folder, name)));
