import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Identity, systemIdentities } from '../../api/system-identities.ts';
import type { Authorizer } from '../../server/context/authorizer.ts';
import { createIdentityJudge } from './identity-judge.ts';

/** Names the folder into which judged servers write; nobody judges without it. */
export const judgeVariable = 'SIGNALBOX_JUDGED';

/** The authorizer, and at once a line in a file for each thing that a part of the plane does beyond its list. */
export function judged(authorizer: Authorizer, identities: readonly Identity[]): Authorizer {
  const folder = process.env[judgeVariable];
  if (folder === undefined) return authorizer;
  const judge = createIdentityJudge(authorizer, [...systemIdentities, ...identities]);
  const written = new Set<string>();
  return {
    name: authorizer.name,
    authorize(access, world) {
      const verdict = judge.authorize(access, world);
      for (const line of judge.excess) {
        if (written.has(line)) continue;
        written.add(line);
        appendFileSync(join(folder, `${process.pid}`), `${line}\n`);
      }
      return verdict;
    },
    rulesFor: (subject, world) => authorizer.rulesFor(subject, world),
  };
}
