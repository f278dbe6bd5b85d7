import { constant, type RelabelRule } from '../../../../relabel/rule.ts';
import type { MonitorLimits, NamespaceSelector, RelabelConfig, ScrapeEndpoint } from '../../../../resources/fields.ts';
import { checkScrapeTimes, relabelRules } from '../../../../scrape/checks.ts';
import { kubernetesDiscovery } from '../../../../scrape/discovery.ts';
import { type Fields, sectionOf } from '../../../../scrape/fields/table.ts';
import { given } from '../../../../scrape/given.ts';
import { checkOneLogin, type Section } from '../../../../scrape/http.ts';
import type { Scrape } from '../fields/endpoint.ts';

/** One endpoint of a monitor on its way to a job. `at` is `spec.endpoints[0]`. */
export interface EndpointScrape<Endpoint extends ScrapeEndpoint> extends Scrape {
  readonly endpoint: Endpoint;
}

interface EndpointMonitorSpec extends MonitorLimits {
  readonly namespaceSelector?: NamespaceSelector;
  readonly attachMetadata?: { readonly node?: boolean };
}

interface JobParts<Spec, Endpoint> {
  readonly name: string;
  readonly role: 'endpoints' | 'pod';
  readonly spec: Spec;
  readonly fields: { readonly spec: Fields<Spec, Scrape>; readonly endpoint: Fields<Endpoint, Scrape> };
  readonly rules: readonly RelabelRule[];
}

/** The job of one endpoint, the same for all kinds of monitors that have endpoints. */
export function endpointJob<Spec extends EndpointMonitorSpec, Endpoint extends ScrapeEndpoint>(
  scrape: EndpointScrape<Endpoint>,
  { name, role, spec, fields, rules }: JobParts<Spec, Endpoint>,
): Section {
  const { endpoint, settings, leaf, at } = scrape;
  checkTimes(endpoint, scrape);
  const section: Section = {
    job_name: name,
    ...sectionOf(endpoint, fields.endpoint, scrape),
    ...sectionOf(spec, fields.spec, { ...scrape, at: 'spec' }),
    kubernetes_sd_configs: [
      kubernetesDiscovery({
        role,
        home: leaf.namespace,
        namespaces: spec.namespaceSelector,
        ignoreNamespaceSelectors: settings.ignoreNamespaceSelectors,
        apiServer: settings.apiServer,
        attachNode: spec.attachMetadata?.node ?? false,
      }),
    ],
    relabel_configs: rules,
    ...given({
      metric_relabel_configs: metricRules(endpoint.metricRelabelings, { ...scrape, at: `${at}.metricRelabelings` }),
    }),
  };
  checkOneLogin(section, { leaf, at });
  return section;
}

export function checkTimes(
  { interval, scrapeTimeout: timeout }: Pick<ScrapeEndpoint, 'interval' | 'scrapeTimeout'>,
  { settings: { defaultInterval }, leaf, at }: Scrape,
): void {
  const fields = { interval: `${at}.interval`, timeout: `${at}.scrapeTimeout` };
  checkScrapeTimes({ interval, timeout, defaultInterval, fields }, leaf);
}

/**
 * Rules after the scrape. None may name the label that holds the enforced namespace; and since there are other ways to
 * reach a label (a pattern, a map, a drop), it is set once more behind them.
 */
export function metricRules(
  rules: readonly RelabelConfig[] | undefined,
  { settings, leaf, at }: Scrape,
): readonly RelabelRule[] {
  const { enforcedNamespaceLabel: enforced } = settings;
  const own = relabelRules(rules, { leaf, at });
  if (enforced === '') return own;
  const left = own.filter(({ target_label }) => target_label !== enforced);
  return left.every(({ action = '' }) => action === 'keep' || action === 'drop')
    ? left
    : [...left, constant(enforced, leaf.namespace)];
}
