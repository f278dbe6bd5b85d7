import { freeze } from '@signalbox/cluster';
import { constant, drop, type RelabelRule } from '../../../../relabel/rule.ts';
import type { RelabelConfig, ScrapeEndpoint } from '../../../../resources/fields.ts';
import { checkScrapeTimes, relabelRules } from '../../../../scrape/checks.ts';
import { type Fields, sectionOf } from '../../../../scrape/fields/table.ts';
import type { Section } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { checkProxy } from '../http.ts';
import type { PrometheusSettings, RenderedClass, Scrape } from '../settings.ts';

/** How targets are scraped, whatever they are found by. */
export function endpointSection<Endpoint extends ScrapeEndpoint>(
  endpoint: Endpoint,
  fields: Fields<Endpoint, Scrape>,
  scrape: Scrape,
): Section {
  const { at } = scrape;
  const { interval, scrapeTimeout: timeout } = endpoint;
  checkTimes({ interval, timeout }, scrape, { interval: `${at}.interval`, timeout: `${at}.scrapeTimeout` });
  checkProxy(endpoint, scrape);
  return sectionOf(endpoint, fields, scrape);
}

export function checkTimes(
  { interval, timeout }: { readonly interval: string | undefined; readonly timeout: string | undefined },
  { settings, leaf }: Scrape,
  fields: { readonly interval: string; readonly timeout: string },
): void {
  checkScrapeTimes({ interval, timeout, defaultInterval: settings.defaultInterval, fields }, leaf);
}

/** The class that a monitor names, or the default one. A name that no class has rejects the monitor. */
export function classOf(
  { scrapeClass: name }: { readonly scrapeClass?: string },
  { classes }: PrometheusSettings,
  leaf: Leaf,
): RenderedClass | undefined {
  if (name === undefined || name === '') return classes.find(({ isDefault }) => isDefault);
  const found = classes.find((each) => each.name === name);
  if (found === undefined) leaf.reject('InvalidField', 'spec.scrapeClass', `no scrape class is called "${name}"`);
  return found;
}

interface OwnRules {
  readonly scrape: Scrape;
  readonly field: string;
  readonly enforced: string;
}

/**
 * The rules before the scrape that are not the operator's: the class's, then the object's. After them comes the tenant's
 * label, on which nobody else has a say.
 */
export function ownRules(configs: readonly RelabelConfig[] | undefined, own: OwnRules): readonly RelabelRule[] {
  return withEnforced(own.scrape.scrapeClass?.relabelings, configs, own);
}

/** The same for what was scraped. */
export function metricRules(configs: readonly RelabelConfig[] | undefined, own: OwnRules): readonly RelabelRule[] {
  return withEnforced(own.scrape.scrapeClass?.metricRelabelings, configs, own);
}

function withEnforced(
  first: readonly RelabelRule[] | undefined,
  configs: readonly RelabelConfig[] | undefined,
  { scrape: { leaf, settings }, field, enforced }: OwnRules,
): readonly RelabelRule[] {
  return [
    ...(first ?? []),
    ...relabelRules(configs, { leaf, at: field }),
    ...(enforced === '' ? [] : [constant(settings.enforcedNamespaceLabel, enforced)]),
  ];
}

/** The namespace that is written over whatever the targets say; empty for objects that are spared. */
export function enforcedNamespace(
  { enforcedNamespaceLabel, excludedFromEnforcement }: PrometheusSettings,
  resource: string,
  { namespace = '', name }: { readonly namespace?: string; readonly name: string },
): string {
  const isSpared = excludedFromEnforcement.some(
    (each) => each.resource === resource && each.namespace === namespace && (!each.name || each.name === name),
  );
  return enforcedNamespaceLabel === '' || isSpared ? '' : namespace;
}

const running: readonly RelabelRule[] = freeze([drop('__meta_kubernetes_pod_phase', '(Failed|Succeeded)')]);

/** Pods that have ended answer no more. */
export function runningRules(filterRunning: boolean | undefined): readonly RelabelRule[] {
  return filterRunning === false ? [] : running;
}
