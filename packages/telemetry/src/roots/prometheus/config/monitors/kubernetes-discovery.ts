import { parseFieldSelector, parseLabelSelector } from '@signalbox/cluster';
import type { HTTPSDConfig, KubernetesSDConfig } from '../../../../resources/scrape-config.ts';
import { checkUrl } from '../../../../scrape/checks.ts';
import { sectionOf } from '../../../../scrape/fields/table.ts';
import { given } from '../../../../scrape/given.ts';
import { checkOneLogin, type Section } from '../../../../scrape/http.ts';
import type { Leaf } from '../../../../scrape/leaf.ts';
import { discoveryClientFields } from '../fields/monitors.ts';
import { checkProxy } from '../http.ts';
import type { Scrape } from '../settings.ts';

/** What objects of a role are made from, and may be selected by. */
const selectable: Readonly<Record<string, readonly string[]>> = {
  pod: ['pod'],
  service: ['service'],
  endpoints: ['pod', 'service', 'endpoints'],
  endpointslice: ['pod', 'service', 'endpointslice'],
  node: ['node'],
  ingress: ['ingress'],
};

/** Discovery that a ScrapeConfig spells out: at the API server of the pod's cluster, or at one of its own. */
export function kubernetesSection(config: KubernetesSDConfig, scrape: Scrape, index: number): Section {
  const { leaf } = scrape;
  const at = `spec.kubernetesSDConfigs[${index}]`;
  const role = config.role.toLowerCase();
  if (!Object.hasOwn(selectable, role))
    leaf.reject('InvalidField', `${at}.role`, `"${config.role}" is none of ${Object.keys(selectable).join(', ')}`);
  const client = discoveryClient(config, scrape, at);
  checkServer(config, { leaf, at, client });
  checkSelectors(config, { leaf, at });
  return {
    role,
    ...given({
      api_server: config.apiServer,
      namespaces: given({ own_namespace: config.namespaces?.ownNamespace, names: config.namespaces?.names }),
      selectors: config.selectors?.map((selector) => ({
        role: selector.role.toLowerCase(),
        ...given({ label: selector.label, field: selector.field }),
      })),
    }),
    ...attached(config, { leaf, at }),
    ...client,
  };
}

interface Spot {
  readonly leaf: Leaf;
  readonly at: string;
}

function checkServer({ apiServer, namespaces }: KubernetesSDConfig, spot: Spot & { readonly client: Section }): void {
  const { leaf, at, client } = spot;
  checkUrl(apiServer, { leaf, at: `${at}.apiServer` });
  // What holds anyway is no setting.
  const settings = Object.values(client).filter((value) => value !== true);
  // Without an address Prometheus uses what its pod has, and takes credentials for a mistake.
  if (!apiServer && settings.length > 0)
    leaf.reject('InvalidField', at, 'settings for the connection need an apiServer');
  if (apiServer && namespaces?.ownNamespace === true)
    leaf.reject(
      'InvalidField',
      `${at}.namespaces.ownNamespace`,
      'is a namespace of the own cluster, and apiServer names another one: leave one of them out',
    );
  checkOneLogin(client, { leaf, at });
}

function checkSelectors({ role, selectors = [] }: KubernetesSDConfig, { leaf, at }: Spot): void {
  const allowed = selectable[role.toLowerCase()] ?? [];
  const seen = new Set<string>();
  for (const [index, selector] of selectors.entries()) {
    const place = `${at}.selectors[${index}]`;
    const each = selector.role.toLowerCase();
    if (!allowed.includes(each))
      leaf.reject(
        'InvalidField',
        `${place}.role`,
        `what is found by ${role} is selected by ${allowed.join(', ')} only`,
      );
    if (seen.has(each)) leaf.reject('InvalidField', `${place}.role`, `"${selector.role}" has a selector already`);
    seen.add(each);
    if (!isReadable(() => parseLabelSelector(selector.label ?? '')))
      leaf.reject('InvalidField', `${place}.label`, `"${selector.label}" is no label selector`);
    if (!isReadable(() => parseFieldSelector(selector.field ?? '')))
      leaf.reject('InvalidField', `${place}.field`, `"${selector.field}" is no field selector`);
  }
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** What stands on a node comes to targets that run on one. */
function attached({ role, attachMetadata }: KubernetesSDConfig, { leaf, at }: Spot): Section {
  if (attachMetadata?.node !== true) return {};
  if (['pod', 'endpoints', 'endpointslice'].includes(role.toLowerCase())) return { attach_metadata: { node: true } };
  leaf.warn('UnsupportedField', `${at}.attachMetadata`, `the role ${role} takes none, so the field has no effect`);
  return {};
}

/** How the one who knows the targets is asked. */
export function discoveryClient(config: HTTPSDConfig | KubernetesSDConfig, scrape: Scrape, at: string): Section {
  const place = { ...scrape, at };
  checkProxy(config, place);
  return sectionOf<typeof config, Scrape>(config, discoveryClientFields, place);
}
