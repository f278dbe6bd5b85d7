import type { Secret, ServiceAccount } from '../../api/generated/core-v1.ts';
import { secrets, serviceaccounts } from '../../api/generated/kinds.ts';
import { type Key, keyOf } from '../../api/meta.ts';
import { ifFound } from '../../api/status.ts';
import { controllerUser } from '../../api/system-identities.ts';
import type { CacheEvent, Index } from '../../client/cache.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import { createKeyedWork, type RunContext } from '../../runtime/keyed-work.ts';
import { accountNameOf, belongsTo, completion, hasToken, removal, withoutReference } from './plan.ts';

export interface SecretTokensOptions {
  /** Signs a token that holds as long as it stands in this Secret. */
  readonly sign: (account: ServiceAccount, secret: Secret) => Promise<string>;
  /** Who signed the API server's certificate. Absent: no Secret gets `ca.crt`. */
  readonly authority?: { pem(): string; onChange(wake: () => void): () => void } | undefined;
}

const name = 'serviceaccount-token';

/**
 * Fills Secrets of the type `kubernetes.io/service-account-token`, removes those whose account is gone, and takes them out of the
 * lists of their accounts when they end. It signs what
 * it writes, which takes a moment, so it is no `Controller` whose plan is pure.
 */
export function createSecretTokens(platform: Platform, options: SecretTokensOptions): Component {
  const { informers } = platform;
  /** Secrets that ended, until their accounts know. */
  const gone = new Map<Key, Secret>();
  const work = createKeyedWork({
    name,
    user: controllerUser(name),
    platform,
    workers: 2,
    async handle(key, context) {
      const secret = informers.of(secrets).get(key);
      const former = gone.get(key);
      gone.delete(key);
      if (secret !== undefined) await settle(platform, secret, { context, options });
      else if (former !== undefined) await forget(former, context);
      return undefined;
    },
  });
  const wakeAll = (found: Iterable<Secret>): void => {
    for (const secret of found) work.add(keyOf(secret));
  };
  const watchSecret = ({ type, object }: CacheEvent<Secret>): void => {
    if (accountNameOf(object) === undefined) return;
    if (type === 'deleted') gone.set(keyOf(object), object);
    work.add(keyOf(object));
  };
  const watchAccount = ({ type, object, previous }: CacheEvent<ServiceAccount>): void => {
    if (type === 'updated' && previous.metadata.uid === object.metadata.uid) return;
    wakeAll(informers.of(secrets).by(secretsByAccount, keyOf(object)));
  };
  const tokenSecrets = (): Iterable<Secret> =>
    [...informers.of(secrets).values()].filter((secret) => accountNameOf(secret) !== undefined);

  return {
    name,
    async run({ signal }) {
      await informers.sync([secrets, serviceaccounts], { signal });
      const stops = [
        informers.listen(secrets, watchSecret),
        informers.listen(serviceaccounts, watchAccount),
        ...(options.authority === undefined ? [] : [options.authority.onChange(() => wakeAll(tokenSecrets()))]),
      ];
      await work.run({ signal }).finally(() => {
        for (const stop of stops) stop();
      });
    },
  };
}

const secretsByAccount: Index<Secret> = {
  name: 'token of service account',
  valuesOf(secret) {
    const account = accountNameOf(secret);
    return account === undefined ? [] : [`${secret.metadata.namespace}/${account}`];
  },
};

interface Settling {
  readonly context: RunContext;
  readonly options: SecretTokensOptions;
}

async function settle(platform: Platform, secret: Secret, { context, options }: Settling): Promise<void> {
  const accountName = accountNameOf(secret);
  if (accountName === undefined || secret.metadata.deletionTimestamp !== undefined) return;
  const cached = platform.informers.of(serviceaccounts).get(`${secret.metadata.namespace}/${accountName}`);
  const account = cached !== undefined && belongsTo(secret, cached) ? cached : await accountOf(secret, context);
  if (account === undefined || !belongsTo(secret, account)) {
    await context.perform([removal(secret)]);
    return;
  }
  const token = hasToken(secret) ? undefined : await options.sign(account, secret);
  const change = completion(secret, { account, token, authority: options.authority?.pem() });
  if (change !== undefined) await context.perform([change]);
}

/** Whoever lists the Secrets of an account would look for one that is not there. */
async function forget(secret: Secret, context: RunContext): Promise<void> {
  const account = await accountOf(secret, context);
  const change = account && belongsTo(secret, account) ? withoutReference(account, secret) : undefined;
  if (change !== undefined) await context.perform([change]);
}

/** The cache may not know it yet: before a Secret goes, the API is asked. */
function accountOf(secret: Secret, { client, signal }: RunContext): Promise<ServiceAccount | undefined> {
  const { namespace } = secret.metadata;
  return ifFound(client.get(serviceaccounts, { namespace, name: accountNameOf(secret) ?? '', signal }));
}
