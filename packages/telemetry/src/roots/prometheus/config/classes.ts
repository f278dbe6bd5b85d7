import type { CommonPrometheusSpec, PrometheusAPIServer, ScrapeClass } from '../../../resources/prometheus-fields.ts';
import { sectionOf } from '../../../scrape/fields/table.ts';
import { checkOneLogin, type Section } from '../../../scrape/http.ts';
import { apiServerFields, classFields } from './fields/classes.ts';
import { checkProxy } from './http.ts';
import type { Place, RenderedClass } from './settings.ts';

type Root = Omit<Place, 'at'>;

/** Scrape classes with everything that they refer to, which is in the root's namespace. */
export function renderedClasses({ scrapeClasses = [] }: CommonPrometheusSpec, root: Root): readonly RenderedClass[] {
  const defaults = scrapeClasses.filter((each) => each.default === true).map(({ name }) => name);
  if (defaults.length > 1)
    root.leaf.reject(
      'InvalidField',
      'spec.scrapeClasses',
      `only one may be the default, not ${defaults.join(' and ')}`,
    );
  return scrapeClasses.map((each, index) => {
    const place = { ...root, at: `spec.scrapeClasses[${index}]` };
    return { name: each.name, ...(sectionOf<ScrapeClass, Place>(each, classFields, place) as Partial<RenderedClass>) };
  });
}

/** How service discovery reaches the API server; undefined: from inside the cluster. */
export function apiServerSection(server: PrometheusAPIServer | undefined, root: Root): Section | undefined {
  if (server === undefined) return undefined;
  const place = { ...root, at: 'spec.apiserverConfig' };
  checkProxy(server, place);
  const section = sectionOf<PrometheusAPIServer, Place>(server, apiServerFields, place);
  checkOneLogin(section, place);
  return section;
}
