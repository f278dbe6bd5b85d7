import { internalError, type Status, StatusError } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';
import { type Answer, streamAnswer } from './codec/answer.ts';

export interface StreamOptions<T> {
  encode(part: T): readonly Buffer[];
  readonly clock: Clock;
  /** The client's. */
  readonly signal: AbortSignal;
  readonly report: (problem: { readonly message: string; readonly error: unknown }) => void;
  readonly contentType: string;
  /** What a refusal in mid-stream looks like; without it the stream just ends. */
  last?(status: Status): T;
  ended?(): void;
}

/** Waits one turn for a refusal; after that the answer has begun. */
export async function answerStream<T>(parts: AsyncIterable<T>, options: StreamOptions<T>): Promise<Answer> {
  const iterator = parts[Symbol.asyncIterator]();
  const first = iterator.next();
  try {
    await Promise.race([first, options.clock.turn()]);
  } catch (error) {
    options.ended?.();
    throw error;
  }
  return streamAnswer(options.contentType, encoded({ first, iterator }, options));
}

async function* encoded<T>(
  { first, iterator }: { readonly first: Promise<IteratorResult<T>>; readonly iterator: AsyncIterator<T> },
  options: StreamOptions<T>,
): AsyncGenerator<Buffer> {
  try {
    for (let next = await first; !next.done; next = await iterator.next()) yield* options.encode(next.value);
  } catch (error) {
    if (options.signal.aborted) return;
    if (!(error instanceof StatusError)) options.report({ message: 'a stream failed', error });
    const status = error instanceof StatusError ? error.status : internalError('the stream failed');
    if (options.last !== undefined) yield* options.encode(options.last(status));
  } finally {
    options.ended?.();
    await iterator.return?.();
  }
}
