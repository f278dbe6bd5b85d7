import { parseQuantity } from '@signalbox/cluster';
import type { Authorization, SafeTLSConfig, ScrapeEndpoint, TLSConfig } from '../../../../resources/fields.ts';
import { basicAuthLine, followRedirectsLine, honorTimestampsLine } from '../../../../scrape/fields/endpoint.ts';
import type { Fields, Line } from '../../../../scrape/fields/table.ts';
import { given } from '../../../../scrape/given.ts';
import { authorization, type Section, safeTls } from '../../../../scrape/http.ts';
import { checkCount } from '../../../../scrape/sizes.ts';
import { checkedTls, oauth2 } from '../http.ts';
import { type LimitedSpec, limitFields } from '../limits.ts';
import { checkProtocol, protocolsSince, scrapeProtocols } from '../scrape-protocols.ts';
import { type Place, prometheus, type RenderedClass, type Scrape } from '../settings.ts';

/** Fields that several kinds of monitors have, each kind in its own order. */

type Part<Spec, Name extends keyof Spec> = Fields<Pick<Spec, Name>, Scrape>;

export const timestampFields: Part<ScrapeEndpoint, 'honorTimestamps' | 'trackTimestampsStaleness'> = {
  honorTimestamps: honorTimestampsLine,
  trackTimestampsStaleness: { as: 'track_timestamps_staleness', since: prometheus('2.48'), keepsAll: true },
};

/** Two spellings of the field have one line. */
export const http2Line: Line<boolean, unknown, Scrape> = { as: 'enable_http2', keepsAll: true };

/** Both are on unless switched off. */
export const switchFields: Part<ScrapeEndpoint, 'followRedirects' | 'enableHttp2'> = {
  followRedirects: followRedirectsLine,
  enableHttp2: http2Line,
};

/** Logins that a request may have; no more than one of them. */
export const loginFields: Part<ScrapeEndpoint, 'basicAuth' | 'oauth2'> = {
  basicAuth: basicAuthLine,
  oauth2: { as: 'oauth2', of: oauth2 },
};

const logins = ['basic_auth', 'oauth2', 'bearer_token', 'bearer_token_file'];

/** The monitor's own; what it leaves open comes from its class, where there is no other way to log in. */
export const authorizationLine: Line<Authorization, unknown, Scrape> = {
  as: 'authorization',
  made: (own, scrape, { before }) =>
    mergedAuthorization(own, { scrape, isAlone: logins.every((login) => before[login] === undefined) }),
};

function mergedAuthorization(
  own: Authorization | undefined,
  { scrape: { leaf, at, scrapeClass }, isAlone }: { readonly scrape: Scrape; readonly isAlone: boolean },
): Section | undefined {
  const section = authorization(own, leaf, at);
  const fromClass = scrapeClass?.authorization;
  if (section === undefined) return isAlone ? fromClass : undefined;
  const hasCredentials = 'credentials' in section || 'credentials_file' in section;
  if (hasCredentials || fromClass === undefined) return section;
  const { type: _type, ...credentials } = fromClass;
  return { ...section, ...credentials };
}

export const tlsLine: Line<TLSConfig, unknown, Scrape> = {
  as: 'tls_config',
  made: (own, { leaf, at, scrapeClass }) => mergedTls(checkedTls(own, leaf, at), scrapeClass),
};

/** Of kinds that cannot name files of the container. */
export const safeTlsLine: Line<SafeTLSConfig, unknown, Scrape> = {
  as: 'tls_config',
  made: (own, { leaf, at, scrapeClass }) => mergedTls(checkedTls(safeTls(own), leaf, at), scrapeClass),
};

/** The monitor's own settings; files that it does not name come from the class. */
function mergedTls(own: Section | undefined, scrapeClass: RenderedClass | undefined): Section | undefined {
  const { ca_file, cert_file, key_file } = scrapeClass?.tls ?? {};
  return own === undefined ? scrapeClass?.tls : { ...given({ ca_file, cert_file, key_file }), ...own };
}

/** Limits, and what a monitor says about its metrics' form. */
export const monitorFields: Fields<LimitedSpec, Scrape> = {
  ...limitFields,
  scrapeProtocols: { as: 'scrape_protocols', since: prometheus(protocolsSince), of: scrapeProtocols },
  fallbackScrapeProtocol: {
    as: 'fallback_scrape_protocol',
    since: prometheus('3.0'),
    check: checkProtocol,
    made: (own, { scrapeClass }) => own ?? scrapeClass?.fallbackScrapeProtocol,
  },
  nativeHistogramBucketLimit: { as: 'native_histogram_bucket_limit', since: prometheus('2.45'), check: checkCount },
  nativeHistogramMinBucketFactor: {
    as: 'native_histogram_min_bucket_factor',
    since: prometheus('2.50'),
    of: quantityOf,
  },
  scrapeNativeHistograms: { as: 'scrape_native_histograms', since: prometheus('3.8'), keepsAll: true },
  scrapeClassicHistograms: {
    as: ({ version }) => (version.major === 2 ? 'scrape_classic_histograms' : 'always_scrape_classic_histograms'),
    since: prometheus('2.45'),
    keepsAll: true,
  },
  convertClassicHistogramsToNHCB: {
    as: 'convert_classic_histograms_to_nhcb',
    since: prometheus('3.0'),
    keepsAll: true,
  },
  scrapeClass: 'elsewhere',
};

/** A quantity of Kubernetes, `1.1` or `1100m`. */
function quantityOf(quantity: number | string, { leaf, at }: Place): number | undefined {
  const parsed = parseQuantity(String(quantity));
  if (parsed === undefined) leaf.reject('InvalidField', at, `"${quantity}" is no number`);
  return parsed === undefined ? undefined : Number(parsed) / 1e9;
}
