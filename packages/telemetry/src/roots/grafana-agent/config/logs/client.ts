import type { GrafanaAgent } from '../../../../resources/grafana-agent.ts';
import type { LogsClient } from '../../../../resources/remote.ts';
import { checkFilled, checkGoDuration, checkLabelNames, checkUrl } from '../../../../scrape/checks.ts';
import { given } from '../../../../scrape/given.ts';
import { basicAuth, checkOneLogin, type Section, tls } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { oauth2 } from '../http.ts';

/** One place that logs are sent to. `at` is its field: `spec.clients[0]`. */
export function logsClientSection(
  client: LogsClient,
  root: GrafanaAgent,
  { leaf, at }: { readonly leaf: Leaf; readonly at: string },
): Section {
  checkFilled(client.url, { leaf, at: `${at}.url` });
  checkUrl(client.url, { leaf, at: `${at}.url` });
  checkUrl(client.proxyUrl, { leaf, at: `${at}.proxyUrl` });
  checkGoDuration(client.timeout, { leaf, at: `${at}.timeout` });
  checkGoDuration(client.batchWait, { leaf, at: `${at}.batchWait` });
  for (const field of ['minPeriod', 'maxPeriod'] as const)
    checkGoDuration(client.backoffConfig?.[field], { leaf, at: `${at}.backoffConfig.${field}` });
  checkLabelNames(client.externalLabels, { leaf, at: `${at}.externalLabels` });
  const section: Section = {
    url: client.url,
    ...given({
      tls_config: tls(client.tlsConfig, leaf, `${at}.tlsConfig`),
      proxy_url: client.proxyUrl,
      tenant_id: client.tenantId,
      timeout: client.timeout,
      batchwait: client.batchWait,
      batchsize: client.batchSize,
      basic_auth: basicAuth(client.basicAuth, leaf, { at: `${at}.basicAuth`, passwordAs: 'text' }),
      oauth2: oauth2(client.oauth2, { leaf, at: `${at}.oauth2` }),
      bearer_token: client.bearerToken,
      bearer_token_file: client.bearerTokenFile,
      backoff_config: given({
        min_period: client.backoffConfig?.minPeriod,
        max_period: client.backoffConfig?.maxPeriod,
        max_retries: client.backoffConfig?.maxRetries,
      }),
      external_labels: { ...clusterLabel(root, root.spec.logs?.logsExternalLabelName), ...client.externalLabels },
    }),
  };
  checkOneLogin(section, { leaf, at });
  return section;
}

/** The label that names the deployment: absent name `cluster`, empty name no label. */
export function clusterLabel({ metadata }: GrafanaAgent, name = 'cluster'): Readonly<Record<string, string>> {
  return name === '' ? {} : { [name]: `${metadata.namespace}/${metadata.name}` };
}
