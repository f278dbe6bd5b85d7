import type { KubeObject } from '../api/meta.ts';
import { safeAlphabet } from '../base/random.ts';

const ending = new RegExp(`^[${safeAlphabet}]{5}$`);

/**
 * What changes objects is asked before a new one has got its name, so upstream calls it by what the name begins with then. What only
 * judges them is asked afterwards, and says the name.
 */
export function shownName({ metadata: { name, generateName = '' } }: KubeObject): string {
  const isGenerated =
    generateName !== '' && name.startsWith(generateName) && ending.test(name.slice(generateName.length));
  return isGenerated ? generateName : name;
}
