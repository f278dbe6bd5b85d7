import type { TopologySpreadConstraint } from '../../api/generated/core-v1.ts';
import { root } from '../../api/issue.ts';
import { qualifiedNameProblems } from '../../api/names.ts';
import type { JsonObject } from '../../api/record.ts';
import { validateAffinity } from '../../resources/core/pod/validation/scheduling.ts';
import { defaultArgs, type PluginArgs } from '../default-plugins.ts';
import type { SchedulerPlugin } from '../plugin.ts';
import type { FillingStrategy, ShapePoint, WeightedResource } from '../plugins/filling.ts';
import type { NodeAffinityArgs } from '../plugins/node-affinity.ts';
import { type CandidateLimits, defaultLimits } from '../preempt.ts';
import {
  configurationVersion,
  countOf,
  Fault,
  type Field,
  flagOf,
  listAt,
  objectAt,
  onlyFields,
  textOf,
  textsAt,
} from './reading.ts';

export interface AllArgs {
  readonly plugins: PluginArgs;
  readonly preemption: CandidateLimits;
}

/** What a profile says of single plugins; what it does not say is upstream's default. */
export function argsOf(
  given: readonly unknown[],
  { at, own }: { readonly at: string; readonly own: readonly SchedulerPlugin[] },
): AllArgs {
  let all: AllArgs = { plugins: defaultArgs, preemption: defaultLimits };
  const seen = new Set<string>();
  for (const [index, each] of given.entries()) {
    const place = `${at}[${index}]`;
    const object = objectAt(each, place);
    onlyFields(object, { at: `${place}.`, known: ['name', 'args'] });
    const name = textOf(object, { field: 'name', at: `${place}.` }) ?? '';
    if (seen.has(name)) throw new Fault(`${place}.name: ${JSON.stringify(name)} is there twice`);
    seen.add(name);
    const read = readers[name];
    if (read !== undefined)
      all = read(argumentsOf(object, { name, at: `${place}.args` }), { all, at: `${place}.args.` });
    else if (!taken.includes(name) && !own.some((plugin) => plugin.name === name))
      throw new Fault(`${place}.name: the plugin ${JSON.stringify(name)} takes no arguments`);
  }
  return all;
}

/** Its arguments are about claims of devices, which are not built. */
const taken = ['DynamicResources'];

function argumentsOf(object: JsonObject, { name, at }: { readonly name: string; readonly at: string }): JsonObject {
  const { apiVersion, kind, ...args } = objectAt(object['args'] ?? {}, at);
  if (kind !== undefined && kind !== `${name}Args`) throw new Fault(`${at}.kind: it must be ${name}Args`);
  if (apiVersion !== undefined && apiVersion !== configurationVersion)
    throw new Fault(`${at}.apiVersion: it must be ${configurationVersion}`);
  return args;
}

interface Place {
  readonly all: AllArgs;
  readonly at: string;
}

const readers: Readonly<Record<string, (args: JsonObject, place: Place) => AllArgs>> = {
  NodeResourcesFit(args, { all, at }) {
    onlyFields(args, { at, known: ['ignoredResources', 'ignoredResourceGroups', 'scoringStrategy'] });
    const strategy = args['scoringStrategy'];
    const fit = {
      ignoredResources: namesAt(args, { field: 'ignoredResources', at }),
      ignoredResourceGroups: groupsAt(args, { field: 'ignoredResourceGroups', at }),
      scoringStrategy:
        strategy === undefined
          ? defaultArgs.NodeResourcesFit.scoringStrategy
          : strategyOf(objectAt(strategy, `${at}scoringStrategy`), `${at}scoringStrategy.`),
    };
    return { ...all, plugins: { ...all.plugins, NodeResourcesFit: fit } };
  },
  NodeResourcesBalancedAllocation(args, { all, at }) {
    onlyFields(args, { at, known: ['resources'] });
    const resources = resourcesOf(args, at);
    const heavy = resources.findIndex(({ weight }) => weight !== 1);
    if (heavy >= 0) throw new Fault(`${at}resources[${heavy}].weight: it must be 1`);
    return { ...all, plugins: { ...all.plugins, NodeResourcesBalancedAllocation: { resources } } };
  },
  NodeAffinity(args, { all, at }) {
    onlyFields(args, { at, known: ['addedAffinity'] });
    const added = args['addedAffinity'];
    const addedAffinity = added === undefined ? undefined : addedAffinityOf(added, `${at}addedAffinity`);
    return { ...all, plugins: { ...all.plugins, NodeAffinity: { addedAffinity } } };
  },
  InterPodAffinity(args, { all, at }) {
    onlyFields(args, { at, known: ['hardPodAffinityWeight', 'ignorePreferredTermsOfExistingPods'] });
    const affinity = {
      hardPodAffinityWeight: countOf(args, { field: 'hardPodAffinityWeight', at, max: 100 }) ?? 1,
      ignorePreferredTermsOfExistingPods: flagOf(args, { field: 'ignorePreferredTermsOfExistingPods', at }) ?? false,
    };
    return { ...all, plugins: { ...all.plugins, InterPodAffinity: affinity } };
  },
  PodTopologySpread(args, { all, at }) {
    onlyFields(args, { at, known: ['defaultingType', 'defaultConstraints'] });
    const defaultingType = textOf(args, { field: 'defaultingType', at }) ?? 'System';
    if (defaultingType !== 'System' && defaultingType !== 'List')
      throw new Fault(`${at}defaultingType: it must be System or List`);
    const given = listAt(args, { field: 'defaultConstraints', at });
    if (defaultingType === 'System' && given.length > 0)
      throw new Fault(`${at}defaultConstraints: they go with defaultingType: List`);
    const defaultConstraints = given.map((each, index) => constraintOf(each, `${at}defaultConstraints[${index}]`));
    const kinds = defaultConstraints.map(({ topologyKey, whenUnsatisfiable }) => `${topologyKey} ${whenUnsatisfiable}`);
    const twice = kinds.findIndex((kind, index) => kinds.indexOf(kind) !== index);
    if (twice >= 0) throw new Fault(`${at}defaultConstraints[${twice}]: there is one of this key and kind already`);
    return { ...all, plugins: { ...all.plugins, PodTopologySpread: { defaultingType, defaultConstraints } } };
  },
  VolumeBinding(args, { all, at }) {
    onlyFields(args, { at, known: ['bindTimeoutSeconds'] });
    const bindTimeoutSeconds =
      countOf(args, { field: 'bindTimeoutSeconds', at }) ?? defaultArgs.VolumeBinding.bindTimeoutSeconds;
    return { ...all, plugins: { ...all.plugins, VolumeBinding: { bindTimeoutSeconds } } };
  },
  DefaultPreemption(args, { all, at }) {
    onlyFields(args, { at, known: ['minCandidateNodesPercentage', 'minCandidateNodesAbsolute'] });
    const percentage = countOf(args, { field: 'minCandidateNodesPercentage', at, max: 100 });
    const absolute = countOf(args, { field: 'minCandidateNodesAbsolute', at });
    if (percentage === 0 && absolute === 0)
      throw new Fault(`${at}minCandidateNodesPercentage: not both this and minCandidateNodesAbsolute can be 0`);
    const preemption = {
      minCandidateNodesPercentage: percentage ?? defaultLimits.minCandidateNodesPercentage,
      minCandidateNodesAbsolute: absolute ?? defaultLimits.minCandidateNodesAbsolute,
    };
    return { ...all, preemption };
  },
};

function namesAt(args: JsonObject, place: Field): readonly string[] {
  const names = textsAt(args, place);
  for (const [index, name] of names.entries()) {
    const [problem] = qualifiedNameProblems(name);
    if (problem !== undefined) throw new Fault(`${place.at}${place.field}[${index}]: ${problem}`);
  }
  return names;
}

function groupsAt(args: JsonObject, place: Field): readonly string[] {
  const groups = textsAt(args, place);
  const wrong = groups.findIndex((group) => group.includes('/'));
  if (wrong >= 0) throw new Fault(`${place.at}${place.field}[${wrong}]: there must be no slash in it`);
  return groups;
}

function addedAffinityOf(given: unknown, at: string): NodeAffinityArgs['addedAffinity'] {
  const object = objectAt(given, at);
  const known = ['requiredDuringSchedulingIgnoredDuringExecution', 'preferredDuringSchedulingIgnoredDuringExecution'];
  onlyFields(object, { at: `${at}.`, known });
  const added = object as NonNullable<NodeAffinityArgs['addedAffinity']>;
  const [issue] = validateAffinity({ nodeAffinity: added }, () => root);
  if (issue !== undefined) throw new Fault(`${at}.${issue.field.replace('nodeAffinity.', '')}: ${issue.message}`);
  return added;
}

function strategyOf(given: JsonObject, at: string): FillingStrategy {
  onlyFields(given, { at, known: ['type', 'resources', 'requestedToCapacityRatio'] });
  const type = textOf(given, { field: 'type', at });
  const resources = resourcesOf(given, at);
  if (type === 'LeastAllocated' || type === 'MostAllocated') return { type, resources };
  if (type !== 'RequestedToCapacityRatio')
    throw new Fault(`${at}type: it must be LeastAllocated, MostAllocated or RequestedToCapacityRatio`);
  const ratio = objectAt(given['requestedToCapacityRatio'] ?? {}, `${at}requestedToCapacityRatio`);
  const place = `${at}requestedToCapacityRatio.`;
  const shape = listAt(ratio, { field: 'shape', at: place }).map((each, index): ShapePoint => {
    const point = objectAt(each, `${place}shape[${index}]`);
    const within = `${place}shape[${index}].`;
    return {
      utilization: countOf(point, { field: 'utilization', at: within, max: 100 }) ?? 0,
      score: countOf(point, { field: 'score', at: within, max: 10 }) ?? 0,
    };
  });
  if (shape.length === 0) throw new Fault(`${place}shape: there has to be one point at least`);
  for (const [index, { utilization }] of shape.entries())
    if (index > 0 && utilization <= (shape[index - 1]?.utilization ?? 0))
      throw new Fault(`${place}shape[${index}].utilization: it must be more than the one before`);
  return { type, resources, shape };
}

function resourcesOf(given: JsonObject, at: string): readonly WeightedResource[] {
  const list = listAt(given, { field: 'resources', at });
  if (list.length === 0) return defaultArgs.NodeResourcesBalancedAllocation.resources;
  return list.map((each, index) => {
    const place = `${at}resources[${index}].`;
    const object = objectAt(each, `${at}resources[${index}]`);
    const name = textOf(object, { field: 'name', at: place });
    if (name === undefined) throw new Fault(`${place}name: it is missing`);
    return { name, weight: countOf(object, { field: 'weight', at: place, max: 100 }) || 1 };
  });
}

function constraintOf(given: unknown, at: string): TopologySpreadConstraint {
  const object = objectAt(given, at);
  const plain = ['maxSkew', 'topologyKey', 'whenUnsatisfiable', 'minDomains', 'nodeAffinityPolicy', 'nodeTaintsPolicy'];
  // Which pods count is what their Services and workloads select: keys of labels add nothing to it.
  onlyFields(object, { at: `${at}.`, known: [...plain, 'matchLabelKeys'] });
  const topologyKey = textOf(object, { field: 'topologyKey', at: `${at}.` });
  const maxSkew = countOf(object, { field: 'maxSkew', at: `${at}.`, min: 1 });
  const whenUnsatisfiable = textOf(object, { field: 'whenUnsatisfiable', at: `${at}.` });
  if (topologyKey === undefined || maxSkew === undefined) throw new Fault(`${at}: it needs topologyKey and maxSkew`);
  if (whenUnsatisfiable !== 'DoNotSchedule' && whenUnsatisfiable !== 'ScheduleAnyway')
    throw new Fault(`${at}.whenUnsatisfiable: it must be DoNotSchedule or ScheduleAnyway`);
  const [problem] = qualifiedNameProblems(topologyKey);
  if (problem !== undefined) throw new Fault(`${at}.topologyKey: ${problem}`);
  return { ...(object as Partial<TopologySpreadConstraint>), topologyKey, maxSkew, whenUnsatisfiable };
}
