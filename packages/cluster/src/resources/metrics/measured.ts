/** What nodes and pods have in common where they are measured. */
import type { ResourceUsage } from '../../api/metrics.ts';
import { formatQuantity, parseQuantity } from '../../api/quantity.ts';
import type { ApiVerb } from '../resource.ts';

/** Nobody writes a measure, and none of them is told when it changes. */
export const measuredVerbs: readonly ApiVerb[] = ['get', 'list'];

const quantity = { 'x-kubernetes-int-or-string': true };

type Schema = Readonly<Record<string, unknown>>;

export const usageSchema: Schema = { type: 'object', additionalProperties: quantity };

export const timeSchemas: Readonly<Record<string, Schema>> = {
  timestamp: { type: 'string', format: 'date-time' },
  window: { type: 'string' },
};

/** As a table shows it. */
export function sumOf(usages: readonly ResourceUsage[], resource: keyof ResourceUsage): string {
  const amounts = usages.map((usage) => parseQuantity(usage[resource]) ?? 0n);
  return formatQuantity(
    amounts.reduce((sum, amount) => sum + amount, 0n),
    usages[0]?.[resource],
  );
}
