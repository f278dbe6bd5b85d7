import type { ResourceType } from '@signalbox/cluster';

/**
 * Whether it is one of the kinds that a cluster serves only when their definitions are installed. Says so without these, of which
 * there is more than half a megabyte.
 */
export function isCustom({ group }: ResourceType): boolean {
  return group === 'monitoring.coreos.com' || group === 'monitoring.grafana.com';
}
