import type { GrafanaAgent } from '../../../../resources/grafana-agent.ts';
import type { LogsClient } from '../../../../resources/remote.ts';
import type { Place } from '../../../../scrape/checks.ts';
import { sectionOf } from '../../../../scrape/fields/table.ts';
import { checkOneLogin, type Section } from '../../../../scrape/http.ts';
import { logsClientFields, type RootPlace } from '../fields/destinations.ts';
import { warnOfUnrendered } from '../fields/unrendered.ts';

/** One place that logs are sent to. `at` is its field: `spec.clients[0]`. */
export function logsClientSection(client: LogsClient, root: GrafanaAgent, place: Place): Section {
  warnOfUnrendered(client, logsClientFields, place);
  const section = sectionOf<LogsClient, RootPlace>(client, logsClientFields, { ...place, root });
  checkOneLogin(section, place);
  return section;
}
