import type { KubeObject } from '../api/meta.ts';
import type { Cause } from './explanation.ts';

const foreground = 'foregroundDeletion';
const collected: readonly string[] = [foreground, 'orphan'];

/** Why an object that is being deleted is still there. The garbage collector takes its own finalizers off by itself. */
export function goingCauses({ metadata }: KubeObject): readonly Cause[] {
  if (metadata.deletionTimestamp === undefined) return [];
  const { finalizers = [] } = metadata;
  const others = finalizers.filter((each) => !collected.includes(each));
  if (others.length > 0)
    return [
      {
        cause: `it is being deleted, and finalizers keep it: ${others.join(', ')}`,
        mend: 'whoever set them has to take them off',
      },
    ];
  const first = finalizers.includes(foreground) ? `, and what it owns goes first (${foreground})` : '';
  return [{ cause: `it is being deleted${first}`, mend: '' }];
}
