import {
  configmaps,
  type KubeObject,
  type New,
  namespaces,
  persistentvolumeclaims,
  type ResourceType,
  type Secret,
  secrets,
  services,
  statefulsets,
} from '@signalbox/cluster';
import { createGzip, type Gzip } from '../../manifests/gzip.ts';
import { tooLarge } from '../../manifests/secret-bytes.ts';
import type { BuildOptions, Desired, ObjectName, RootComponent } from '../../operator/component.ts';
import { isPaused } from '../../operator/paused.ts';
import { soonest } from '../../operator/soonest.ts';
import { podmonitors } from '../../resources/pod-monitor.ts';
import { probes } from '../../resources/probe.ts';
import { scrapeconfigs } from '../../resources/scrape-config.ts';
import { servicemonitors } from '../../resources/service-monitor.ts';
import { createJobCache, type JobCache } from '../../scrape/jobs.ts';
import { createLeaf, type Leaf } from '../../scrape/leaf.ts';
import { noAnswers } from '../../sharding/agents.ts';
import type { CurrentSharding } from '../../sharding/current.ts';
import { leavesAtAnnotation, nobodyLeaves } from '../../sharding/leaving.ts';
import { stateAnnotation } from '../../sharding/state-text.ts';
import type { Finding } from '../../world/findings.ts';
import type { World } from '../../world/world.ts';
import { emptyDocument, isServer, type PrometheusRoot } from './config/document.ts';
import { type RenderedPrometheus, renderPrometheus } from './config/render.ts';
import { isAtLeast, parseVersion, type Version } from './config/version.ts';
import { discoverPrometheus, monitorsOf, type PrometheusHierarchy, prometheusPickings } from './discover.ts';
import { prometheusArguments } from './manifests/arguments.ts';
import { checkRoot } from './manifests/checks.ts';
import {
  baseName,
  defaultPrometheusOptions,
  flavourOf,
  foreignBecause,
  managedBy,
  type PrometheusOptions,
} from './manifests/flavour.ts';
import { configSecret, tlsAssetSecrets, webConfigSecret } from './manifests/secrets.ts';
import { agentDoor, governingService } from './manifests/service.ts';
import { shardStatefulSet } from './manifests/statefulset.ts';
import { createPrometheusVault, type PrometheusVault } from './manifests/vault.ts';
import { type WebConfig, webConfig } from './manifests/web-config.ts';
import { leftClaims } from './shards/claims.ts';
import { deadlineFindings, fatesOf, leavingOf, marking, shardNews } from './shards/fates.ts';
import { keptAnnotation } from './shards/kept-text.ts';
import { nextDeadlineInMs } from './shards/retention.ts';
import { shardingOf } from './shards/sharding.ts';
import { prometheusReconciledFact, prometheusStatus } from './status.ts';
import { prometheusTree } from './tree.ts';

/** What Prometheus and PrometheusAgent have in common: everything but their names. */
export function createPrometheusRootComponent<Root extends PrometheusRoot>(
  { name, rootType }: { readonly name: string; readonly rootType: ResourceType<Root> },
  options: Partial<PrometheusOptions>,
): RootComponent<Root> {
  const tools: Tools = {
    options: { ...defaultPrometheusOptions, ...options },
    cache: createJobCache(),
    gzip: createGzip(),
  };
  return {
    name,
    rootType,
    reads: [...reads, rootType],
    collects,
    owns: [secrets, services, statefulsets],
    patches: [statefulsets],
    managedBy,
    ownedPrefixes: ['operator.prometheus.io/', stateAnnotation, leavesAtAnnotation, keptAnnotation],
    foreignBecause: (root) => foreignBecause(root, tools.options),
    isPaused,
    reconciled: prometheusReconciledFact,
    looks: ({ spec }) => ({
      isHomeOnly: spec.ignoreNamespaceSelectors === true,
      isElsewhere: (spec.apiserverConfig?.host ?? '') !== '',
    }),
    pickings: prometheusPickings,
    build: (root, world, now) => build(root, world, { ...tools, ...now }),
  };
}

const collects: readonly ResourceType[] = [servicemonitors, podmonitors, probes, scrapeconfigs];
const reads: readonly ResourceType[] = [...collects, secrets, configmaps, namespaces, persistentvolumeclaims];

interface Tools {
  readonly options: PrometheusOptions;
  readonly cache: JobCache;
  readonly gzip: Gzip;
}

/** A root on its way to what it comes to. */
interface Draft {
  readonly root: PrometheusRoot;
  readonly world: World;
  readonly hierarchy: PrometheusHierarchy;
  readonly vault: PrometheusVault;
  readonly options: PrometheusOptions;
  readonly gzip: Gzip;
  readonly rendered: RenderedPrometheus;
  readonly version: Version;
  readonly leaf: Leaf;
  /** The command line of Prometheus. */
  readonly args: readonly string[];
  readonly web: WebConfig;
  readonly isUnmanaged: boolean;
  readonly sharding: CurrentSharding;
  readonly findings: readonly Finding[];
}

type Building = Tools & BuildOptions;

function build(root: PrometheusRoot, world: World, tools: Building): Desired {
  const draft = draftOf(root, world, tools);
  const { sharding } = draft;
  const isWritten = isSound(draft);
  const outcome = isWritten ? objectsOf(draft) : { objects: [], findings: [], kept: ownedNames(draft) };
  // A configuration that cannot be written takes no step.
  const isTold = isWritten && outcome.kept.length === 0;
  const fates = isWritten ? fatesOf(draft, tools.nowMs) : [];
  const findings = [...draft.findings, ...outcome.findings, ...fates.flatMap((fate) => deadlineFindings(root, fate))];
  const leaving = isWritten && !isPaused(root) ? leavingOf(draft, { fates, nowMs: tools.nowMs }) : nobodyLeaves;
  const { shards } = sharding;
  const claims = leftClaims(root, world, { shards, options: tools.options });
  const told = isWritten ? shardNews({ root, world, fates, leaving, shards, options: tools.options }) : [];
  const againInMs = soonest([nextDeadlineInMs(fates), leaving.againInMs, isWritten ? sharding.againInMs : undefined]);
  return {
    objects: outcome.objects,
    kept: [
      ...outcome.kept,
      ...fates.filter(({ fate }) => fate === 'retain').map(({ set }) => nameOf(set)),
      ...leaving.kept.map(nameOf),
    ],
    actions: [...fates.flatMap(marking), ...leaving.marks, ...told, ...(isTold ? sharding.news : [])],
    findings,
    references: draft.vault.references(),
    collected: draft.rendered.collected,
    // Whoever looks after the configuration himself has them nowhere.
    additional: draft.isUnmanaged ? () => [] : draft.rendered.additional,
    shards: sharding.shards,
    agentDoor: agentDoor(root),
    tree: () => prometheusTree(root, draft.hierarchy, { findings, objects: outcome.objects, fates, claims }),
    status: prometheusStatus(root, world, {
      options: tools.options,
      fates,
      claims,
      sharding,
      isUnmanaged: draft.isUnmanaged,
      selectsAny: monitorsOf(draft.hierarchy).length > 0 || root.spec.additionalScrapeConfigs !== undefined,
    }),
    ...(isWritten && { asks: sharding.asks, weighing: sharding.weighing }),
    ...(againInMs !== undefined && { againInMs }),
  };
}

function draftOf(
  root: PrometheusRoot,
  world: World,
  { options, cache, gzip, nowMs, answers = noAnswers, loads }: Building,
): Draft {
  const hierarchy = discoverPrometheus(root, world);
  const vault = createPrometheusVault(world);
  const leaf = createLeaf(root, vault.vault, { missingFile: 'reject', expansion: 'any of the reloader' });
  const version = versionOf(root, { leaf, options });
  const { args, clashes } = prometheusArguments(root, { version, leaf });
  checkRoot(root, { world, leaf, version, options, clashes });
  const web = webConfig(root, { version, leaf });
  const isUnmanaged = hasNoSelector(root);
  const sharding = shardingOf(root, {
    world,
    monitors: monitorsOf(hierarchy),
    nowMs,
    answers,
    loads,
    isLeftAlone: isUnmanaged,
  });
  const sharing = { shards: sharding.shards, placement: sharding.placement };
  const rendered = renderPrometheus(root, hierarchy, { version, vault: vault.vault, cache, sharing });
  return {
    root,
    world,
    hierarchy,
    vault,
    options,
    gzip,
    rendered,
    version,
    leaf,
    args,
    web,
    isUnmanaged,
    sharding,
    findings: [...sharding.findings, ...hierarchy.findings, ...leaf.findings, ...rendered.findings],
  };
}

/** Where it is none that can be configured, the newest there is: what else is wrong is told all the same. */
function versionOf(
  { spec }: PrometheusRoot,
  { leaf, options }: { readonly leaf: Leaf; readonly options: PrometheusOptions },
): Version {
  const text = spec.version || options.prometheusVersion;
  const version = parseVersion(text);
  if (version === undefined)
    leaf.reject('InvalidField', 'spec.version', `"${text}" is no version of Prometheus 2 or 3`);
  else if (isAtLeast(version, options.prometheusVersionMin)) return version;
  else
    leaf.reject(
      'InvalidField',
      'spec.version',
      `"${text}" is older than ${options.prometheusVersionMin}, the oldest version that this operator configures: choose a newer one`,
    );
  return newest;
}

const newest: Version = { major: 3, minor: 999, patch: 0, pre: '', build: '' };

/** A Prometheus that selects nothing at all has its configuration written by hand, as in the operator's first days. */
function hasNoSelector(root: PrometheusRoot): boolean {
  const { serviceMonitorSelector, podMonitorSelector, probeSelector, scrapeConfigSelector } = root.spec;
  return (
    isServer(root) &&
    [serviceMonitorSelector, podMonitorSelector, probeSelector, scrapeConfigSelector].every(
      (selector) => selector === undefined,
    )
  );
}

/** Something that all of the root depends on is wrong: what is there stays as it is. */
function isSound({ root, findings, rendered }: Draft): boolean {
  return (
    rendered.document !== undefined &&
    !findings.some(({ severity, regarding }) => severity === 'error' && regarding === root)
  );
}

interface Outcome {
  readonly objects: readonly New<KubeObject>[];
  readonly kept: readonly ObjectName[];
  readonly findings: readonly Finding[];
}

function objectsOf(draft: Draft): Outcome {
  const { root, world, version, leaf, args, web, options } = draft;
  const tlsAssets = tlsAssetSecrets(root, draft.rendered.files, { world, options });
  const config = configOf(draft);
  const finding = tooLarge(config, root);
  const keepsConfig =
    finding !== undefined || (draft.isUnmanaged && world.get(secrets, configKeyOf(draft)) !== undefined);
  return {
    objects: [
      ...(keepsConfig ? [] : [config]),
      ...tlsAssets,
      webConfigSecret(root, web.text, options),
      ...serviceOf(draft),
      ...Array.from({ length: draft.sharding.shards }, (_, shard) =>
        shardStatefulSet(root, { shard, version, leaf, args, web: web.tls, tlsAssets: tlsAssets.length, options }),
      ),
    ],
    kept: keepsConfig ? [nameOf(config)] : [],
    findings: finding === undefined ? [] : [finding],
  };
}

function configOf({ root, rendered, isUnmanaged, sharding, gzip, options }: Draft): New<Secret> {
  const pieces = isUnmanaged ? emptyDocument : (rendered.document ?? []);
  return configSecret(root, pieces, { annotations: sharding.annotations, gzip, options });
}

function configKeyOf({ root }: Draft): string {
  return `${root.metadata.namespace}/${baseName(root)}`;
}

function serviceOf({ root, world, options }: Draft): readonly New<KubeObject>[] {
  if (root.spec.serviceName) return [];
  const siblings = world
    .list(flavourOf(root).type as ResourceType<PrometheusRoot>, root.metadata.namespace)
    .filter(({ metadata, spec }) => metadata.deletionTimestamp === undefined && !spec.serviceName);
  return [governingService(root, siblings, options)];
}

function ownedNames({ root, world }: Draft): readonly ObjectName[] {
  return [secrets, services, statefulsets].flatMap((type: ResourceType) =>
    world.owned(type, root.metadata.uid).map(nameOf),
  );
}

function nameOf({ kind, metadata }: New<KubeObject> | KubeObject): ObjectName {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}
