import type { KubeObject } from '@signalbox/cluster';
import type { GrafanaAgent } from '../../../resources/grafana-agent.ts';
import { type AnyVariable, type Expansion, sampleNumbers, type Variables } from '../../../scrape/expansion.ts';

/** The variables by which tenants may ask for the shard or the pod, and values such as each has there. */
const everywhere: Variables = {
  AGENT_DEPLOY_MODE: ['operator'],
  HOSTNAME: ['node-1.example'],
  POD_NAME: ['agent-0'],
  SHARD: sampleNumbers,
};
const sharded: Variables = { ...everywhere, SHARDS: sampleNumbers };

/** Only the reloader knows the number at the end of a pod's name. */
export const metricsExpansion: Expansion = {
  reloader: { ...sharded, STATEFULSET_ORDINAL_NUMBER: sampleNumbers },
  agent: sharded,
};
export const logsExpansion: Expansion = { reloader: everywhere, agent: everywhere, staysText: true };
export const integrationsExpansion: Expansion = { reloader: sharded, agent: sharded };

/**
 * What an instance or an integration may name. Beside its root, it is the administrator's, who also gives the pods their
 * environment: it is left as it is written. In any other namespace it is a tenant's.
 */
export function expansionIn(root: GrafanaAgent, object: KubeObject, tenants: Expansion): Expansion | AnyVariable {
  return isTenants(root, object) ? tenants : 'any';
}

/** Whether somebody else than the root's administrator may have written it. */
export function isTenants(root: GrafanaAgent, { metadata }: KubeObject): boolean {
  return metadata.namespace !== root.metadata.namespace;
}
