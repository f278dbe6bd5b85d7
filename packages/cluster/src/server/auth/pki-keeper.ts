import { type Clock, sleep } from '../../base/clock.ts';
import type { PemPair } from './certificates.ts';
import { isWithin } from './lifetime.ts';
import { type FurtherCertificate, type Pki, renewPki, servingNames } from './pki.ts';
import { openPkiFiles } from './pki-files.ts';
import { type RequestToSign, signRequest } from './sign-request.ts';
import { changeTokenKey } from './token-key.ts';

/** The certificates of a server that runs for longer than they last. */
export interface PkiKeeper {
  current(): Pki;
  /** PEM of the authorities to trust. */
  pem(): string;
  /** What the API server shows to kubelets. */
  kubeletClient(): PemPair;
  /** What it shows to other servers of the API. */
  proxyClient(): PemPair;
  /** The private key that signs tokens of service accounts, as PEM. It stays. */
  tokenKey(): string;
  /** The public keys, as PEM, that tokens were signed with before; empty: none. */
  formerTokenKeys(): string;
  /** The administrator's bearer token. It stays. */
  administratorToken(): string;
  /** Signs what a client asks for; PEM. It ends with the authority, if that is sooner. */
  signRequest(request: RequestToSign): Promise<string>;
  /** Calls `listener` after anything was renewed. Returns how to stop it. */
  onChange(listener: () => void): () => void;
  /** Renews what nears its end, or is not valid at what the clock says now, until the signal aborts. */
  run(options: KeepOptions): Promise<void>;
}

export interface KeepOptions {
  readonly signal: AbortSignal;
  /** Puts what was renewed to use. It is called again until it resolves. */
  readonly use: (pki: Pki) => Promise<void>;
  readonly report: (message: string, error?: unknown) => void;
}

export interface PkiKeeperOptions {
  readonly folder: string | undefined;
  /** Where clients reach the server, besides the usual names. */
  readonly hosts: readonly string[];
  readonly further?: readonly FurtherCertificate[];
  readonly clock: Clock;
  /** A new key signs tokens of service accounts from now on. */
  readonly changesTokenKey?: boolean;
}

/**
 * The time is looked at this often, however far away the end is: a clock may be put right in between, in either
 * direction, and a computer that sleeps stops its timers.
 */
const lookEveryMs = 60 * 60 * 1000;
const retryMs = 60 * 1000;

export async function openPki({
  folder,
  hosts,
  further = [],
  clock,
  changesTokenKey = false,
}: PkiKeeperOptions): Promise<PkiKeeper> {
  const files = await openPkiFiles(folder);
  if (changesTokenKey) await changeTokenKey(files);
  const names = servingNames(hosts);
  let current = await renewPki(files, { names, further, nowMs: clock.nowMs() });
  const listeners = new Set<() => void>();

  const renewed = async (): Promise<boolean> => {
    const nowMs = clock.nowMs();
    if (isWithin(nowMs, current.window)) return false;
    current = await renewPki(files, { names, further, nowMs });
    for (const listener of listeners) listener();
    return true;
  };

  return {
    current: () => current,
    pem: () => current.ca,
    kubeletClient: () => current.kubeletClient,
    proxyClient: () => current.proxyClient,
    tokenKey: () => current.tokenKey,
    formerTokenKeys: () => current.formerTokenKeys,
    administratorToken: () => current.token,
    signRequest(request) {
      const { pair, endsMs } = current.authority;
      return signRequest(pair, { ...request, notAfterMs: Math.min(request.notAfterMs, endsMs) });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async run({ signal, use, report }) {
      const told = new Set<string>();
      const tell = (message: string, error?: unknown): void => {
        if (!told.has(message)) report(message, error);
        told.add(message);
      };
      let isUsed = true;
      for (;;) {
        for (const notice of current.notices) tell(notice);
        const restMs = current.window.untilMs - clock.nowMs();
        const delayMs = isUsed ? Math.min(lookEveryMs, Math.max(1_000, restMs)) : retryMs;
        if (!(await slept(clock, delayMs, signal))) return;
        try {
          if (await renewed()) isUsed = false;
          if (!isUsed) await use(current);
          isUsed = true;
          told.delete(failed);
        } catch (error) {
          isUsed = false;
          tell(failed, error);
        }
      }
    },
  };
}

const failed = 'certificates cannot be renewed; it is tried every minute';

/** False: the signal aborted first. */
async function slept(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
  await sleep(clock, delayMs, { signal }).catch(() => undefined);
  return !signal.aborted;
}
