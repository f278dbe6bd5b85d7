import { labelLengthMax, statefulSetNameMax } from '../../../manifests/names.ts';
import type { GrafanaAgent } from '../../../resources/grafana-agent.ts';
import type { Finding } from '../../../world/findings.ts';
import { shardsOf } from '../config/settings.ts';
import type { AgentHierarchy } from '../discover.ts';
import { shardName } from './metrics/statefulset.ts';

const claimEnd = '-wal';

/**
 * Why the objects that are named after a root could not be created. The API would refuse one of them again and again,
 * and with it everything that is made after it.
 */
export function nameProblem(root: GrafanaAgent, { metrics, integrations }: AgentHierarchy): Finding | undefined {
  const { name } = root.metadata;
  if (name.length > labelLengthMax)
    return finding(root, tooLong('the name becomes a label of the pods', labelLengthMax));
  if (metrics.length > 0) {
    const shard = shardName(root, shardsOf(root) - 1);
    const lengthMax = statefulSetNameMax - (shard.length - name.length);
    if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name))
      return finding(
        root,
        'with metrics it becomes the name of a Service: lower-case letters, digits and -, a letter first',
      );
    if (name.length > lengthMax)
      return finding(root, tooLong('with metrics it becomes a label of every shard', lengthMax));
  }
  if (integrations.length > 0) {
    const lengthMax = labelLengthMax - `-integrations-deploy${claimEnd}`.length;
    if (name.includes('.'))
      return finding(root, 'with integrations it becomes the name of a volume, which has no dots');
    if (name.length > lengthMax)
      return finding(root, tooLong('with integrations it becomes the name of a volume', lengthMax));
  }
  return undefined;
}

function tooLong(why: string, lengthMax: number): string {
  return `${why} and may not be longer than ${lengthMax} characters`;
}

function finding(regarding: GrafanaAgent, message: string): Finding {
  return { severity: 'error', regarding, reason: 'InvalidName', field: 'metadata.name', message };
}
