import type { Pod } from '../api/generated/core-v1.ts';
import { podCondition } from '../resources/core/pod/facts.ts';
import type { Said } from './groups.ts';
import { toldOf } from './told.ts';
import type { ExplainWorld } from './world.ts';

/**
 * What the node said last of a pod whose volumes it cannot set up: nothing of that stands in the pod itself, and who asks why it waits
 * need not be allowed to read Secrets. Undefined: its containers have begun, or nothing was said.
 */
export function whyNotMounted(pod: Pod, world: ExplainWorld): Pick<Said, 'why' | 'mend'> | undefined {
  if (!isBeingMade(pod)) return undefined;
  const said = toldOf(pod, { world, reasons: ['FailedMount'], isMeant: (message) => !late.test(message) });
  if (said === undefined) return undefined;
  return { why: `a volume cannot be mounted: ${said}`, mend: missing.test(said) ? mend : '' };
}

/** Its node has taken it in, and has not mounted its volumes as far as it says. */
export function isBeingMade(pod: Pod): boolean {
  if (podCondition(pod, 'PodReadyToStartContainers')?.status === 'True') return false;
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status;
  const all = [...initContainerStatuses, ...containerStatuses];
  return all.length > 0 && all.every(({ state }) => begins.includes(state?.waiting?.reason ?? ''));
}

const begins = ['ContainerCreating', 'PodInitializing'];
/** Said besides of what has waited for two minutes. */
const late = /(context deadline exceeded|timed out waiting for the condition)$/;
const missing = /(configmap|secret) "[^"]*" not found|references non-existent (config|secret) key/;
const mend = 'create what it names; the node tries again within two minutes';
