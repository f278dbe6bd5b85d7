import type { EventEmitter } from 'node:events';
import { failure, type Status } from '../../api/status.ts';
import type { ServedApi } from '../context/served-api.ts';
import { type Answer, statusAnswer } from './codec/answer.ts';

/** Large answers that are on their way: a client that takes them slowly makes the server keep them. */
export interface AnswersUnderWay {
  /**
   * Why a request is not even begun while too much is on its way; undefined when it may. A write that was done must not be
   * told to come again, so it is asked before.
   */
  refusal(method: string): Status | undefined;
  /**
   * The answer; for a read a refusal instead when too much is on its way already. `response` says `close` at its end,
   * whatever that is.
   */
  admit(answer: Answer, response: Response, method: string): Answer;
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
    refusal: (method) => (bytes < bytesMax || isRead(method) ? undefined : tooMuch(writeMend)),
    admit(answer, response, method) {
      const length = heldBytes(answer);
      if (length > smallBytesMax) {
        // One alone is never too much: to come again would not help it.
        if (bytes > 0 && bytes + length > bytesMax && isRead(method)) return statusAnswer(tooMuch(readMend));
        bytes += length;
        response.once('close', () => {
          bytes -= length;
        });
      }
      const { body } = answer;
      if (body.is === 'pieces' && body.revision !== undefined && hold !== undefined)
        // What is left of it cannot be sent: the connection breaks, and the client lists again.
        response.once(
          'close',
          hold(body.revision, () => void response.destroy()),
        );
      return answer;
    },
  };
}

function heldBytes({ body }: Answer): number {
  if (body.is === 'bytes') return body.bytes.length;
  return body.is === 'pieces' ? body.heldBytes : 0;
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

const readMend = 'list in pages (limit=500), or try again later';
const writeMend = 'try again later';

function tooMuch(mend: string): Status {
  return failure(429, 'TooManyRequests', `too many large answers are on their way: ${mend}`, { retryAfterSeconds: 1 });
}
