import { createHash } from 'node:crypto';
import { labelName } from '../../../../relabel/rule.ts';
import { byReferenceId, type KeyReference, referenceId } from '../../../../world/references.ts';

/** Keys of a Secret are no longer than this. */
const keyLengthMax = 253;
const hashLength = 32;

/**
 * The key under which each reference's content stands in the assets Secret, by `referenceId`. It is upstream's
 * (`_secrets_<namespace>_<name>_<key>`, what is no letter or digit made an underscore) unless two references would share
 * it: `a-b/c` and `a/b-c` are different tenants. Then each of them gets a hash behind it, also the one that was there
 * first: otherwise the old key would change hands while agents still read it. The hash is long and stands behind a dot,
 * which no plain key has, so that nobody can name a Secret such that its key becomes that of another tenant.
 */
export function assetKeys(references: Iterable<KeyReference>): ReadonlyMap<string, string> {
  const ids = [...references].sort(byReferenceId).map(referenceId);
  const users = new Map<string, Set<string>>();
  for (const id of ids) {
    const key = labelName(id);
    users.set(key, (users.get(key) ?? new Set()).add(id));
  }
  return new Map(
    ids.map((id) => {
      const key = labelName(id);
      const isPlain = key.length <= keyLengthMax && users.get(key)?.size === 1;
      return [id, isPlain ? key : `${key.slice(0, keyLengthMax - hashLength - 1)}.${hashOf(id)}`];
    }),
  );
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, hashLength);
}
