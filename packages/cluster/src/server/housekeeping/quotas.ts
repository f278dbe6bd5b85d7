import type { ResourceQuota } from '../../api/generated/core-v1.ts';
import { resourcequotas } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { forbidden, StatusError } from '../../api/status.ts';
import { type Charged, countsChanges, judgeQuota } from '../../resources/core/quota/judge.ts';
import {
  added,
  type Measures,
  measuresOf,
  noMeasures,
  only,
  toQuantities,
} from '../../resources/core/quota/measures.ts';
import type { Store, Stored } from '../../store/store.ts';
import type { ServerContext, WriteListener } from '../context/context.ts';
import { resourcePrefix } from '../context/keys.ts';
import type { Held, Quotas } from '../context/quotas.ts';
import type { ObjectWrite } from '../context/write-request.ts';
import { commit } from '../writing/commit.ts';
import { draftStatus } from '../writing/prepare.ts';
import { ownRequest } from './own-request.ts';

/** A quota, and what was taken of it that its status does not say yet. */
interface Account {
  readonly key: string;
  quota: ResourceQuota;
  /** Of writes that are on their way. */
  readonly held: Set<Measures>;
  /** Of writes that are durable. */
  due: readonly Measures[];
  writing: { readonly after: KubeObject; readonly batch: ReadonlySet<Measures> } | undefined;
  settled: Promise<void> | undefined;
}

const prefix: string = resourcePrefix(resourcequotas);
const attemptsMax = 32;

/**
 * Holds writes to the quotas of their namespace. What a write takes is noted in memory at once and in the quota's status when the
 * write is durable: one write of the status for all that have come meanwhile. A namespace without quotas costs one look-up.
 */
export function createQuotas({
  store,
  context,
  withoutAdmission = [],
}: {
  readonly store: Store;
  /** Rules that are left out, by upstream's names. */
  readonly withoutAdmission?: readonly string[] | undefined;
  readonly context: () => ServerContext;
}): Quotas & WriteListener & { resume(): void } {
  const byNamespace = new Map<string, Map<string, Account>>();
  const isOff = withoutAdmission.includes('ResourceQuota');

  function take({ key, value }: Stored): Account {
    const quota = value as ResourceQuota;
    const { namespace = '' } = quota.metadata;
    const accounts = byNamespace.get(namespace) ?? new Map<string, Account>();
    byNamespace.set(namespace, accounts);
    let account = accounts.get(key);
    if (account === undefined) {
      account = { key, quota, held: new Set(), due: [], writing: undefined, settled: undefined };
      accounts.set(key, account);
    }
    account.quota = quota;
    return account;
  }

  return {
    hold(write) {
      const { namespace } = write.after.metadata;
      const accounts = namespace === undefined || isOff ? undefined : byNamespace.get(namespace);
      const charged = accounts === undefined ? undefined : chargedOf(context(), write);
      if (accounts === undefined || charged === undefined) return undefined;
      const takings = takingsOf(accounts, charged, write);
      return takings.length === 0 ? undefined : holdAll(context, takings);
    },
    put(stored, { after }) {
      if (!stored.key.startsWith(prefix)) return;
      const account = take(stored);
      const { writing } = account;
      if (writing?.after === after) account.due = account.due.filter((measures) => !writing.batch.has(measures));
    },
    removed({ key, value }) {
      if (!key.startsWith(prefix)) return;
      const { namespace = '' } = (value as KubeObject).metadata;
      const accounts = byNamespace.get(namespace);
      accounts?.delete(key);
      if (accounts?.size === 0) byNamespace.delete(namespace);
    },
    resume() {
      const found = store.list(prefix);
      if (!('expired' in found)) for (const stored of found.items) take(stored);
    },
  };
}

/** What of a write quotas may count; undefined where it is nothing. */
function chargedOf({ clock }: ServerContext, { request, before, after, ends }: ObjectWrite): Charged | undefined {
  const { served, verb, subresource } = request;
  if (ends || verb === 'delete') return undefined;
  const now = { type: served.definition, object: after, nowMs: clock.nowMs() };
  if (before === undefined) return now;
  return countsChanges(served.definition, subresource) ? { ...now, previous: before.object } : undefined;
}

interface Taking {
  readonly account: Account;
  readonly charge: Measures;
}

function takingsOf(
  accounts: ReadonlyMap<string, Account>,
  charged: Charged,
  { request, after }: ObjectWrite,
): readonly Taking[] {
  const sorted = [...accounts.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return sorted.flatMap((account) => {
    const verdict = judgeQuota(account.quota, charged, [...account.held, ...account.due].reduce(added, noMeasures));
    if (!verdict.allowed) throw new StatusError(forbidden(request.served.definition, after.metadata.name, verdict.why));
    return verdict.charge.size === 0 ? [] : [{ account, charge: verdict.charge }];
  });
}

function holdAll(context: () => ServerContext, takings: readonly Taking[]): Held {
  // The same measures may be held twice over, so each holding is a value of its own.
  const own = takings.map(({ account, charge }) => ({ account, charge: new Map(charge) }));
  for (const { account, charge } of own) account.held.add(charge);
  const letGo = (): void => {
    for (const { account, charge } of own) account.held.delete(charge);
  };
  return {
    letGo,
    async charge() {
      letGo();
      for (const { account, charge } of own) account.due = [...account.due, charge];
      await Promise.all(own.map(({ account }) => settle(context(), account)));
    },
  };
}

/** Writes what is due, until nothing is. Whoever comes meanwhile is written with the next. */
function settle(context: ServerContext, account: Account): Promise<void> {
  account.settled ??= writeDue(context, account)
    // What cannot be noted is counted again by the quota's controller; what it was for is durable.
    .catch(() => undefined)
    .finally(() => {
      account.settled = undefined;
      account.writing = undefined;
    });
  return account.settled;
}

async function writeDue(context: ServerContext, account: Account): Promise<void> {
  const served = context.registry.find(resourcequotas);
  for (let attempt = 0; account.due.length > 0 && attempt < attemptsMax; attempt++) {
    const stored = context.store.get(account.key);
    if (served === undefined || stored === undefined) break;
    const object = stored.value as ResourceQuota;
    const batch = new Set(account.due);
    const request = { ...ownRequest(served, 'update'), subresource: 'status', manager: 'kube-apiserver' };
    const incoming = { ...object, status: charged(object, batch) } as unknown as Parameters<
      typeof draftStatus
    >[1]['incoming'];
    const after = draftStatus(context, { incoming, current: object }, request);
    account.writing = { after, batch };
    const before = { stored, object };
    const written = await commit(context, { request, key: account.key, before, after, ends: false });
    if (written.ok) attempt = -1;
  }
  account.due = [];
}

function charged({ status }: ResourceQuota, batch: Iterable<Measures>): ResourceQuota['status'] {
  const { hard = {}, used } = status;
  const sum = [...batch].reduce(added, measuresOf(used));
  return { ...status, used: toQuantities(only(sum, (name) => hard[name] !== undefined)) };
}
