import type { KubeObject } from '@signalbox/cluster';
import { isLabelName, type LabelNames } from '../../../relabel/problem.ts';
import type { CommonPrometheusSpec } from '../../../resources/prometheus-fields.ts';
import { checkLabelName } from '../../../scrape/checks.ts';
import type { Section } from '../../../scrape/http.ts';
import type { Leaf } from '../../../scrape/leaf.ts';

interface Labelled {
  readonly root: KubeObject;
  readonly spec: Pick<
    CommonPrometheusSpec,
    'externalLabels' | 'prometheusExternalLabelName' | 'replicaExternalLabelName'
  >;
}

/**
 * What tells this Prometheus' samples from everybody else's. Each shard's replicas differ in `prometheus_replica`, and
 * there is no label for the shard: whoever wants one writes `$(SHARD)` as a value.
 */
export function externalLabels({ root: { metadata }, spec }: Labelled, leaf: Leaf): Section {
  const name = spec.prometheusExternalLabelName ?? 'prometheus';
  const replica = spec.replicaExternalLabelName ?? 'prometheus_replica';
  const fixed: Readonly<Record<string, string>> = {
    ...(name !== '' && { [name]: `${metadata.namespace}/${metadata.name}` }),
    ...(replica !== '' && { [replica]: '$(POD_NAME)' }),
  };
  // Without these two the samples of several Prometheus would be taken for one's: what is there stays.
  if (name !== '') checkLabelName(name, { leaf, at: 'spec.prometheusExternalLabelName' });
  if (replica !== '') checkLabelName(replica, { leaf, at: 'spec.replicaExternalLabelName' });
  const own = Object.entries(spec.externalLabels ?? {}).filter(([label]) => isTaken(label, { fixed, leaf }));
  return Object.fromEntries([...own, ...Object.entries(fixed)].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A label that cannot be set is left out: nobody else's changes should wait for it. */
function isTaken(label: string, { fixed, leaf }: { readonly fixed: object; readonly leaf: Leaf }): boolean {
  const at = `spec.externalLabels[${label}]`;
  if (Object.hasOwn(fixed, label)) {
    leaf.warn('FieldIgnored', at, 'the operator sets this label itself');
    return false;
  }
  if (isLabelName(label, leaf.labelNames)) return true;
  leaf.warn('FieldIgnored', at, `"${label}" is no label name ${namedAs(leaf.labelNames)}: it is left out`);
  return false;
}

function namedAs(names: LabelNames): string {
  return names === 'utf8' ? 'at all' : 'of this version and its nameValidationScheme';
}
