import { services } from '@signalbox/cluster';
import { statefulSetNameMax } from '../../../manifests/names.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import { labelReason } from '../../../world/labels.ts';
import type { World } from '../../../world/world.ts';
import { isServer, type PrometheusRoot } from '../config/document.ts';
import { shardsOf } from '../config/settings.ts';
import type { Version } from '../config/version.ts';
import { type PrometheusOptions, podLabels, shardName } from './flavour.ts';

interface Check {
  readonly world: World;
  readonly leaf: Leaf;
  readonly version: Version;
  readonly options: PrometheusOptions;
  /** Additional arguments that the operator sets itself. */
  readonly clashes: readonly string[];
}

/** What would make the workloads of a root fail later, or not do what it asks for. */
export function checkRoot(root: PrometheusRoot, check: Check): void {
  const { leaf, clashes } = check;
  const problem = nameProblem(root);
  if (problem !== undefined) leaf.reject('InvalidName', 'metadata.name', problem);
  if (!isServer(root) && root.spec.mode === 'DaemonSet')
    leaf.reject(
      'UnsupportedField',
      'spec.mode',
      'DaemonSet is not rendered by this operator yet: use StatefulSet, with shards',
    );
  for (const name of clashes)
    leaf.reject('InvalidField', 'spec.additionalArgs', `"${name}" is set by the operator itself`);
  checkServiceName(root, check);
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
