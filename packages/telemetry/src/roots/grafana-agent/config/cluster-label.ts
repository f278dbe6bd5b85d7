import type { GrafanaAgent } from '../../../resources/grafana-agent.ts';

/** The label that names the deployment: absent name `cluster`, empty name no label. */
export function clusterLabel({ metadata }: GrafanaAgent, name = 'cluster'): Readonly<Record<string, string>> {
  return name === '' ? {} : { [name]: `${metadata.namespace}/${metadata.name}` };
}
