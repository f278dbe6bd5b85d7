import { type KubeObject, type New, parseApiVersion } from '@signalbox/cluster';

/** `daemonset.apps/fluentd`, as kubectl names an object that it has written. */
export function formatName({ apiVersion, kind, metadata }: New<KubeObject> | KubeObject): string {
  const { group } = parseApiVersion(apiVersion);
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${metadata.name ?? ''}`;
}

/** `DaemonSet kube-system/fluentd` */
export function formatPlace({ kind, metadata }: New<KubeObject> | KubeObject): string {
  const { namespace, name = '' } = metadata;
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
