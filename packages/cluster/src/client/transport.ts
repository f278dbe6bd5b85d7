import type {
  DismissEachOperation,
  Operation,
  Outcome,
  UpdatedEach,
  UpdateEachOperation,
  Waiting,
  WatchEvent,
  WatchOperation,
} from '../api/operation.ts';

export type { Waiting } from '../api/operation.ts';

/**
 * The only way from a client to an API server: in process, over HTTP, or to a foreign cluster. Controllers, scheduler,
 * nodes and the telemetry operator see nothing else, so they run unchanged on all three.
 */
export interface Transport {
  /** Rejects with a `StatusError` when the API refuses. */
  perform(operation: Operation, waiting: Waiting): Promise<Outcome>;
  /**
   * Ends when the server ends it (time-out) or the signal aborts. A refusal at the start is thrown as a `StatusError`;
   * later ones arrive as an `ERROR` event.
   */
  watch(operation: WatchOperation, waiting: Waiting): AsyncIterable<WatchEvent>;
  /** What `perform` does for each of them, where there is a way that is shorter than one after the other. Rejects when the signal aborts. */
  updateEach?(operation: UpdateEachOperation, waiting: Waiting): Promise<UpdatedEach>;
  /** A patch of the status and a deletion of each of them, where both can be one write. Rejects when the signal aborts. */
  dismissEach?(operation: DismissEachOperation, waiting: Waiting): Promise<UpdatedEach>;
}
