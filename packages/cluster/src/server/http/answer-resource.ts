import type { WatchEvent } from '../../api/operation.ts';
import { type Status, StatusError } from '../../api/status.ts';
import { fresh } from '../../base/fresh.ts';
import { shareOf } from '../access/share.ts';
import type { AuditTrail } from '../context/auditor.ts';
import type { Authorized } from '../context/served-api.ts';
import { seatsOfList } from '../flowcontrol/width.ts';
import { audited } from './audited.ts';
import { type MediaRange, negotiate } from './codec/accept.ts';
import { type Answer, jsonAnswer, passedOn, warningHeaders } from './codec/answer.ts';
import type { Decoded, ResourceRequest, WriteRequest } from './codec/decode.ts';
import { type EncodingContext, encodeOutcome, type Presentation } from './codec/encode.ts';
import { watchEncoder } from './codec/encode-watch.ts';
import type { Seat } from './flight.ts';
import { inTurn, type Passage, passingOf, takeSeat, timeLimitMs } from './passage.ts';
import { answerStream, type StreamOptions } from './stream.ts';
import { within } from './within.ts';

/** A request for resources whose user may. */
export interface Call extends Passage {
  readonly accept: readonly MediaRange[];
  readonly authorized: Authorized;
  readonly context: EncodingContext;
  readonly trail: AuditTrail | undefined;
}

const largeBytes = 64 * 1024;

export function answerResource(decoded: Extract<Decoded, ResourceRequest>, call: Call): Promise<Answer> {
  const presentation = { ...fresh, ...decoded.show, accept: call.accept };
  const isLasting = checkAcceptable(decoded, call);
  if (decoded.asks === 'watch') return inTurn(call, () => answerWatch(decoded, { call, presentation }));
  const turn = isLasting ? { ...fresh, ...call, turn: undefined } : call;
  return decoded.asks === 'read'
    ? inTurn(widened(turn, decoded), () => readNow(decoded, { call, presentation }))
    : writeInTurn(decoded, { call: turn, presentation });
}

/** A list of many objects takes more than one seat. */
function widened(call: Call, decoded: Extract<Decoded, { readonly asks: 'read' }>): Call {
  const { turn, user, options } = call;
  if (turn === undefined || turn.flow.level.isExempt || turn.access.verb !== 'list') return call;
  const asked = decoded.operation(user);
  if (asked.verb !== 'list') return call;
  const { limit, labelSelector, fieldSelector } = asked.options ?? {};
  const isSelected = labelSelector !== undefined || fieldSelector !== undefined;
  const stored = options.api.stored?.(decoded.resource) ?? 0;
  return {
    ...fresh,
    ...call,
    turn: { ...fresh, ...turn, seats: seatsOfList({ stored, limit, isSelected }, turn.flow.level.seats.nominal) },
  };
}

async function readNow(
  decoded: Extract<Decoded, { readonly asks: 'read' }>,
  { call, presentation }: Shown,
): Promise<Answer> {
  const { options } = call;
  const { seat, controller } = takeSeat('read', shareOf(call.user, decoded.resource), call);
  try {
    return await within(timeLimitMs(decoded, options), {
      clock: options.clock,
      controller,
      work: (signal) => answerRead(decoded, { call, presentation, signal, seat }),
    });
  } finally {
    seat.leave();
  }
}

/** Whoever sends slowly keeps nobody else waiting: its turn comes once the body is there. */
async function writeInTurn(
  decoded: Extract<Decoded, { readonly asks: 'write' }>,
  { call, presentation }: Shown,
): Promise<Answer> {
  const { incoming, options } = call;
  const { seat, controller } = takeSeat('body', shareOf(call.user, decoded.resource), call);
  try {
    // The body has a time limit of its own.
    const bytes = await incoming.body({ hold: seat.hold, signal: controller.signal });
    seat.becomeWrite();
    return await inTurn(call, () =>
      within(timeLimitMs(decoded, options), {
        clock: options.clock,
        controller,
        work: (signal) => answerWrite(decoded, { call, presentation, signal, bytes }),
      }),
    );
  } finally {
    seat.leave();
  }
}

/**
 * Before anything is done: whoever takes no form of the answer has nothing changed. Returns whether the answer may last as long
 * as its client likes.
 */
function checkAcceptable({ resource, subresource }: ResourceRequest, call: Call): boolean {
  const facts = call.options.api.facts(resource, subresource);
  if (facts === undefined) return false;
  if (facts.isText || facts.isConnection) return true;
  negotiate(call.accept, { tables: facts.hasTables, protobuf: facts.custom ? 'partial' : 'all' });
  return false;
}

interface Shown {
  readonly call: Call;
  readonly presentation: Omit<Presentation, 'resource'>;
}

async function answerRead(
  decoded: Extract<Decoded, { readonly asks: 'read' }>,
  { call, presentation, signal, seat }: Shown & { readonly signal: AbortSignal; readonly seat: Seat },
): Promise<Answer> {
  const { authorized, trail } = call;
  const operation = audited(decoded.operation(call.user), trail);
  if (operation.verb === 'get' && operation.subresource !== undefined) {
    const passed = authorized.connect?.(operation, passingOf(decoded.below, call, { signal, seat }));
    if (passed !== undefined) return passedOn(await passed);
    // Text may flow for as long as the client listens, so only the client's own signal ends it.
    const text = authorized.text?.(operation, { signal: call.incoming.signal });
    if (text !== undefined)
      return answerStream(await text, {
        encode: (part) => [Buffer.from(part)],
        ...streaming(call),
        contentType: 'text/plain; charset=utf-8',
      });
  }
  const outcome = await authorized.perform(operation, { signal });
  trail?.answers(outcome);
  const resource = operation.resource;
  return encodeOutcome(outcome, { presentation: { ...fresh, ...presentation, resource }, context: call.context });
}

async function answerWrite(
  decoded: WriteRequest,
  { call, presentation, signal, bytes }: Shown & { readonly signal: AbortSignal; readonly bytes: Buffer },
): Promise<Answer> {
  const operation = audited(decoded.operation(call.user, bytes), call.trail);
  // To read and to check it are half the work each: whoever waits meanwhile gets an answer in between.
  if (bytes.length > largeBytes) await call.options.clock.turn();
  const outcome = await call.authorized.perform(operation, { signal, wantsJson: true });
  call.trail?.answers(outcome);
  const shown = { ...fresh, ...presentation, resource: operation.resource };
  try {
    return encodeOutcome(outcome, { presentation: shown, context: call.context });
  } catch (error) {
    // The write is done: a client that takes no form of the answer must still learn that.
    if (!(error instanceof StatusError)) throw error;
    return jsonAnswer(outcome.code, outcome.object, warningHeaders(outcome.warnings));
  }
}

async function answerWatch(
  decoded: Extract<Decoded, { readonly asks: 'watch' }>,
  { call, presentation }: Shown,
): Promise<Answer> {
  const asked = decoded.operation(call.user);
  const operation = call.trail === undefined ? asked : { ...fresh, ...asked, annotate: call.trail.annotate };
  const { encode, contentType } = watchEncoder(
    { ...fresh, ...presentation, resource: operation.resource },
    call.context,
  );
  const { incoming, user, flight } = call;
  const share = shareOf(user, decoded.resource);
  // Nobody ever asks for the place of a watch; there may be very many, so each is to hold little.
  const passenger = { share, user: user.name, connection: incoming.connection, yields: () => undefined };
  // It begins when it is read.
  const events = call.authorized.watch(operation, { signal: incoming.signal });
  const { leave: ended } = flight.enter('watch', passenger);
  return answerStream(events, { encode, ...streaming(call), contentType, last: errorEvent, ended });
}

function streaming({ incoming, options }: Call): Pick<StreamOptions<unknown>, 'clock' | 'signal' | 'report'> {
  return { clock: options.clock, signal: incoming.signal, report: options.report };
}

function errorEvent(status: Status): WatchEvent {
  return { type: 'ERROR', object: status };
}
