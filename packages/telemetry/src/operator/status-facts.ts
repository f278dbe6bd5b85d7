import type { Fact } from '../resources/condition.ts';
import type { Finding } from './component.ts';

/** How many findings a condition spells out; the rest is counted. */
const spelledOutMax = 5;

/**
 * `Reconciled`: everything that the root asks for could be built. False with what was left out; warnings alone leave it
 * true, and are spelled out all the same.
 */
export function reconciledFact(findings: readonly Finding[]): Fact {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0)
    return { type: 'Reconciled', status: 'False', reason: errors[0]?.reason ?? '', message: sentences(errors) };
  if (findings.length > 0)
    return { type: 'Reconciled', status: 'True', reason: 'WithWarnings', message: sentences(findings) };
  return { type: 'Reconciled', status: 'True', reason: 'Reconciled', message: '' };
}

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
