import { isLabelName } from '../../../relabel/problem.ts';
import type { GrafanaAgent } from '../../../resources/grafana-agent.ts';
import type { Integration } from '../../../resources/integration.ts';
import { checkLabelNames, checkScrapeTimes, type Place } from '../../../scrape/checks.ts';
import type { CollectedJobs } from '../../../scrape/collected.ts';
import type { Section } from '../../../scrape/http.ts';
import type { JobCache } from '../../../scrape/jobs.ts';
import { createLeaf, type Leaf } from '../../../scrape/leaf.ts';
import type { Finding } from '../../../world/findings.ts';
import type { AgentHierarchy } from '../discover.ts';
import type { Assets } from '../manifests/assets/vault.ts';
import { integrationsDocument, logsDocument, metricsDocument } from './documents.ts';
import { integrationFields } from './fields/instances.ts';
import { grafanaAgentFields } from './fields/roots.ts';
import { warnOfUnrendered } from './fields/unrendered.ts';
import { logsInstance, metricsInstance, type RenderedInstance } from './instances.ts';
import { logsClientSection } from './logs/client.ts';
import { checkNames, remoteWriteSection } from './remote-write.ts';
import { apiServerSection, type CurrentSharing, logsSettings, metricsSettings, shardsMax } from './settings.ts';
import { expansionIn, integrationsExpansion } from './variables.ts';

/**
 * The configurations of one root. An undefined text: something that all of it depends on is wrong, so the last good one
 * stays. A part that only concerns itself is left out instead.
 */
export interface RenderedAgent {
  readonly metrics: Pieces | undefined;
  readonly logs: Pieces | undefined;
  readonly integrations: { readonly deploy: Pieces | undefined; readonly ds: Pieces | undefined };
  readonly collected: readonly CollectedJobs[];
  /** Of the Secrets in which somebody wrote jobs. Made when somebody asks. */
  readonly additional: () => readonly CollectedJobs[];
  readonly findings: readonly Finding[];
}

/** Of a document. */
type Pieces = readonly string[];

interface Tools {
  readonly assets: Assets;
  readonly cache: JobCache;
  readonly sharing: CurrentSharing;
}

export function renderAgent(
  root: GrafanaAgent,
  hierarchy: AgentHierarchy,
  { assets, cache, sharing }: Tools,
): RenderedAgent {
  const { vault } = assets;
  const base = createLeaf(root, vault, { missingFile: 'warn', expansion: 'any' });
  const place = { root, leaf: base, at: 'spec' };
  warnOfUnrendered(root.spec, grafanaAgentFields, place);
  const apiServer = apiServerSection(root, base);
  const metricsLeaf = createLeaf(root, vault, { missingFile: 'warn', expansion: 'any' });
  const remoteWrite = globalRemotes(root, hierarchy, metricsLeaf);
  const settings = metricsSettings(root, { apiServer, sharing });
  const metrics = hierarchy.metrics.map((branch) => metricsInstance(branch, { root, settings, vault, cache }));
  const logsLeaf = createLeaf(root, vault, { missingFile: 'warn', expansion: 'any' });
  const rootClients = globalClients(root, hierarchy, logsLeaf);
  const forLogs = logsSettings(root, apiServer);
  const logs = hierarchy.logs.map((branch) =>
    logsInstance(branch, { root, settings: forLogs, vault, cache, rootClients }),
  );
  const hasMetrics = !base.isRejected && !metricsLeaf.isRejected;
  const hasLogs = !base.isRejected && !logsLeaf.isRejected;
  const shared = {
    metrics: { instances: parts(metrics, 'bare'), remoteWrite },
    logs: { instances: parts(logs, 'bare') },
  };
  const own = integrationsOf(root, hierarchy, assets);
  const integrations = (allNodes: boolean): Pieces | undefined =>
    hasMetrics && hasLogs
      ? integrationsDocument(place, {
          ...shared,
          integrations: own.usable.filter(({ spec }) => (spec.type.allNodes === true) === allNodes),
        })
      : undefined;
  return {
    metrics: hasMetrics ? metricsDocument(place, { instances: parts(metrics, 'section'), remoteWrite }) : undefined,
    logs: hasLogs ? logsDocument(place, { instances: parts(logs, 'section') }) : undefined,
    integrations: { deploy: integrations(false), ds: integrations(true) },
    collected: [...metrics, ...logs].flatMap(({ collected }) => collected),
    additional: () => [...metrics, ...logs].flatMap(({ additional }) => additional()),
    findings: [
      ...base.findings,
      ...metricsLeaf.findings,
      ...logsLeaf.findings,
      ...metrics.flatMap(({ findings }) => findings),
      ...logs.flatMap(({ findings }) => findings),
      ...own.findings,
    ],
  };
}

function parts(instances: readonly RenderedInstance[], which: 'bare' | 'section'): readonly Section[] {
  return instances.map((instance) => instance[which]).filter((section) => section !== undefined);
}

/** Without metrics instances nobody looks at them, so nothing can be wrong with them. */
function globalRemotes(root: GrafanaAgent, { metrics, integrations }: AgentHierarchy, leaf: Leaf): readonly Section[] {
  if (metrics.length === 0 && integrations.length === 0) return [];
  const { scrapeInterval: interval, scrapeTimeout: timeout, externalLabels } = root.spec.metrics ?? {};
  const fields = { interval: 'spec.metrics.scrapeInterval', timeout: 'spec.metrics.scrapeTimeout' };
  checkScrapeTimes({ interval, timeout, defaultInterval: '1m', fields }, leaf);
  checkLabelNames(externalLabels, { leaf, at: 'spec.metrics.externalLabels' });
  checkLabelFields(root.spec.metrics, metricsLabels, { leaf, at: 'spec.metrics' });
  checkNames(root.spec.metrics?.remoteWrite ?? [], leaf, 'spec.metrics.remoteWrite');
  if ((root.spec.metrics?.shards ?? 1) > shardsMax)
    leaf.reject('InvalidField', 'spec.metrics.shards', `may not be greater than ${shardsMax}`);
  return (root.spec.metrics?.remoteWrite ?? []).map((remote, index) =>
    remoteWriteSection(remote, leaf, `spec.metrics.remoteWrite[${index}]`),
  );
}

/** The root's clients serve the instances that have none of their own. */
function globalClients(root: GrafanaAgent, { logs }: AgentHierarchy, leaf: Leaf): readonly Section[] {
  if (logs.length > 0) checkLabelFields(root.spec.logs, logsLabels, { leaf, at: 'spec.logs' });
  if (logs.every(({ instance }) => (instance.spec?.clients ?? []).length > 0)) return [];
  return (root.spec.logs?.clients ?? []).map((client, index) =>
    logsClientSection(client, root, { leaf, at: `spec.logs.clients[${index}]` }),
  );
}

const metricsLabels = ['metricsExternalLabelName', 'replicaExternalLabelName', 'enforcedNamespaceLabel'] as const;
const logsLabels = ['logsExternalLabelName', 'enforcedNamespaceLabel'] as const;

/** Fields that name a label of everything that a root collects. */
function checkLabelFields<Field extends string>(
  spec: Readonly<Partial<Record<Field, string>>> | undefined,
  fields: readonly Field[],
  { leaf, at }: Place,
): void {
  for (const field of fields) {
    const name = spec?.[field] ?? '';
    if (name !== '' && !isLabelName(name)) leaf.reject('InvalidField', `${at}.${field}`, `"${name}" is no label name`);
  }
}

/** Integrations whose files are all there, and that may run beside the others. */
function integrationsOf(
  root: GrafanaAgent,
  { integrations }: AgentHierarchy,
  { vault }: Assets,
): { readonly usable: readonly Integration[]; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const running = new Map<string, Integration>();
  const usable = integrations.flatMap((integration): readonly Integration[] => {
    const expansion = expansionIn(root, integration, integrationsExpansion);
    const leaf = createLeaf(integration, vault, { missingFile: 'reject', expansion });
    warnOfUnrendered(integration.spec, integrationFields, { leaf, at: 'spec' });
    checkIntegration(integration, leaf);
    const { name, type } = integration.spec;
    const place = `${type.allNodes === true} ${name}`;
    const first = running.get(place);
    if (first !== undefined && (first.spec.type.unique === true || type.unique === true))
      leaf.reject('NotUnique', 'spec.name', `${name} runs once per agent, and ${describe(first)} has it already`);
    findings.push(...leaf.findings);
    if (!leaf.isRejected && first === undefined) running.set(place, integration);
    return leaf.isRejected ? [] : [{ ...integration, spec: leaf.settle(integration.spec) }];
  });
  return { usable, findings };
}

function checkIntegration({ spec }: Integration, leaf: Leaf): void {
  const { name, secrets = [], configMaps = [], volumes = [], volumeMounts = [] } = spec;
  if (!/^[a-z0-9_]+$/.test(name)) leaf.reject('InvalidField', 'spec.name', `"${name}" is no integration's name`);
  for (const [index, selector] of secrets.entries()) leaf.secretFile(selector, `spec.secrets[${index}]`);
  for (const [index, selector] of configMaps.entries()) leaf.configMapFile(selector, `spec.configMaps[${index}]`);
  for (const [index, mount] of volumeMounts.entries())
    if (volumes.every((volume) => volume.name !== mount.name))
      leaf.reject('InvalidField', `spec.volumeMounts[${index}].name`, `it has no volume called "${mount.name}"`);
  // The kubelet expands it from the environment of the agents.
  for (const [index, { subPathExpr = '' }] of volumeMounts.entries())
    if (leaf.settle(subPathExpr) !== subPathExpr)
      leaf.reject('InvalidField', `spec.volumeMounts[${index}].subPathExpr`, 'names a variable that is not the pod’s');
}

function describe({ metadata }: Integration): string {
  return `Integration ${metadata.namespace}/${metadata.name}`;
}
