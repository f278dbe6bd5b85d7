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
  const stream = new EncodedStream(parts[Symbol.asyncIterator](), options);
  await Promise.race([stream.first(), options.clock.turn()]);
  stream.begin();
  return streamAnswer(options.contentType, stream);
}

/** Calls `ended` once nobody reads on; where the pieces can tell, nothing stands between them and their reader. */
export function untilEnded(pieces: AsyncIterable<Buffer>, ended: () => void): AsyncIterable<Buffer> {
  if (!(pieces instanceof EncodedStream)) return toItsEnd(pieces, ended);
  pieces.whenEnded(ended);
  return pieces;
}

async function* toItsEnd(pieces: AsyncIterable<Buffer>, ended: () => void): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } finally {
    ended();
  }
}

type Result = IteratorResult<Buffer, undefined>;
const finished: Result = { done: true, value: undefined };
const nothing: readonly Buffer[] = [];

/** No generator: ten thousand of these wait at once, and what a suspended generator holds is a kilobyte each. */
class EncodedStream<T> implements AsyncIterableIterator<Buffer, undefined> {
  readonly #source: AsyncIterator<T>;
  readonly #options: StreamOptions<T>;
  readonly #whenEnded: (() => void)[] = [];
  /** What the last part has become, and how much of it was taken. */
  #pieces = nothing;
  #taken = 0;
  /** Asked for before anybody has taken it. */
  #ahead: Promise<Result> | undefined;
  #refused: { readonly error: unknown } | undefined;
  #begun = false;
  /** Let go of once it has begun, and with it whoever waited for the first part. */
  #tellFirst: (() => void) | undefined;
  #over = false;
  /** Whoever asks for more waits until the source has ended, too. */
  #ending: Promise<unknown> | undefined;

  constructor(source: AsyncIterator<T>, options: StreamOptions<T>) {
    this.#source = source;
    this.#options = options;
    if (options.ended !== undefined) this.#whenEnded.push(() => options.ended?.());
    this.#ahead = this.#ask();
  }

  /** Resolves when there is a first part, or a refusal. */
  first(): Promise<void> {
    return new Promise((resolve) => {
      this.#tellFirst = resolve;
    });
  }

  /** Throws what the first part was refused with. */
  begin(): void {
    this.#begun = true;
    this.#tellFirst = undefined;
    if (this.#refused !== undefined) throw this.#refused.error;
  }

  /** At once where it has ended. */
  whenEnded(work: () => void): void {
    if (this.#over) work();
    else this.#whenEnded.push(work);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead !== undefined) return ahead;
    const ready = this.#take();
    if (ready === undefined) return this.#ask();
    return ready.done === true && this.#ending !== undefined
      ? this.#ending.then(() => finished)
      : Promise.resolve(ready);
  }

  async return(): Promise<Result> {
    this.#pieces = nothing;
    this.#ahead = undefined;
    this.#end();
    await this.#ending;
    return finished;
  }

  #take(): Result | undefined {
    const value = this.#pieces[this.#taken];
    if (value !== undefined) {
      this.#taken++;
      return { done: false, value };
    }
    this.#pieces = nothing;
    return this.#over ? finished : undefined;
  }

  #ask(): Promise<Result> {
    return this.#source.next().then(this.#came, this.#failed);
  }

  #show(part: T): Result | Promise<Result> {
    this.#pieces = this.#options.encode(part);
    this.#taken = 0;
    return this.#take() ?? this.#ask();
  }

  readonly #came = (next: IteratorResult<T>): Result | Promise<Result> => {
    this.#tellFirst?.();
    if (this.#over) return finished;
    if (next.done === true) {
      this.#end();
      return finished;
    }
    try {
      return this.#show(next.value);
    } catch (error) {
      return this.#failed(error);
    }
  };

  readonly #failed = (error: unknown): Result | Promise<Result> => {
    const { signal, report, last } = this.#options;
    this.#end();
    this.#tellFirst?.();
    if (!this.#begun) this.#refused = { error };
    if (!this.#begun || signal.aborted) return finished;
    if (!(error instanceof StatusError)) report({ message: 'a stream failed', error });
    const status = error instanceof StatusError ? error.status : internalError('the stream failed');
    return last === undefined ? finished : this.#show(last(status));
  };

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    for (const work of this.#whenEnded.splice(0)) work();
    // It only makes room; what it fails with is nobody's any more.
    this.#ending = this.#source.return?.().catch(() => undefined);
  }
}
