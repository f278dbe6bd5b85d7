import type { PrometheusAPIServer, ScrapeClass } from '../../../../resources/prometheus-fields.ts';
import { apiServerAddress } from '../../../../scrape/api-server.ts';
import { checkFilled, relabelRules } from '../../../../scrape/checks.ts';
import type { Fields } from '../../../../scrape/fields/table.ts';
import { authorization, basicAuth } from '../../../../scrape/http.ts';
import { checkedTls, proxyFields } from '../http.ts';
import { checkProtocol } from '../scrape-protocols.ts';
import { type Place, prometheus, type RenderedClass } from '../settings.ts';

/** What becomes of the fields of a scrape class: what its jobs look at, not yet lines of a file. */
export const classFields: Fields<ScrapeClass, Place> & {
  readonly [Name in keyof ScrapeClass]-?: { readonly as: keyof RenderedClass };
} = {
  name: { as: 'name' },
  default: { as: 'isDefault' },
  tlsConfig: { as: 'tls', of: (config, { leaf, at }) => checkedTls(config, leaf, at) },
  authorization: { as: 'authorization', of: (auth, { leaf, at }) => authorization(auth, leaf, at) },
  relabelings: { as: 'relabelings', of: relabelRules },
  metricRelabelings: { as: 'metricRelabelings', of: relabelRules },
  attachMetadata: { as: 'attachNode', members: { node: 'elsewhere' }, of: ({ node }) => node },
  fallbackScrapeProtocol: { as: 'fallbackScrapeProtocol', since: prometheus('3.0'), check: checkProtocol },
};

/** What becomes of the fields that say how service discovery reaches the API server. */
export const apiServerFields: Fields<PrometheusAPIServer, Place> = {
  host: {
    as: 'api_server',
    made: (host, place) => {
      checkFilled(host, place);
      return host === undefined ? undefined : apiServerAddress(host, place);
    },
  },
  basicAuth: { as: 'basic_auth', of: (auth, { leaf, at }) => basicAuth(auth, leaf, { at, passwordAs: 'text' }) },
  bearerToken: { as: 'bearer_token' },
  bearerTokenFile: { as: 'bearer_token_file' },
  authorization: { as: 'authorization', of: (auth, { leaf, at }) => authorization(auth, leaf, at) },
  tlsConfig: { as: 'tls_config', of: (config, { leaf, at }) => checkedTls(config, leaf, at) },
  ...proxyFields,
};
