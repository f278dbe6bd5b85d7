import { services } from '@signalbox/cluster';
import { statefulSetNameMax } from '../../../manifests/names.ts';
import type { PrometheusSpec } from '../../../resources/prometheus.ts';
import { checkDuration, checkUrl } from '../../../scrape/checks.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import { checkSize } from '../../../scrape/sizes.ts';
import { labelReason } from '../../../world/labels.ts';
import type { World } from '../../../world/world.ts';
import { isServer, type PrometheusRoot } from '../config/document.ts';
import { shardsOf } from '../config/settings.ts';
import type { Version } from '../config/version.ts';
import { prometheusArguments, unknownArguments } from './arguments.ts';
import { type PrometheusOptions, podLabels, shardName } from './flavour.ts';

interface Check {
  readonly world: World;
  readonly leaf: Leaf;
  readonly version: Version;
  readonly options: PrometheusOptions;
}

/** What would make the workloads of a root fail later, or not do what it asks for. */
export function checkRoot(root: PrometheusRoot, check: Check): void {
  const { leaf, version } = check;
  const problem = nameProblem(root);
  if (problem !== undefined) leaf.reject('InvalidName', 'metadata.name', problem);
  if (!isServer(root) && root.spec.mode === 'DaemonSet')
    leaf.reject(
      'UnsupportedField',
      'spec.mode',
      'DaemonSet is not rendered by this operator yet: use StatefulSet, with shards',
    );
  for (const name of prometheusArguments(root, version).clashes)
    leaf.reject('InvalidField', 'spec.additionalArgs', `"${name}" is set by the operator itself`);
  for (const { field, minimum } of unknownArguments(root, version))
    leaf.warn('UnsupportedField', `spec.${field}`, `needs Prometheus ${minimum} or newer, so the field has no effect`);
  checkArgumentValues(root, leaf);
  checkServiceName(root, check);
}

/** Values of arguments that would end every pod as soon as it starts. */
function checkArgumentValues({ spec }: PrometheusRoot, leaf: Leaf): void {
  checkUrl(spec.externalUrl, { leaf, at: 'spec.externalUrl' });
  const { retention, retentionSize, query, rules }: PrometheusSpec = spec;
  const durations = {
    'spec.retention': retention,
    'spec.query.lookbackDelta': query?.lookbackDelta,
    'spec.query.timeout': query?.timeout,
    'spec.rules.alert.forOutageTolerance': rules?.alert?.forOutageTolerance,
    'spec.rules.alert.forGracePeriod': rules?.alert?.forGracePeriod,
    'spec.rules.alert.resendDelay': rules?.alert?.resendDelay,
  };
  for (const [at, text] of Object.entries(durations)) checkDuration(text, { leaf, at });
  checkSize(retentionSize, { leaf, at: 'spec.retentionSize' });
}

/** Why no pod could ever be made: each of them would be refused again and again. */
function nameProblem(root: PrometheusRoot): string | undefined {
  const { name } = root.metadata;
  if (name.includes('.')) return 'the name becomes the name of a volume, which has no dots';
  const lengthMax = statefulSetNameMax - (shardName(root, shardsOf(root) - 1).length - name.length);
  return name.length > lengthMax
    ? `the name becomes a label of every shard and may not be longer than ${lengthMax} characters`
    : undefined;
}

/** A Service of the user's own has to be there and to find the pods, or these have no names. */
function checkServiceName(root: PrometheusRoot, { world, leaf, version, options }: Check): void {
  const { metadata, spec } = root;
  if (!spec.serviceName) return;
  const service = world.get(services, `${metadata.namespace}/${spec.serviceName}`);
  const name = `Service ${metadata.namespace}/${spec.serviceName}`;
  if (service === undefined) leaf.reject('ServiceMissing', 'spec.serviceName', `${name} does not exist`);
  const matches = labelReason({ matchLabels: service?.spec.selector ?? {} });
  const shards = Array.from({ length: shardsOf(root) }, (_, shard) => shard);
  const unmet = shards.map((shard) => matches(podLabels(root, { shard, version, options }))).find(Boolean);
  if (unmet !== undefined)
    leaf.reject('ServiceMismatch', 'spec.serviceName', `${name} does not find the pods: ${unmet}`);
}
