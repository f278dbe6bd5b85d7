import type {
  AgentLogs,
  AgentMetrics,
  APIServerConfig,
  EmbeddedMeta,
  GrafanaAgentSpec,
} from '../../../../resources/grafana-agent.ts';
import { apiServerAddress } from '../../../../scrape/api-server.ts';
import { checkFilled, type Place } from '../../../../scrape/checks.ts';
import { each, type Fields, type Line } from '../../../../scrape/fields/table.ts';
import { givenOrNothing } from '../../../../scrape/given.ts';
import { basicAuth, type Section, tls } from '../../../../scrape/http.ts';
import { clusterLabel } from '../cluster-label.ts';
import { bearer } from '../http.ts';
import type { RootPlace } from './destinations.ts';

/** What becomes of every field of a root. The order is that of the lines in their sections. */

/** Pods that only run integrations are no replicas of each other. */
export interface GlobalPlace extends RootPlace {
  readonly withReplica: boolean;
}

/** A token that stands here wins over a reference to one. */
const authorizationLine: Line<NonNullable<APIServerConfig['authorization']>, APIServerConfig, Place> = {
  as: 'authorization',
  made: (own, { leaf, at }, { spec }) => {
    const credentials = leaf.secretValue(own?.credentials, `${at}.credentials`);
    return (
      bearer(spec.bearerToken, spec.bearerTokenFile) ??
      (own && givenOrNothing({ type: own.type, credentials, credentials_file: own.credentialsFile }))
    );
  },
};

/** How service discovery reaches the API server. */
export const apiServerFields: Fields<APIServerConfig> = {
  host: {
    as: 'api_server',
    made: (host, place) => {
      checkFilled(host, place);
      return apiServerAddress(host, place);
    },
  },
  basicAuth: { as: 'basic_auth', of: (auth, { leaf, at }) => basicAuth(auth, leaf, { at, passwordAs: 'text' }) },
  authorization: authorizationLine,
  bearerToken: 'elsewhere',
  bearerTokenFile: 'elsewhere',
  tlsConfig: { as: 'tls_config', of: (config, { leaf, at }) => tls(config, leaf, at) },
};

/** What holds for all metrics instances: lines of their `global` section, and what code tells their jobs and workloads. */
export const metricsFields: Fields<AgentMetrics, GlobalPlace> = {
  externalLabels: { as: 'external_labels', made: (_, place, { spec }) => externalLabels(spec, place) },
  scrapeInterval: { as: 'scrape_interval' },
  scrapeTimeout: { as: 'scrape_timeout' },
  arbitraryFSAccessThroughSMs: { members: { deny: 'elsewhere' } },
  ...each(
    'elsewhere',
    'enforcedNamespaceLabel',
    'enforcedSampleLimit',
    'enforcedTargetLimit',
    'ignoreNamespaceSelectors',
    'instanceNamespaceSelector',
    'instanceSelector',
    'metricsExternalLabelName',
    'overrideHonorLabels',
    'overrideHonorTimestamps',
    'remoteWrite',
    'replicaExternalLabelName',
    'replicas',
    'shards',
  ),
};

/** The user may override the name of the deployment, never the replica's: the receiver tells duplicates apart by it. */
function externalLabels(metrics: AgentMetrics, { root, withReplica }: GlobalPlace): Section {
  const { metricsExternalLabelName, externalLabels: own, replicaExternalLabelName } = metrics;
  const replica = replicaExternalLabelName ?? '__replica__';
  return {
    ...clusterLabel(root, metricsExternalLabelName),
    ...own,
    ...(withReplica && replica !== '' && { [replica]: 'replica-$(STATEFULSET_ORDINAL_NUMBER)' }),
  };
}

const logsFields: Fields<AgentLogs> = each(
  'elsewhere',
  'clients',
  'enforcedNamespaceLabel',
  'ignoreNamespaceSelectors',
  'instanceNamespaceSelector',
  'instanceSelector',
  'logsExternalLabelName',
);

/** Lines of the section `server` of every configuration. */
export const serverFields: Fields<Pick<GrafanaAgentSpec, 'logFormat' | 'logLevel'>> = {
  logLevel: { as: 'log_level' },
  logFormat: { as: 'log_format' },
};

const podMetadataFields: Fields<EmbeddedMeta> = { ...each('elsewhere', 'annotations', 'labels'), name: 'no effect' };

export const grafanaAgentFields: Fields<GrafanaAgentSpec, GlobalPlace> = {
  ...serverFields,
  apiServer: { members: apiServerFields },
  metrics: { members: metricsFields },
  logs: { members: logsFields },
  integrations: { members: each('elsewhere', 'namespaceSelector', 'selector') },
  podMetadata: { members: podMetadataFields },
  // What the manifests are made from, where nobody hears of findings.
  ...each(
    'elsewhere',
    'affinity',
    'configMaps',
    'configReloaderImage',
    'configReloaderVersion',
    'containers',
    'disableReporting',
    'disableSupportBundle',
    'enableConfigReadAPI',
    'image',
    'imagePullSecrets',
    'initContainers',
    'nodeSelector',
    'paused',
    'portName',
    'priorityClassName',
    'resources',
    'runtimeClassName',
    'secrets',
    'securityContext',
    'serviceAccountName',
    'storage',
    'tolerations',
    'topologySpreadConstraints',
    'version',
    'volumeMounts',
    'volumes',
  ),
};
