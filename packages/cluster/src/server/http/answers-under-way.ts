import type { EventEmitter } from 'node:events';
import { failure } from '../../api/status.ts';
import { type Answer, statusAnswer } from './answer.ts';
import type { ServedApi } from './served-api.ts';

/** Large answers that are on their way: a client that takes them slowly makes the server keep them. */
export interface AnswersUnderWay {
  /** The answer, or a refusal when too much is on its way already. `response` says `close` at its end, whatever that is. */
  admit(answer: Answer, response: Response): Answer;
}

interface Response extends Pick<EventEmitter, 'once'> {
  destroy(): unknown;
}

export interface AnswersUnderWayOptions {
  /** Of all ready answers together. Smaller ones do not count. */
  readonly bytesMax: number;
  /** Tells when the past that a list shows is taken from it. */
  readonly hold: ServedApi['hold'];
}

const smallBytesMax = 64 * 1024;

export function createAnswersUnderWay({ bytesMax, hold }: AnswersUnderWayOptions): AnswersUnderWay {
  let bytes = 0;
  return {
    admit(answer, response) {
      const { body } = answer;
      if (body.is === 'pieces' && body.revision !== undefined && hold !== undefined) {
        // What is left of it cannot be sent: the connection breaks, and the client lists again.
        response.once(
          'close',
          hold(body.revision, () => void response.destroy()),
        );
        return answer;
      }
      if (body.is !== 'bytes' || body.bytes.length <= smallBytesMax) return answer;
      const { length } = body.bytes;
      if (bytes + length > bytesMax) return statusAnswer(tooMuch());
      bytes += length;
      response.once('close', () => {
        bytes -= length;
      });
      return answer;
    },
  };
}

function tooMuch(): ReturnType<typeof failure> {
  return failure(
    429,
    'TooManyRequests',
    'too many large answers are on their way: list in pages (limit=500), or try again later',
    {
      retryAfterSeconds: 1,
    },
  );
}
