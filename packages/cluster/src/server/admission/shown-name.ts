import type { KubeObject } from '../../api/meta.ts';

/** Upstream has given a new object no name yet when it asks: then it calls it by what its name begins with. */
export function shownName({ metadata: { name, generateName = '' } }: KubeObject): string {
  return generateName !== '' && name.startsWith(generateName) ? generateName : name;
}
