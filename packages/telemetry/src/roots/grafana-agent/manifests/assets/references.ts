import type { KubeObject } from '@signalbox/cluster';
import type { GrafanaAgent } from '../../../../resources/grafana-agent.ts';
import { byReferenceId, type KeyReference, referenceId } from '../../../../world/references.ts';
import type { AgentHierarchy } from '../../discover.ts';

/** Every key of a Secret or ConfigMap that the hierarchy names, once each, sorted. */
export function agentReferences(root: GrafanaAgent, hierarchy: AgentHierarchy): readonly KeyReference[] {
  const { spec } = root;
  const home = root.metadata.namespace ?? '';
  const found = new Map<string, KeyReference>();
  const add = (references: readonly KeyReference[]): void => {
    for (const reference of references) found.set(referenceId(reference), reference);
  };
  // Its containers read their own references: only what the configuration needs is copied.
  add(walk([spec.apiServer, spec.metrics?.remoteWrite, spec.logs?.clients], home));
  for (const { instance, serviceMonitors, podMonitors, probes } of hierarchy.metrics) {
    add(referencesOf(instance));
    for (const monitor of [...serviceMonitors, ...podMonitors, ...probes]) add(referencesOf(monitor));
  }
  for (const { instance } of hierarchy.logs) add(referencesOf(instance));
  for (const { metadata, spec: integration } of hierarchy.integrations)
    add(walk([{ secrets: integration.secrets }, { configMaps: integration.configMaps }], metadata.namespace ?? ''));
  return [...found.values()].sort(byReferenceId);
}

const known = new WeakMap<KubeObject, readonly KeyReference[]>();

function referencesOf(object: KubeObject & { readonly spec?: unknown }): readonly KeyReference[] {
  const before = known.get(object);
  if (before !== undefined) return before;
  const references = walk(object.spec, object.metadata.namespace ?? '');
  if (Object.isFrozen(object)) known.set(object, references);
  return references;
}

/** In these resources whatever has a `name` and a `key` is a reference, and its field tells of what kind. */
function walk(value: unknown, namespace: string, field = ''): readonly KeyReference[] {
  if (typeof value !== 'object' || value === null || field === 'proxyConnectHeader') return [];
  if (Array.isArray(value)) return value.flatMap((item) => walk(item, namespace, field));
  const { name, key, optional } = value as { name?: unknown; key?: unknown; optional?: unknown };
  if (typeof key === 'string' && typeof name === 'string') {
    if (name === '' || key === '') return [];
    const kind = field === 'configMap' || field === 'configMaps' ? 'ConfigMap' : 'Secret';
    return [{ kind, namespace, name, key, optional: optional === true }];
  }
  return Object.entries(value).flatMap(([member, part]) => walk(part, namespace, member));
}
