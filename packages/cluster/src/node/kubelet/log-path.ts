import type { Pod } from '../../api/generated/core-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import type { LogQuery } from '../driver.ts';

/** What a kubelet is asked for the log of a container. */
export function logPath({ metadata }: Pod, query: LogQuery): string {
  const { container, follow, previous, timestamps, tailLines, sinceSeconds, sinceMs, limitBytes } = query;
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries({ follow, previous, timestamps })) if (value) asked.set(name, 'true');
  for (const [name, value] of Object.entries({ tailLines, sinceSeconds, limitBytes }))
    if (value !== undefined) asked.set(name, String(value));
  if (sinceMs !== undefined) asked.set('sinceTime', toTimestamp(sinceMs));
  const path = `/containerLogs/${metadata.namespace}/${metadata.name}/${container}`;
  return asked.size === 0 ? path : `${path}?${asked.toString()}`;
}
