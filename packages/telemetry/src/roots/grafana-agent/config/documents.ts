import type { AgentMetrics, GrafanaAgentSpec } from '../../../resources/grafana-agent.ts';
import type { Integration } from '../../../resources/integration.ts';
import { sectionOf } from '../../../scrape/fields/table.ts';
import { given } from '../../../scrape/given.ts';
import type { Section } from '../../../scrape/http.ts';
import { toYamlPieces } from '../../../scrape/yaml.ts';
import type { RootPlace } from './fields/destinations.ts';
import { type GlobalPlace, metricsFields, serverFields } from './fields/roots.ts';

/** The files that the agents run from (`agent.yml` of static mode), put together from rendered parts, in pieces. */

/** Where the agents keep their write-ahead log and their positions. */
export const dataFolder = '/var/lib/grafana-agent/data';

export interface MetricsParts {
  /** In the order of their names. */
  readonly instances: readonly Section[];
  /** Where samples of instances without a remote of their own go. */
  readonly remoteWrite: readonly Section[];
}

export interface LogsParts {
  readonly instances: readonly Section[];
}

export function metricsDocument(place: RootPlace, parts: MetricsParts): readonly string[] {
  return toYamlPieces({ server: serverSection(place), metrics: metricsSection(place, parts, { withReplica: true }) });
}

export function logsDocument(place: RootPlace, parts: LogsParts): readonly string[] {
  return toYamlPieces({ server: serverSection(place), logs: logsSection(parts) });
}

/** Integrations of one name always stand in a list, so that a second one changes nothing for the first. */
export function integrationsDocument(
  place: RootPlace,
  parts: { readonly metrics: MetricsParts; readonly logs: LogsParts; readonly integrations: readonly Integration[] },
): readonly string[] {
  const byName = new Map<string, unknown[]>();
  for (const { spec } of parts.integrations)
    byName.set(`${spec.name}_configs`, [...(byName.get(`${spec.name}_configs`) ?? []), spec.config]);
  return toYamlPieces({
    server: serverSection(place),
    metrics: metricsSection(place, parts.metrics, { withReplica: false }),
    logs: logsSection(parts.logs),
    integrations: { metrics: { autoscrape: { enable: false } }, ...Object.fromEntries(byName) },
  });
}

function serverSection(place: RootPlace): Section {
  return sectionOf<Pick<GrafanaAgentSpec, keyof typeof serverFields>, RootPlace>(place.root.spec, serverFields, place);
}

function metricsSection(
  place: RootPlace,
  { instances, remoteWrite }: MetricsParts,
  { withReplica }: { readonly withReplica: boolean },
): Section {
  const { metrics = {} } = place.root.spec;
  const at = `${place.at}.metrics`;
  return {
    wal_directory: dataFolder,
    global: {
      ...sectionOf<AgentMetrics, GlobalPlace>(metrics, metricsFields, { ...place, at, withReplica }),
      ...given({ remote_write: remoteWrite }),
    },
    configs: instances,
  };
}

function logsSection({ instances }: LogsParts): Section {
  return { positions_directory: dataFolder, configs: instances };
}
