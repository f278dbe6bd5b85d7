import { resourceName } from '../api/gvk.ts';
import type { Operation, WatchEvent } from '../api/operation.ts';
import { isStatusError } from '../api/status.ts';
import type { Clock } from '../base/clock.ts';
import type { Transport, Waiting } from './transport.ts';

/** Is told of every request that was answered, or failed. It only looks, and must not throw. */
export interface RequestObserver {
  /** A request is on its way, and no watch. Its caller may give it up before there is an answer. */
  asked(): void;
  answered(request: AnsweredRequest): void;
  watchEnded(watch: EndedWatch): void;
}

export interface AnsweredRequest {
  readonly verb: Operation['verb'];
  /** `statefulsets.apps` */
  readonly resource: string;
  readonly subresource: string | undefined;
  /** That of HTTP: 503 and 504 also where nothing was reached, or no answer came. */
  readonly code: number;
  readonly durationMs: number;
}

export interface EndedWatch {
  readonly resource: string;
  /** 200: it ended as watches do, after a time; 410: what it followed is forgotten, and is listed again. */
  readonly code: number;
}

export interface ObservedTransportOptions {
  readonly clock: Clock;
  readonly observer: RequestObserver;
}

/** The same transport; each request is told of. What its caller gave up is not, nor what never left this process. */
export function observedTransport(transport: Transport, options: ObservedTransportOptions): Transport {
  const { clock, observer } = options;
  return {
    async perform(operation, waiting) {
      const { verb } = operation;
      const startedMs = clock.nowMs();
      const asked = { verb, resource: resourceName(operation.resource), subresource: subresourceOf(operation) };
      const tell = (code: number): void => observer.answered({ ...asked, code, durationMs: clock.nowMs() - startedMs });
      const leaving = watchedLeaving(waiting);
      observer.asked();
      try {
        const outcome = await transport.perform(operation, leaving.waiting);
        tell(outcome.code);
        return outcome;
      } catch (error) {
        if (!waiting.signal.aborted && !leaving.isHeldBack()) tell(codeOf(error));
        throw error;
      }
    },
    watch: (operation, waiting) => {
      const events = transport.watch(operation, waiting);
      return observedWatch(events, { ...waiting, resource: resourceName(operation.resource), observer });
    },
  };
}

interface Leaving {
  readonly waiting: Waiting;
  /** Each time that the request was to leave it was not let go. */
  isHeldBack(): boolean;
}

function watchedLeaving(waiting: Waiting): Leaving {
  const { leaves } = waiting;
  if (leaves === undefined) return { waiting, isHeldBack: () => false };
  let tries = 0;
  let gone = 0;
  const watched = (): void => {
    tries++;
    leaves();
    gone++;
  };
  return { waiting: { ...waiting, leaves: watched }, isHeldBack: () => tries > 0 && gone === 0 };
}

interface Watching extends Waiting {
  readonly resource: string;
  readonly observer: RequestObserver;
}

async function* observedWatch(
  events: AsyncIterable<WatchEvent>,
  { resource, observer, signal }: Watching,
): AsyncGenerator<WatchEvent> {
  let code = 200;
  try {
    for await (const event of events) {
      if (event.type === 'ERROR') code = event.object.code ?? 500;
      yield event;
    }
  } catch (error) {
    code = codeOf(error);
    throw error;
  } finally {
    if (!signal.aborted) observer.watchEnded({ resource, code });
  }
}

function subresourceOf(operation: Operation): string | undefined {
  return 'subresource' in operation ? operation.subresource : undefined;
}

/** What is no answer of the API is a defect on this side. */
function codeOf(error: unknown): number {
  return isStatusError(error) ? error.code : 500;
}
