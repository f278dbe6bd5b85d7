import type { ObjectMeta } from '../api/meta.ts';

/** What a command about an object needs, to be typed as it stands: ` -n shop`, or nothing where that goes without saying. */
export function inNamespace({ namespace = '' }: Pick<ObjectMeta, 'namespace'>): string {
  return namespace === '' || namespace === 'default' ? '' : ` -n ${namespace}`;
}
