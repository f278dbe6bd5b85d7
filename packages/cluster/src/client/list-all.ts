import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import { isStatusError } from '../api/status.ts';
import type { Client } from './client.ts';
import type { Waiting } from './transport.ts';

const pageSize = 500;
const startsMax = 3;

/**
 * Everything there is of a resource, or of it in one namespace, page by page. On a busy cluster pages may be of different
 * moments: an object that changes meanwhile may be missing, or stand there twice.
 */
export async function listAll<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  options: Waiting & { readonly namespace?: string | undefined; readonly fieldSelector?: string },
): Promise<readonly T[]> {
  let items: T[] = [];
  let next: string | undefined;
  for (let starts = 1; ; ) {
    try {
      const from = next !== undefined && { continue: next };
      const page = await client.list(type, { ...options, limit: pageSize, ...from });
      items.push(...page.items);
      next = page.metadata.continue === '' ? undefined : page.metadata.continue;
      if (next === undefined) return items;
    } catch (error) {
      if (next === undefined || !isStatusError(error, 'Expired')) throw error;
      // The answer says how to go on with what is there now; where it does not, only from the beginning.
      next = error.status.metadata?.continue;
      if (next !== undefined && next !== '') continue;
      if (++starts > startsMax) throw error;
      next = undefined;
      items = [];
    }
  }
}
