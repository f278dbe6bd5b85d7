import { isStatusError } from '../packages/cluster/src/api/status.ts';
import type { Random } from '../packages/cluster/src/base/random.ts';
import type { Client } from '../packages/cluster/src/client/client.ts';
import { nodeOperations } from './workload/nodes.ts';
import { objectOperations } from './workload/objects.ts';
import type { Doing, RandomOperation } from './workload/operation.ts';
import { workloadOperations } from './workload/workloads.ts';

/** All that people do to a cluster, each as often as its weight says. */
const operations: readonly RandomOperation[] = [...workloadOperations, ...nodeOperations, ...objectOperations];
const weightSum = operations.reduce((sum, { weight }) => sum + weight, 0);

export interface DoneOperation {
  readonly name: string;
  /** To what it was done, or the API's refusal; undefined when there was nothing to do it to. */
  readonly outcome: string | undefined;
}

export function drawOperation(random: Random): RandomOperation {
  let left = random.next() * weightSum;
  for (const operation of operations) {
    left -= operation.weight;
    if (left < 0) return operation;
  }
  throw new Error('the weights sum up');
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
