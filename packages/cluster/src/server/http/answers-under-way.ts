import type { EventEmitter } from 'node:events';
import { failure, type Status } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServedApi } from '../context/served-api.ts';
import { createVirtualQueue, type Waiting } from '../flowcontrol/virtual-queue.ts';
import { type Answer, statusAnswer } from './codec/answer.ts';

/**
 * Large answers that are on their way: a client that takes them slowly makes the server keep them. Their bytes are bounded
 * together and for each user. Who comes beyond that waits for those before, the users by turns; where somebody waits, whoever
 * has taken long is cut off.
 */
export interface AnswersUnderWay {
  /**
   * Why a request is not even begun while too much is on its way; undefined when it may. A write that was done must not be
   * told to come again, so it is asked before.
   */
  refusal(method: string): Status | undefined;
  /**
   * The answer, once there is room for it; for a read a refusal instead when too many wait, or it waited too long. `response`
   * says `close` at its end, whatever that is.
   */
  admit(answer: Answer, response: Response, method: string): Answer | Promise<Answer>;
}

interface Response extends Pick<EventEmitter, 'once'> {
  destroy(): unknown;
}

export interface AnswersUnderWayOptions {
  /** Of all ready answers together, and half as much for a user. Smaller ones do not count. */
  readonly bytesMax: number;
  /** Tells when the past that a list shows is taken from it. */
  readonly hold: ServedApi['hold'];
  readonly clock: Clock;
}

const smallBytesMax = 64 * 1024;
const userPart = 0.5;
/** How long one may wait until there is room. */
const waitMsMax = 15_000;
/** What waits holds its beginning already, so there may be few. */
const waitingMax = 100;
const userWaitingMax = 20;
/** After so long an answer makes room for those who wait; how often that is looked at. */
const slowAfterMs = 10_000;
const lookEveryMs = 1_000;

/** One large answer: waiting until it is admitted, then on its way. */
interface Load extends Waiting {
  readonly bytes: number;
  readonly response: Response;
  admitted(): void;
}

export function createAnswersUnderWay({ bytesMax, hold, clock }: AnswersUnderWayOptions): AnswersUnderWay {
  const room = createRoom(bytesMax, clock);
  const waiting = createVirtualQueue<Load>();
  const admitNext = (): void => {
    for (;;) {
      // A large one that is next waits for its room; it is not passed by smaller ones.
      const next = waiting.first((load) => room.isWithinUser(load));
      if (next === undefined || !room.fits(next)) return;
      waiting.take(next);
      enter(next);
      next.admitted();
    }
  };
  const enter = (load: Load): void => {
    load.startedMs = clock.nowMs();
    room.take(load);
    load.response.once('close', () => {
      room.release(load);
      waiting.done(load, clock.nowMs());
      admitNext();
    });
  };
  const wait = (load: Omit<Load, 'admitted'>, answer: Answer): Promise<Answer> =>
    new Promise((resolve) => {
      const givesUp = (): void => {
        if (waiting.remove(waiter)) resolve(statusAnswer(tooMuch(readMend)));
      };
      const cancel = clock.after(waitMsMax, givesUp);
      const waiter: Load = {
        ...load,
        admitted() {
          cancel();
          resolve(answer);
        },
      };
      load.response.once('close', () => {
        cancel();
        givesUp();
      });
      waiting.add(waiter);
      if (waiting.size === 1) look();
      // Whoever waits before may wait for nobody but themselves.
      admitNext();
    });
  const look = (): void => {
    if (waiting.size === 0) return;
    room.slowest()?.response.destroy();
    clock.after(lookEveryMs, look);
  };
  return {
    refusal: (method) => (room.isFull() && !isRead(method) ? tooMuch(writeMend) : undefined),
    admit(answer, response, method) {
      holdPast(answer, { response, hold });
      const bytes = heldBytes(answer);
      if (bytes <= smallBytesMax) return answer;
      const load = { flow: answer.of ?? '', bytes, response, arrivedMs: clock.nowMs(), startedMs: 0 };
      const isNext = waiting.size === 0 && room.isWithinUser(load) && room.fits(load);
      // What was written is told, whatever it takes.
      if (isNext || !isRead(method)) {
        const entered: Load = { ...load, admitted: () => undefined };
        waiting.pass(entered);
        enter(entered);
        return answer;
      }
      const isTooMany = waiting.size >= waitingMax || waiting.lengthOf(load.flow) >= userWaitingMax;
      return isTooMany ? statusAnswer(tooMuch(readMend)) : wait(load, answer);
    },
  };
}

/** What is left of a list cannot be sent when its past is taken: the connection breaks, and the client lists again. */
function holdPast(
  { body }: Answer,
  { response, hold }: { readonly response: Response; readonly hold: ServedApi['hold'] },
): void {
  if (body.is === 'pieces' && body.revision !== undefined && hold !== undefined)
    response.once(
      'close',
      hold(body.revision, () => void response.destroy()),
    );
}

type Sized = Pick<Load, 'flow' | 'bytes'>;

interface Room {
  isFull(): boolean;
  /** One alone is never too much: to come again would not help it. */
  fits(load: Sized): boolean;
  isWithinUser(load: Sized): boolean;
  take(load: Load): void;
  release(load: Load): void;
  /** The oldest of the user who has most, of those that take long. */
  slowest(): Load | undefined;
}

function createRoom(bytesMax: number, clock: Pick<Clock, 'nowMs'>): Room {
  /** In the order in which they were admitted. */
  const underWay = new Set<Load>();
  const byUser = new Map<string, number>();
  let bytes = 0;
  const bytesOf = (user: string): number => byUser.get(user) ?? 0;
  return {
    isFull: () => bytes >= bytesMax,
    fits: (load) => bytes === 0 || bytes + load.bytes <= bytesMax,
    isWithinUser: ({ flow, bytes: more }) => bytesOf(flow) === 0 || bytesOf(flow) + more <= bytesMax * userPart,
    take(load) {
      underWay.add(load);
      bytes += load.bytes;
      byUser.set(load.flow, bytesOf(load.flow) + load.bytes);
    },
    release(load) {
      if (!underWay.delete(load)) return;
      bytes -= load.bytes;
      const left = bytesOf(load.flow) - load.bytes;
      if (left > 0) byUser.set(load.flow, left);
      else byUser.delete(load.flow);
    },
    slowest() {
      let found: Load | undefined;
      for (const load of underWay) {
        if (clock.nowMs() - load.startedMs < slowAfterMs) break;
        if (found === undefined || bytesOf(load.flow) > bytesOf(found.flow)) found = load;
      }
      return found;
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
