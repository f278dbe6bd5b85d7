import {
  type Clock,
  type Operation,
  type Random,
  type Status,
  StatusError,
  sleep,
  type Transport,
  type Waiting,
  type WatchEvent,
  type WatchOperation,
} from '@signalbox/cluster';
import { conflict, expired, failure, modifiedMeanwhile } from '@signalbox/cluster/testing';

/** How often what goes wrong, as chances between 0 and 1. Each seed has its own mixture. */
export interface FaultRates {
  /** An update that comes too late. */
  readonly conflict: number;
  /** Refused by a server in trouble; nothing happened. */
  readonly failBefore: number;
  /** The answer is lost; the write took effect. */
  readonly failAfter: number;
  /** An answer that takes up to {@link slowMsMax}. */
  readonly slow: number;
  /** Per event of a watch: it ends. */
  readonly watchCut: number;
  /** Per event of a watch: its place is forgotten. */
  readonly watchExpired: number;
  /** Per event of a watch: it and all later ones come up to {@link lateMsMax} late. */
  readonly watchLate: number;
  readonly slowMsMax: number;
  readonly lateMsMax: number;
  /** How long the disk takes for a batch, at most. */
  readonly diskMsMax: number;
}

const none: FaultRates = {
  conflict: 0,
  failBefore: 0,
  failAfter: 0,
  slow: 0,
  watchCut: 0,
  watchExpired: 0,
  watchLate: 0,
  slowMsMax: 0,
  lateMsMax: 0,
  diskMsMax: 0,
};

/** Swarm testing: a seed has only some of the faults, so that one kind cannot hide what another would show. */
export function drawFaults(random: Random): FaultRates {
  const chance = (most: number): number => (random.below(2) === 0 ? 0 : most * random.next());
  return {
    conflict: chance(0.4),
    failBefore: chance(0.3),
    failAfter: chance(0.4),
    slow: chance(0.4),
    watchCut: chance(0.1),
    watchExpired: chance(0.05),
    watchLate: chance(0.3),
    slowMsMax: 1 + random.below(20_000),
    lateMsMax: 1 + random.below(30_000),
    diskMsMax: random.below(2) === 0 ? 0 : random.below(50),
  };
}

export interface Faults {
  readonly rates: FaultRates;
  /** From now on all is well. */
  stop(): void;
  between(transport: Transport): Transport;
}

export interface FaultOptions {
  readonly random: Random;
  readonly clock: Clock;
  readonly rates: FaultRates;
}

export function createFaults({ random, clock, rates }: FaultOptions): Faults {
  let now = rates;
  const hits = (rate: number): boolean => rate > 0 && random.next() < rate;
  const perform: (inner: Transport) => Transport['perform'] = (inner) => async (operation, waiting) => {
    if (hits(now.slow)) await sleep(clock, random.below(now.slowMsMax), waiting);
    const writes = operation.verb !== 'get' && operation.verb !== 'list';
    if (writes && operation.verb !== 'create' && hits(now.conflict)) throw new StatusError(tooLate(operation));
    if (hits(now.failBefore)) throw new StatusError(refusal(random));
    const isLost = writes && hits(now.failAfter);
    const outcome = await inner.perform(operation, waiting);
    if (hits(now.slow)) await sleep(clock, random.below(now.slowMsMax), waiting);
    if (isLost) throw new StatusError(refusal(random));
    return outcome;
  };
  async function* watch(inner: Transport, operation: WatchOperation, waiting: Waiting): AsyncGenerator<WatchEvent> {
    if (hits(now.failBefore)) throw new StatusError(refusal(random));
    for await (const event of inner.watch(operation, waiting)) {
      if (hits(now.watchCut)) return;
      if (hits(now.watchExpired)) {
        yield { type: 'ERROR', object: expired('too old resource version') };
        return;
      }
      if (hits(now.watchLate)) await sleep(clock, random.below(now.lateMsMax), waiting).catch(() => undefined);
      yield event;
    }
  }
  return {
    get rates() {
      return now;
    },
    stop() {
      now = none;
    },
    between: (inner) => ({
      perform: perform(inner),
      watch: (operation, waiting) => watch(inner, operation, waiting),
    }),
  };
}

function tooLate(operation: Operation): Status {
  return conflict(operation.resource, 'name' in operation ? (operation.name ?? '') : '', modifiedMeanwhile);
}

function refusal(random: Random): Status {
  const refusals = [
    failure(500, 'InternalError', 'Internal error occurred: injected'),
    failure(503, 'ServiceUnavailable', 'injected: the server is currently unable to handle the request'),
    failure(504, 'Timeout', 'injected: the server was unable to return a response in the time allotted'),
  ] as const;
  return refusals[random.below(refusals.length)] ?? refusals[0];
}
