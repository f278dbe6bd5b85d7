import type { ObjectWrite } from './write-request.ts';

/** What is left of the quotas of a namespace for what is written there. */
export interface Quotas {
  /**
   * Takes what a write needs, before it is on its way to the store, so that of many at once none gets what another has. Throws
   * 403 where a quota has not enough left; undefined where no quota is about it.
   */
  hold(write: ObjectWrite): Held | undefined;
}

export interface Held {
  /** The write is durable: settles when the quotas say so. */
  charge(): Promise<void>;
  /** Gives back what is not charged. */
  letGo(): void;
}

/** Nothing is limited. */
export const noQuotas: Quotas = { hold: () => undefined };
