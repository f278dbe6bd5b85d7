import { type Client, type Clock, fromTimestamp, type Pod, type Random, serviceaccounts } from '@signalbox/cluster';
import type { TokenReference } from '../pod/around.ts';

/** Tokens of the service accounts of the node's pods, each bound to its pod. */
export interface Tokens {
  /** By their keys: those that are held, and new ones for what is missing or old. Throws the API's refusal. */
  of(
    pod: Pod,
    references: readonly TokenReference[],
    waiting: { readonly signal: AbortSignal },
  ): Promise<ReadonlyMap<string, string>>;
  /** When the first of them is old. */
  renewMs(pod: Pod): number | undefined;
  forget(pod: Pod): void;
}

interface Token {
  readonly token: string;
  readonly renewMs: number;
}

/** A kubelet asks for another one at four fifths of a token's life, or after a day. */
const renewedAfter = 0.8;
const renewMsMax = 24 * 3_600_000;
/** Not all pods of a node at the same moment. */
const spreadMs = 10_000;

export interface TokensOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
}

export function createTokens({ client, clock, random }: TokensOptions): Tokens {
  const held = new Map<string, Map<string, Token>>();

  const request = async (
    pod: Pod,
    { audience, expirationSeconds }: TokenReference,
    signal: AbortSignal,
  ): Promise<Token> => {
    const { namespace = '', name, uid } = pod.metadata;
    const askedMs = clock.nowMs();
    const { object } = await client.post(serviceaccounts, {
      namespace,
      name: pod.spec.serviceAccountName ?? 'default',
      subresource: 'token',
      signal,
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { namespace, name: pod.spec.serviceAccountName ?? 'default' },
        spec: {
          audiences: audience === undefined ? [] : [audience],
          expirationSeconds,
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
        },
      },
    });
    const { status } = object as {
      readonly status?: { readonly token?: string; readonly expirationTimestamp?: string };
    };
    if (status?.token === undefined) throw new Error('the API server gave no token');
    const lifeMs = fromTimestamp(status.expirationTimestamp ?? '') - askedMs;
    return {
      token: status.token,
      renewMs: askedMs + Math.min(renewedAfter * lifeMs, renewMsMax) - random.below(Math.min(spreadMs, lifeMs / 10)),
    };
  };

  return {
    async of(pod, references, { signal }) {
      const own = held.get(pod.metadata.uid) ?? new Map<string, Token>();
      held.set(pod.metadata.uid, own);
      await Promise.all(
        references.map(async (reference) => {
          const known = own.get(reference.key);
          if (known === undefined || known.renewMs <= clock.nowMs())
            own.set(reference.key, await request(pod, reference, signal));
        }),
      );
      return new Map([...own].map(([key, { token }]) => [key, token]));
    },
    renewMs(pod) {
      const moments = [...(held.get(pod.metadata.uid)?.values() ?? [])].map(({ renewMs }) => renewMs);
      return moments.length === 0 ? undefined : Math.min(...moments);
    },
    forget: ({ metadata }) => void held.delete(metadata.uid),
  };
}
