import type { KubeObject } from '@signalbox/cluster';
import type { Fact } from '../resources/condition.ts';
import { type Finding, sentences } from '../world/findings.ts';
import type { DesiredStatus, RootComponent } from './component.ts';

/** The conditions, with what `Reconciled` says of everything that was found. */
export function factsOf(
  component: RootComponent,
  root: KubeObject,
  { status, findings }: { readonly status: DesiredStatus; readonly findings: readonly Finding[] },
): readonly Fact[] {
  const reconciled = (): Fact => {
    if (component.isPaused?.(root) === true) return pausedFact;
    return component.reconciled?.(root, { findings, note: status.note }) ?? reconciledFact(findings);
  };
  return status.conditions.map((fact) => (fact === 'Reconciled' ? reconciled() : fact));
}

/** Of what would be changed, only that nothing is. */
const pausedFact: Fact = {
  type: 'Reconciled',
  status: 'True',
  reason: 'Paused',
  message: 'spec.paused is set: nothing is changed until it is taken away',
};

/**
 * `Reconciled`: everything that the root asks for could be built. False with what was left out; warnings alone leave it
 * true, and are spelled out all the same.
 */
function reconciledFact(findings: readonly Finding[]): Fact {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0)
    return { type: 'Reconciled', status: 'False', reason: errors[0]?.reason ?? '', message: sentences(errors) };
  if (findings.length > 0)
    return { type: 'Reconciled', status: 'True', reason: 'WithWarnings', message: sentences(findings) };
  return { type: 'Reconciled', status: 'True', reason: 'Reconciled', message: '' };
}
