import type { KubeObject } from '@signalbox/cluster';

/**
 * Something that the owner of an object should know. An `error`: the object, or the part that `field` names, was left
 * out. A `warning`: it is used, but not in every way it asks for. Never holds a secret's value.
 */
export interface Finding {
  readonly severity: 'error' | 'warning';
  /** The object to mend. */
  readonly regarding: KubeObject;
  /** CamelCase: becomes the reason of an Event. */
  readonly reason: string;
  /** `spec.endpoints[0].basicAuth.password`, or empty for the whole object. */
  readonly field: string;
  readonly message: string;
}

/** A key of a Secret or ConfigMap that an object of the hierarchy names. */
export interface Reference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
  readonly state: 'found' | 'object missing' | 'key missing';
}

/** How many findings a condition spells out; the rest is counted. */
const spelledOutMax = 5;

/** `MetricsInstance apps/primary: spec.remoteWrite[0].basicAuth.username: Secret apps/remote does not exist` */
export function describeFinding({ regarding, field, message }: Finding): string {
  const { namespace, name } = regarding.metadata;
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  return `${regarding.kind} ${place}: ${field === '' ? '' : `${field}: `}${message}`;
}

/** At most a handful; the rest is counted. */
export function sentences(findings: readonly Finding[]): string {
  const shown = findings.slice(0, spelledOutMax).map(describeFinding);
  const more = findings.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
