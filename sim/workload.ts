import { type Client, isStatusError, type Random } from '@signalbox/cluster';
import { pick } from './manifests.ts';
import { nodeOperations } from './workload/nodes.ts';
import { objectOperations } from './workload/objects.ts';
import type { Doing, RandomOperation } from './workload/operation.ts';
import { telemetryOperations } from './workload/telemetry.ts';
import { workloadOperations } from './workload/workloads.ts';

/** All that people do to a cluster, each as often as its weight says. */
const plain: readonly RandomOperation[] = [...workloadOperations, ...nodeOperations, ...objectOperations];
export interface DoneOperation {
  readonly name: string;
  /** To what it was done, or the API's refusal; undefined when there was nothing to do it to. */
  readonly outcome: string | undefined;
}

/** Swarm testing: each seed leaves some operations out and does others more often, so that it gets far somewhere. */
export function createDraw(random: Random, { hasOperator }: { readonly hasOperator: boolean }): () => RandomOperation {
  const operations = hasOperator ? [...plain, ...telemetryOperations] : plain;
  const weighed = operations.map((operation) => ({ operation, weight: operation.weight * pick(random, [0, 1, 1, 4]) }));
  const sum = weighed.reduce((total, { weight }) => total + weight, 0);
  return () => {
    let left = random.next() * sum;
    for (const { operation, weight } of weighed) {
      left -= weight;
      if (left < 0) return operation;
    }
    return pick(random, operations);
  };
}

/** Refusals are part of life; only a server that fails by itself, unhindered, has a bug. */
export async function perform(
  operation: RandomOperation,
  { client, random }: { readonly client: Client; readonly random: Random },
): Promise<DoneOperation> {
  const { name } = operation;
  const doing: Doing = { client, random, signal: new AbortController().signal };
  try {
    return { name, outcome: await operation.run(doing) };
  } catch (error) {
    if (!isStatusError(error) || error.code >= 500) throw error;
    return { name, outcome: `${error.code} ${error.message}` };
  }
}
