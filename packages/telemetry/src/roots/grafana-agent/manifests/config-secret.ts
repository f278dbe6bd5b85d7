import type { New, Secret } from '@signalbox/cluster';
import type { Gzip } from '../../../manifests/gzip.ts';
import { ownerReferences } from '../../../manifests/owner.ts';
import { encodeConfig } from '../../../manifests/secret-bytes.ts';
import { type GrafanaAgent, grafanaagents } from '../../../resources/grafana-agent.ts';
import { given } from '../../../scrape/given.ts';
import { type AgentOptions, configSecretLabels } from './labels.ts';

/** The Secret that holds an agent's configuration under `agent.yml`. */
export function configSecret(
  root: GrafanaAgent,
  {
    name,
    pieces,
    annotations,
    gzip,
    options,
  }: {
    readonly name: string;
    readonly pieces: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
    readonly gzip: Gzip;
    readonly options: AgentOptions;
  },
): New<Secret> {
  const owners = ownerReferences(root, grafanaagents);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: root.metadata.namespace ?? '',
      labels: configSecretLabels(options),
      ...given({ annotations }),
      ...(owners !== undefined && { ownerReferences: owners }),
    },
    data: { 'agent.yml': encodeConfig(pieces, { owner: `${root.metadata.uid} ${name}`, gzip }) },
    type: 'Opaque',
  };
}
