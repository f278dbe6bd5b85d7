import type { Cluster } from '@signalbox/cluster';
import { CommandError } from '../io/errors.ts';

/** Rejects with one clear line when a part of the cluster died too often: what is left would only look like a cluster. */
export async function endOfPlane({ failed }: Pick<Cluster, 'failed'>): Promise<never> {
  const { message, error } = await failed;
  throw new CommandError(`the cluster ends because ${message}; what was written is kept: start it again to go on`, {
    cause: error,
  });
}
