/**
 * Every table of requests. Each is played in the process and behind HTTPS, because both only play this list; a file of this
 * folder that exports rows and does not stand here fails `tables-in-process.test.ts`.
 */
import { bodyRows } from './bodies.ts';
import { customResourceRows } from './custom-resources.ts';
import { foundRows } from './found-by-playing.ts';
import { foundLaterRows } from './found-later.ts';
import { metadataRows } from './metadata.ts';
import { patchRows } from './patches.ts';
import { pathRows } from './paths.ts';
import { queryRows } from './queries.ts';
import type { Row } from './requests.ts';
import { secretRows } from './secrets.ts';
import { workloadRows } from './workloads.ts';

export const tables: Readonly<Record<string, readonly Row[]>> = {
  'paths and methods': pathRows,
  queries: queryRows,
  'JSON and YAML': bodyRows,
  'names, labels, owners': metadataRows,
  workloads: workloadRows,
  'patches and updates': patchRows,
  'custom resources and their definitions': customResourceRows,
  secrets: secretRows,
  'found by playing against upstream': foundRows,
  'found by playing more': foundLaterRows,
};

/** What the listener says before a request is whole: there is none without a socket. */
export const saidByTheListener: ReadonlySet<string> = new Set(['a large body']);
