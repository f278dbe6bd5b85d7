import type { ResourceType } from '../api/gvk.ts';
import type { KubeList, KubeObject } from '../api/meta.ts';
import { isStatusError } from '../api/status.ts';
import type { Client } from './client.ts';
import type { Waiting } from './transport.ts';

const pageSize = 500;
const startsMax = 3;

/**
 * Everything there is of a resource, or of it in one namespace, page by page. Where the transport tells early how a list goes on,
 * the next page is on its way while one is read. On a busy cluster pages may be of different moments: an object that changes
 * meanwhile may be missing, or stand there twice.
 */
export async function listAll<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  options: Waiting & { readonly namespace?: string | undefined; readonly fieldSelector?: string },
): Promise<readonly T[]> {
  const ask = (token: string | undefined): Asked<T> =>
    askFor(token, (goesOn) => client.list(type, { ...options, limit: pageSize, ...from(token), goesOn }));
  let items: T[] = [];
  let asked = ask(undefined);
  for (let starts = 1; ; ) {
    const ahead = askAhead(asked, ask);
    let next: string | undefined;
    try {
      const page = await asked.page;
      items.push(...page.items);
      next = page.metadata.continue;
      if (next === undefined || next === '') return items;
    } catch (error) {
      if (asked.token === undefined || !isStatusError(error, 'Expired')) throw error;
      // The answer says how to go on with what is there now; where it does not, only from the beginning.
      next = error.status.metadata?.continue;
      if (next === undefined || next === '') {
        if (++starts > startsMax) throw error;
        next = undefined;
        items = [];
      }
    }
    const known = ahead();
    asked = known !== undefined && known.token === next ? known : ask(next);
  }
}

/** A page that is on its way. */
interface Asked<T extends KubeObject> {
  readonly token: string | undefined;
  readonly page: Promise<KubeList<T>>;
  /** Calls back as soon as it is known where the page behind it begins, at once where it is known already. */
  onNext(told: (token: string) => void): void;
}

function askFor<T extends KubeObject>(
  token: string | undefined,
  list: (goesOn: (token: string) => void) => Promise<KubeList<T>>,
): Asked<T> {
  let next: string | undefined;
  let told: ((token: string) => void) | undefined;
  const page = list((found) => {
    next ??= found;
    told?.(next);
  });
  // One that is asked for in vain fails unheard.
  page.catch(() => undefined);
  return {
    token,
    page,
    onNext(tell) {
      told = tell;
      if (next !== undefined) tell(next);
    },
  };
}

/** Asks for the page behind a page: that one and no other, so that at most two are on their way. */
function askAhead<T extends KubeObject>(
  { onNext }: Asked<T>,
  ask: (token: string) => Asked<T>,
): () => Asked<T> | undefined {
  let ahead: Asked<T> | undefined;
  onNext((token) => {
    ahead ??= ask(token);
  });
  return () => ahead;
}

function from(token: string | undefined): { readonly continue?: string } {
  return token === undefined ? {} : { continue: token };
}
