import type { CommonPrometheusSpec, PrometheusAPIServer, ScrapeClass } from '../../../resources/prometheus-fields.ts';
import { apiServerAddress } from '../../../scrape/api-server.ts';
import { checkFilled, relabelRules } from '../../../scrape/checks.ts';
import { given } from '../../../scrape/given.ts';
import { authorization, basicAuth, checkOneLogin, type Section } from '../../../scrape/http.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import { checkedTls, proxySection } from './http.ts';
import { checkProtocol } from './scrape-protocols.ts';
import { type Place, type RenderedClass, since } from './settings.ts';
import type { Version } from './version.ts';

interface Root {
  readonly leaf: Leaf;
  readonly version: Version;
}

/** Scrape classes with everything that they refer to, which is in the root's namespace. */
export function renderedClasses(
  { scrapeClasses = [] }: CommonPrometheusSpec,
  { leaf, version }: Root,
): readonly RenderedClass[] {
  const defaults = scrapeClasses.filter((each) => each.default === true).map(({ name }) => name);
  if (defaults.length > 1)
    leaf.reject('InvalidField', 'spec.scrapeClasses', `only one may be the default, not ${defaults.join(' and ')}`);
  return scrapeClasses.map((each, index) => {
    const at = `spec.scrapeClasses[${index}]`;
    return {
      name: each.name,
      isDefault: each.default ?? false,
      tls: checkedTls(each.tlsConfig, leaf, `${at}.tlsConfig`),
      authorization: authorization(each.authorization, leaf, `${at}.authorization`),
      relabelings: relabelRules(each.relabelings, { leaf, at: `${at}.relabelings` }),
      metricRelabelings: relabelRules(each.metricRelabelings, { leaf, at: `${at}.metricRelabelings` }),
      attachNode: each.attachMetadata?.node ?? false,
      fallbackScrapeProtocol: fallbackProtocol(each, { version, leaf, at: `${at}.fallbackScrapeProtocol` }),
    };
  });
}

function fallbackProtocol({ fallbackScrapeProtocol: name }: ScrapeClass, place: Place): string | undefined {
  checkProtocol(name, place);
  return since('3.0', name, place);
}

/** How service discovery reaches the API server; undefined: from inside the cluster. */
export function apiServerSection(
  server: PrometheusAPIServer | undefined,
  { leaf, version }: Root,
): Section | undefined {
  if (server === undefined) return undefined;
  const at = 'spec.apiserverConfig';
  checkFilled(server.host, { leaf, at: `${at}.host` });
  const section = given({
    api_server: apiServerAddress(server.host, { leaf, at: `${at}.host` }),
    basic_auth: basicAuth(server.basicAuth, leaf, { at: `${at}.basicAuth`, passwordAs: 'text' }),
    bearer_token: server.bearerToken,
    bearer_token_file: server.bearerTokenFile,
    authorization: authorization(server.authorization, leaf, `${at}.authorization`),
    tls_config: checkedTls(server.tlsConfig, leaf, `${at}.tlsConfig`),
    ...proxySection(server, { version, leaf, at }),
  });
  checkOneLogin(section, { leaf, at });
  return section;
}
