import type { ResourceQuota } from '../../api/generated/core-v1.ts';
import { resourcequotas } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { countUsage } from '../../resources/core/quota/judge.ts';
import { measuresOf, type Quantities, sameMeasures, toQuantities } from '../../resources/core/quota/measures.ts';
import type { Counted } from '../../resources/core/quota/usage.ts';
import type { Action } from '../../runtime/plan.ts';

export interface Observed {
  readonly quota: ResourceQuota;
  /** The objects of the quota's namespace, of the resources that its limits are about. */
  readonly objects: readonly (readonly [Counted, readonly KubeObject[]])[];
}

/** Brings the status of a quota up to what there is. */
export function plan({ quota, objects }: Observed, nowMs: number): readonly Action[] {
  const hard = quota.spec?.hard ?? {};
  const used = toQuantities(countUsage(quota, { hard, objects, nowMs }));
  const { status } = quota;
  const isCurrent =
    status?.hard !== undefined && status.used !== undefined && same(status.hard, hard) && same(status.used, used);
  return isCurrent
    ? []
    : [{ do: 'setStatus', type: resourcequotas, object: { ...quota, status: { hard, used } } as KubeObject }];
}

function same(a: Quantities, b: Quantities): boolean {
  return sameMeasures(measuresOf(a), measuresOf(b));
}
