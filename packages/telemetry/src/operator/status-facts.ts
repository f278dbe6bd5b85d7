import type { Fact } from '../resources/condition.ts';
import { type Finding, sentences } from '../world/findings.ts';

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
