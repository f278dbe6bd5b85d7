import type { BasicAuth, ScrapeEndpoint } from '../../resources/fields.ts';
import type { Place } from '../checks.ts';
import { basicAuth } from '../http.ts';
import type { Fields, Line } from './table.ts';

/** Lines of scrape jobs that all agents spell alike. Each kind of monitor has them in its own order. */

/** One job on its way: where it reports, and what its root decides about all jobs. */
interface Scrape extends Place {
  readonly settings: { readonly overrideHonorLabels: boolean; readonly overrideHonorTimestamps: boolean };
}

export const honorLabelsLine: Line<boolean, unknown, Scrape> = {
  as: 'honor_labels',
  keepsAll: true,
  made: (own, { settings }) => (settings.overrideHonorLabels ? false : (own ?? false)),
};

/** Nothing said: as the agent has it, which is to honor them. */
export const honorTimestampsLine: Line<boolean, unknown, Scrape> = {
  as: 'honor_timestamps',
  keepsAll: true,
  made: (own, { settings }) => honoredTimestamps(own, settings),
};

export function honoredTimestamps(
  own: boolean | undefined,
  { overrideHonorTimestamps }: Scrape['settings'],
): boolean | undefined {
  return overrideHonorTimestamps ? false : own;
}

export const timeFields: Fields<Pick<ScrapeEndpoint, 'interval' | 'scrapeTimeout'>> = {
  interval: { as: 'scrape_interval' },
  scrapeTimeout: { as: 'scrape_timeout' },
};

export const schemeLine: Line<string, unknown, Place> = { as: 'scheme', of: (scheme) => scheme.toLowerCase() };

/** Of a prober. */
export const probePathLine: Line<string, unknown, Place> = { as: 'metrics_path', made: (own) => own || '/probe' };

/** On unless switched off. */
export const followRedirectsLine: Line<boolean, unknown, Place> = { as: 'follow_redirects', keepsAll: true };

export const basicAuthLine: Line<BasicAuth, unknown, Place> = {
  as: 'basic_auth',
  of: (auth, { leaf, at }) => basicAuth(auth, leaf, { at, passwordAs: 'text' }),
};

export const tokenField: Fields<Pick<ScrapeEndpoint, 'bearerTokenSecret'>> = {
  bearerTokenSecret: { as: 'bearer_token', of: (selector, { leaf, at }) => leaf.secretValue(selector, at) },
};

/** Where the kind may name files of the container. */
export const tokenFileLine: Line<string, unknown, Place> = { as: 'bearer_token_file' };
