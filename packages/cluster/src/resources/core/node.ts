import type { Node, NodeStatus, Taint } from '../../api/generated/core-v1.ts';
import { nodes } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { root } from '../../api/issue.ts';
import { equal } from '../../base/equal.ts';
import { ageColumn, column, nameColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { quantity, requiredOneOf } from '../validation/fields.ts';
import { labelValue, qualifiedName } from '../validation/names.ts';
import { cidr } from '../validation/network.ts';

const rolePrefix = 'node-role.kubernetes.io/';

export const nodeDefinition: ResourceDefinition<Node> = defineResource(nodes, {
  schema: 'io.k8s.api.core.v1.Node',
  shortNames: ['no'],
  connections: ['proxy'],
  hasStatus: true,
  // The version stands behind the age.
  columnsComplete: true,
  columns: [
    nameColumn(),
    column('Status', statusText),
    column('Roles', rolesText),
    ageColumn(),
    column('Version', ({ status }) => status?.nodeInfo?.kubeletVersion ?? ''),
    column('Internal-IP', ({ status }) => addressOf(status, 'InternalIP'), { wide: true }),
    column('External-IP', ({ status }) => addressOf(status, 'ExternalIP'), { wide: true }),
    column('OS-Image', ({ status }) => status?.nodeInfo?.osImage || '<unknown>', { wide: true }),
    column('Kernel-Version', ({ status }) => status?.nodeInfo?.kernelVersion || '<unknown>', { wide: true }),
    column('Container-Runtime', ({ status }) => status?.nodeInfo?.containerRuntimeVersion || '<unknown>', {
      wide: true,
    }),
  ],
  selectableFields: [{ path: 'spec.unschedulable', of: ({ spec }) => String(spec?.unschedulable === true) }],
  defaults(node) {
    const { configSource: _gone, ...given } = node.spec ?? {};
    const spec = node.spec?.configSource === undefined ? (node.spec ?? {}) : given;
    const { podCIDR = '', podCIDRs = [] } = spec;
    const [first = ''] = podCIDRs;
    if (podCIDR === first) return node.spec === spec ? node : { ...node, spec };
    // They say one thing in two places; who knows only one of them means both.
    const both = podCIDR === '' ? { podCIDR: first } : { podCIDRs: [podCIDR] };
    return { ...node, spec: { ...spec, ...both } };
  },
  defaultStatus(given) {
    const { capacity, allocatable, config } = given as NodeStatus;
    if (config === undefined && (capacity === undefined || allocatable !== undefined)) return given;
    // How a kubelet was configured from here is no longer kept.
    const { config: _gone, ...status } = given as NodeStatus;
    // What nobody takes away can be given out.
    return status.capacity === undefined ? status : { allocatable: status.capacity, ...status };
  },
  *warnings({ spec }) {
    if ((spec?.externalID ?? '') !== '') yield 'spec.externalID: this field is deprecated, and is unused by Kubernetes';
  },
  *validate({ spec, status }, at) {
    // Upstream reports taints under the metadata, and clients know the path.
    if (spec.taints !== undefined) yield* taintIssues(spec.taints, root('metadata', 'taints'));
    yield* podCidrIssues(spec, at('spec'));
    yield* amountIssues(status, at('status'));
  },
  *validateStatusUpdate({ status }, _, at) {
    yield* amountIssues(status, at('status'));
    const addresses = status?.addresses ?? [];
    for (const [index, { type, address }] of addresses.entries())
      if (addresses.findIndex((each) => each.type === type && each.address === address) < index)
        yield at('status', 'addresses', index).duplicate({ Type: type, Address: address });
  },
  *validateUpdate(next, current, at) {
    const { podCIDRs = [], providerID = '' } = current.spec ?? {};
    if (podCIDRs.length > 0 && !equal(podCIDRs, next.spec?.podCIDRs ?? []))
      yield at('spec', 'podCIDRs').forbidden('node updates may not change podCIDR except from "" to valid');
    if (providerID !== '' && providerID !== (next.spec?.providerID ?? ''))
      yield at('spec', 'providerID').forbidden('node updates may not change providerID except from "" to valid');
    if ((next.spec?.externalID ?? '') !== (current.spec?.externalID ?? ''))
      yield at('spec', 'externalID').forbidden('may not be updated');
  },
});

/** What runs the machine's containers; a Node without it is of the simulated fleet. */
export const driverAnnotation = 'signalbox.dev/driver';

export const taintEffects: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** What nobody takes away can be given out. */
function* amountIssues(status: NodeStatus | undefined, at: FieldPath): Iterable<Issue> {
  const { capacity = {}, allocatable = capacity } = status ?? {};
  for (const [field, amounts] of Object.entries({ capacity, allocatable }))
    for (const [name, amount] of Object.entries(amounts)) yield* quantity(amount, at(field).field(name));
}

/** Taints are unique by key and effect. */
export function* taintIssues(taints: readonly Taint[], at: FieldPath): Iterable<Issue> {
  const seen = new Set<string>();
  for (const [index, taint] of taints.entries()) {
    const here = at(index);
    yield* qualifiedName(taint.key ?? '', here('key'));
    yield* labelValue(taint.value ?? '', here('value'));
    yield* requiredOneOf(taint.effect, taintEffects, here('effect'));
    const identity = `${taint.key}:${taint.effect}`;
    if (seen.has(identity)) {
      const issue = here.duplicate(taint);
      yield { ...issue, message: `${issue.message}: taints must be unique by key and effect pair` };
    }
    seen.add(identity);
  }
}

function* podCidrIssues({ podCIDRs }: Node['spec'], at: FieldPath): Iterable<Issue> {
  for (const [index, range] of (podCIDRs ?? []).entries()) yield* cidr(range, at('podCIDRs', index));
  const families = (podCIDRs ?? []).map((range) => range.includes(':'));
  if (families.length > 2 || (families.length === 2 && families[0] === families[1]))
    yield at('podCIDRs').invalid(podCIDRs, 'may specify no more than one CIDR for each IP family');
}

function statusText({ spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const text = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable === true ? `${text},SchedulingDisabled` : text;
}

function rolesText({ metadata }: Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) roles.add(key.slice(rolePrefix.length));
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value);
  }
  return roles.size === 0 ? '<none>' : [...roles].sort().join(',');
}

function addressOf(status: NodeStatus | undefined, type: string): string {
  return status?.addresses?.find((address) => address.type === type)?.address ?? '<none>';
}

/** Region and zone of a node, as one name; nodes without either are in one zone together. */
export function zoneOf({ metadata: { labels } }: Node): string {
  const region = labels?.['topology.kubernetes.io/region'] ?? '';
  const zone = labels?.['topology.kubernetes.io/zone'] ?? '';
  return `${region}/${zone}`;
}
