import { StatusError } from '../../api/status.ts';
import { onAbort } from '../../base/signal.ts';
import { notServed } from '../access/scope.ts';
import { shareOf } from '../access/share.ts';
import type { ApiPlace } from '../context/other-apis.ts';
import type { Authorized, ServedApi } from '../context/served-api.ts';
import { type Answer, passedOn } from './codec/answer.ts';
import { isWatch } from './codec/query.ts';
import type { Target } from './codec/target.ts';
import { inTurn, type Passage, passingOf, takeSeat, timeLimitMs } from './passage.ts';
import { within } from './within.ts';

/** A request that somebody else answers, path and all. */
export interface Elsewhere extends ApiPlace {
  /** Whether it lasts for as long as its client likes. */
  readonly isLasting: boolean;
}

/** Undefined: it is this server's own. Discovery of one version stays here, too: it is merged with the rest. */
export function elsewhereOf(api: ServedApi, { segments, query }: Target): Elsewhere | undefined {
  const [root, group, version, resource] = segments;
  if (root !== 'apis' || group === undefined || version === undefined || resource === undefined) return undefined;
  if (api.isElsewhere?.({ group, version }) !== true) return undefined;
  return { group, version, isLasting: isLasting(query) };
}

/** What cannot be read is refused by whoever answers. */
function isLasting(query: Target['query']): boolean {
  try {
    return isWatch(query);
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

type Call = Passage & { readonly authorized: Authorized };

/** Whoever answers gets the request as it came, and its answer goes back as it comes. What becomes a stream waits for nobody. */
export function answerElsewhere(elsewhere: Elsewhere, call: Call): Promise<Answer> {
  const { upgrades } = call.incoming;
  return upgrades ? passOver(elsewhere, call) : inTurn(call, () => passOver(elsewhere, call));
}

async function passOver({ isLasting, ...at }: Elsewhere, call: Call): Promise<Answer> {
  const { incoming, user, authorized, options } = call;
  const { seat, controller } = takeSeat(isLasting || incoming.upgrades ? 'watch' : 'read', shareOf(user), call);
  const stop = onAbort(incoming.signal, seat.leave);
  const ended = (): void => {
    stop();
    seat.leave();
  };
  try {
    const path = incoming.head.target.split('?', 1)[0] ?? '';
    const work = async (): Promise<Answer> => {
      const passing = { ...passingOf(path, call, { signal: controller.signal, seat }), user };
      const passed = await authorized.passElsewhere?.(at, passing);
      if (passed === undefined) throw new StatusError(notServed());
      return passedOn(passed);
    };
    return endTold(await within(timeLimitMs({}, options), { clock: options.clock, controller, work }), ended);
  } catch (error) {
    ended();
    throw error;
  }
}

/** The same answer; its end is told once, also when nobody reads it to the end. */
function endTold(answer: Answer, ended: () => void): Answer {
  const { body } = answer;
  if (body.is !== 'stream') {
    ended();
    return answer;
  }
  return { ...answer, body: { is: 'stream', pieces: told(body.pieces, ended) } };
}

async function* told(pieces: AsyncIterable<Buffer>, ended: () => void): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } finally {
    ended();
  }
}
