import type { TopologySpreadConstraint } from '@signalbox/cluster';
import type { CommonPrometheusSpec } from '../../../../resources/prometheus-fields.ts';
import { asPodHas, type RootFields, type ShardPlace } from './sheets.ts';

/** What of a root stands in its StatefulSets and their pods. The order is that of the lines in the manifest. */

type Part<Name extends keyof CommonPrometheusSpec> = Pick<RootFields<CommonPrometheusSpec>, Name>;

export const workloadFields: Part<'minReadySeconds' | 'podManagementPolicy' | 'updateStrategy'> = {
  podManagementPolicy: { workload: { as: 'podManagementPolicy', made: (own) => own || 'Parallel' } },
  updateStrategy: {
    workload: { as: 'updateStrategy', keepsAll: true, made: (own) => own ?? { type: 'RollingUpdate' } },
  },
  minReadySeconds: { workload: { as: 'minReadySeconds' } },
};

type Process = 'automountServiceAccountToken' | 'enableServiceLinks' | 'hostUsers' | 'terminationGracePeriodSeconds';
type Network = 'dnsConfig' | 'dnsPolicy' | 'hostAliases' | 'hostNetwork';
type Placement = 'affinity' | 'nodeSelector' | 'priorityClassName' | 'schedulerName' | 'tolerations';
type Identity = 'imagePullSecrets' | 'securityContext' | 'serviceAccountName' | 'topologySpreadConstraints';

export const podFields: Part<Identity | Network | Placement | Process> = {
  automountServiceAccountToken: {
    pod: { as: 'automountServiceAccountToken', keepsAll: true, made: (own) => own ?? true },
  },
  terminationGracePeriodSeconds: {
    pod: { as: 'terminationGracePeriodSeconds', keepsAll: true, made: (own) => own ?? 600 },
  },
  enableServiceLinks: { pod: { as: 'enableServiceLinks', keepsAll: true } },
  hostUsers: { pod: { as: 'hostUsers', keepsAll: true } },
  ...asPodHas('affinity', 'dnsConfig'),
  dnsPolicy: {
    pod: {
      as: 'dnsPolicy',
      made: (own, _, { spec }) => own || (spec.hostNetwork === true ? 'ClusterFirstWithHostNet' : undefined),
    },
  },
  ...asPodHas(
    'hostAliases',
    'hostNetwork',
    'imagePullSecrets',
    'nodeSelector',
    'priorityClassName',
    'schedulerName',
    'securityContext',
    'serviceAccountName',
    'tolerations',
  ),
  topologySpreadConstraints: {
    pod: {
      as: 'topologySpreadConstraints',
      of: (constraints, place) => constraints.map((each) => spread(each, place)),
    },
  },
};

/** Whoever asks for it gets the labels of this shard's pods, or of all pods of the root, put into the selector. */
function spread(
  constraint: NonNullable<CommonPrometheusSpec['topologySpreadConstraints']>[number],
  { labels }: ShardPlace,
): TopologySpreadConstraint {
  const { additionalLabelSelectors, ...rest } = constraint;
  if (additionalLabelSelectors === undefined || additionalLabelSelectors === '') return rest;
  const added = additionalLabelSelectors === 'OnShard' ? labels.OnShard : labels.OnResource;
  return {
    ...rest,
    labelSelector: { ...rest.labelSelector, matchLabels: { ...rest.labelSelector?.matchLabels, ...added } },
  };
}
