import type { MonitorLimits, SafeTLSConfig, ScrapeEndpoint, TLSConfig } from '../../../../resources/fields.ts';
import type { Place } from '../../../../scrape/checks.ts';
import { basicAuthLine, followRedirectsLine, tokenField } from '../../../../scrape/fields/endpoint.ts';
import { each, type Fields, type Line } from '../../../../scrape/fields/table.ts';
import { authorization, safeTls, tls } from '../../../../scrape/http.ts';
import { checkCount, checkSize } from '../../../../scrape/sizes.ts';
import { oauth2Line } from '../http.ts';
import type { MetricsSettings } from '../settings.ts';

/** Fields that several kinds of monitors have, each kind in its own order. */

/** One job on its way: where it reports, and what its root decides about all jobs. */
export interface Scrape extends Place {
  readonly settings: MetricsSettings;
}

type Request = Pick<
  ScrapeEndpoint,
  'authorization' | 'basicAuth' | 'bearerTokenSecret' | 'enableHttp2' | 'followRedirects' | 'oauth2'
>;

/** How a target is asked. */
export const requestFields: Fields<Request> = {
  followRedirects: followRedirectsLine,
  // It is on, and an old agent may not know the line.
  enableHttp2: { as: 'enable_http2', keepsAll: true, of: (isOn) => (isOn ? undefined : false) },
  basicAuth: basicAuthLine,
  authorization: { as: 'authorization', of: (own, { leaf, at }) => authorization(own, leaf, at) },
  oauth2: oauth2Line,
  ...tokenField,
};

export const tlsLine: Line<TLSConfig, unknown, Place> = {
  as: 'tls_config',
  of: (own, { leaf, at }) => tls(own, leaf, at),
};

/** Of kinds that cannot name files of the container. */
export const safeTlsLine: Line<SafeTLSConfig, unknown, Place> = {
  as: 'tls_config',
  of: (own, { leaf, at }) => tls(safeTls(own), leaf, at),
};

/**
 * Limits, and what a monitor says about its metrics' form. Younger definitions refuse most wrong limits, those that the
 * Agent Operator left in a cluster do not.
 */
export const monitorFields: Fields<MonitorLimits, Scrape> = {
  sampleLimit: { as: 'sample_limit', made: (own, { settings }) => lower(own, settings.enforcedSampleLimit) },
  targetLimit: { as: 'target_limit', made: (own, { settings }) => lower(own, settings.enforcedTargetLimit) },
  labelLimit: { as: 'label_limit', check: checkCount },
  labelNameLengthLimit: { as: 'label_name_length_limit', check: checkCount },
  labelValueLengthLimit: { as: 'label_value_length_limit', check: checkCount },
  ...each(
    'no effect',
    'convertClassicHistogramsToNHCB',
    'fallbackScrapeProtocol',
    'keepDroppedTargets',
    'nativeHistogramBucketLimit',
    'nativeHistogramMinBucketFactor',
    'scrapeClass',
    'scrapeClassicHistograms',
    'scrapeNativeHistograms',
    'scrapeProtocols',
  ),
};

export const bodySizeLine: Line<string, unknown, Place> = { as: 'body_size_limit', check: checkSize };

/** 0 means no limit, on either side. */
function lower(own = 0, enforced = 0): number {
  if (own <= 0) return enforced;
  return enforced <= 0 || own <= enforced ? own : enforced;
}
