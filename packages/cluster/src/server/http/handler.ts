import { anonymous } from '../../api/identities.ts';
import type { User, WatchEvent } from '../../api/operation.ts';
import { failure, internalError, isStatusError, type Status, StatusError } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';
import { onAbort } from '../../base/signal.ts';
import { impersonated, impersonationAccess } from '../access/impersonation.ts';
import { shareOf } from '../access/share.ts';
import type { Authentication } from '../auth/authenticate.ts';
import type { Annotate, AuditTrail } from '../context/auditor.ts';
import type { Access } from '../context/authorizer.ts';
import type { Authorized, ServedApi } from '../context/served-api.ts';
import { actingAs, audited, auditedAnswer, auditedRefusal, auditTrail, tellWho } from './audited.ts';
import { type MediaRange, negotiate, parseAccept } from './codec/accept.ts';
import { type Answer, jsonAnswer, passedOn, warningHeaders } from './codec/answer.ts';
import { type Decoded, decode, type RequestHead, type ResourceRequest, type WriteRequest } from './codec/decode.ts';
import { createDocuments } from './codec/documents.ts';
import { type EncodingContext, encodeOutcome, type Presentation } from './codec/encode.ts';
import { refusalAnswer } from './codec/encode-refusal.ts';
import { watchEncoder } from './codec/encode-watch.ts';
import { createEncodings } from './codec/encodings.ts';
import { requestedAccess } from './codec/requested.ts';
import { parseTarget } from './codec/target.ts';
import { answerElsewhere, elsewhereOf } from './elsewhere.ts';
import type { RequestFigure, RequestFigures } from './figures.ts';
import { createFlight, type FlightLimits, type Seat } from './flight.ts';
import { type Passage, passingOf, takeSeat, timeLimitMs } from './passage.ts';
import { createRoutes, type Route, type Routed, withRoutePaths } from './route.ts';
import { answerStream, type StreamOptions } from './stream.ts';
import { within } from './within.ts';

/** One request, free of sockets. */
export interface Incoming {
  readonly head: RequestHead;
  /** Why the request must be refused before anything else is looked at. */
  readonly fault: Status | undefined;
  authenticate(): Authentication | Promise<Authentication>;
  /** Throws a 408, 413 or 415 `StatusError`, and what `reading` throws or aborts with. */
  body(reading: Reading): Promise<Buffer>;
  /** Of who has opened the connection. */
  readonly address?: string | undefined;
  /** Whether the client wants another protocol on its connection. */
  readonly upgrades: boolean;
  /** The same object for all requests over one connection. */
  readonly connection: object;
  /** Aborts when the client has gone away or the server is closing. */
  readonly signal: AbortSignal;
}

/** How a body is read. */
export interface Reading {
  /** Told of every piece before it is kept. */
  hold(bytes: number): void;
  readonly signal: AbortSignal;
}

export interface HandlerOptions {
  readonly api: ServedApi;
  readonly clock: Clock;
  readonly limits: HandlerLimits;
  /** What is answered beside the API. */
  readonly routes: readonly Route[];
  /** Told of every request; where nobody looks nothing is noted. */
  readonly figures?: RequestFigures | undefined;
  /** Called with bugs: what was thrown and is no refusal. */
  report(problem: { readonly message: string; readonly error: unknown }): void;
}

export interface HandlerLimits extends FlightLimits {
  /** How long a request other than a watch may take. */
  readonly requestTimeoutMs: number;
  /** What is kept of encoded objects, so that lists and watches share them. */
  readonly encodingsBytesMax: number;
}

const largeBytes = 256 * 1024;
const noBytes = Buffer.alloc(0);

/** Turns requests into answers. Never rejects: what is thrown becomes a Status. */
export function createHandler(options: HandlerOptions): (incoming: Incoming) => Promise<Answer> {
  const { api, limits } = options;
  const flight = createFlight(limits, { clock: options.clock });
  const documents = createDocuments(withRoutePaths(api, options.routes));
  const routeOf = createRoutes(options.routes);
  const context = { api, encodings: createEncodings({ generationBytesMax: limits.encodingsBytesMax / 2 }) };

  const answer = async (incoming: Incoming, { figure, trail }: Told): Promise<Answer> => {
    const { head } = incoming;
    if (incoming.fault !== undefined) throw new StatusError(incoming.fault);
    const shown = incoming.authenticate();
    const who = shown instanceof Promise ? await shown : shown;
    tellWho(who, head, trail);
    const user = userOf(who, { api, trail });
    const access = requestedAccess(user, head);
    const authorized = letIn(api, access, trail?.annotate);
    const accept = parseAccept(head.headers['accept']);
    const target = parseTarget(head.target);
    const elsewhere = elsewhereOf(api, target);
    if (elsewhere !== undefined) return answerElsewhere(elsewhere, { incoming, user, authorized, options, flight });
    const asked = routeOf(head.method, target) ?? decode(head, { target, accept, facts: api.facts });
    figure?.asks(access, asked);
    switch (asked.asks) {
      case 'route':
        return answerRoute(asked, { incoming, user, options, flight });
      case 'document':
        return documents.answer(asked.document, { accept, knows: head.headers['if-none-match'] });
      default:
        return answerResource(asked, { incoming, accept, user, authorized, options, flight, context, trail });
    }
  };

  return async (incoming) => {
    const { method, headers } = incoming.head;
    const figure = options.figures?.begins(incoming.head);
    const trail = api.audit && auditTrail(api.audit, incoming);
    const refused = (status: Status, told: Pick<StatusError, 'warnings'> = { warnings: [] }): Answer => {
      const answered = refusalAnswer(status, headers['accept'], told);
      return trail === undefined ? answered : auditedRefusal(answered, { trail, status });
    };
    try {
      const done = await answer(incoming, { figure, trail });
      const answered = trail === undefined ? done : auditedAnswer(done, trail);
      return figure === undefined ? answered : figure.ends(answered);
    } catch (error) {
      figure?.refused(error);
      if (error instanceof StatusError) return refused(error.status, error);
      if (!incoming.signal.aborted) {
        options.report({ message: `${method} request failed`, error });
        trail?.panics();
      }
      return refused(internalError('the request failed because of a defect in the server; its log has the details'));
    }
  };
}

/** Who is told of a request; nobody, as a rule. */
interface Told {
  readonly figure: RequestFigure | undefined;
  readonly trail: AuditTrail | undefined;
}

/** Who asks: somebody known, whom they act for if they may, or nobody. */
function userOf(
  who: Authentication,
  { api, trail }: { readonly api: ServedApi; readonly trail: AuditTrail | undefined },
): User {
  switch (who.is) {
    case 'refused':
      throw new StatusError(who.status);
    case 'anonymous':
      return anonymous;
    case 'user':
      if (who.as === undefined) return who.user;
      for (const access of impersonationAccess(who.user, who.as)) api.authorize(access);
      return actingAs(impersonated(who.as), trail);
    default:
      return who satisfies never;
  }
}

/** Whoever is unknown and may not learns nothing, not even what is wrong with the request: first they have to say who they are. */
function letIn(api: ServedApi, access: Access, annotate: Annotate | undefined): Authorized {
  try {
    return api.authorize(access, annotate);
  } catch (error) {
    if (isStatusError(error, 'Forbidden') && access.user === anonymous)
      throw new StatusError(failure(401, 'Unauthorized', 'Unauthorized'), { cause: error });
    throw error;
  }
}

interface Call extends Passage {
  readonly accept: readonly MediaRange[];
  readonly authorized: Authorized;
  readonly context: EncodingContext;
  readonly trail: AuditTrail | undefined;
}

async function answerResource(decoded: Extract<Decoded, ResourceRequest>, call: Call): Promise<Answer> {
  const { incoming, options } = call;
  const presentation = { ...decoded.show, accept: call.accept };
  checkAcceptable(decoded, call);
  if (decoded.asks === 'watch') return answerWatch(decoded, { call, presentation });
  const share = shareOf(call.user, decoded.resource);
  const { seat, controller } = takeSeat(decoded.asks === 'write' ? 'body' : 'read', share, call);
  try {
    // The body has a time limit of its own.
    const bytes =
      decoded.asks === 'write' ? await incoming.body({ hold: seat.hold, signal: controller.signal }) : noBytes;
    if (decoded.asks === 'write') seat.becomeWrite();
    return await within(timeLimitMs(decoded, options), {
      clock: options.clock,
      controller,
      work: (signal) =>
        decoded.asks === 'read'
          ? answerRead(decoded, { call, presentation, signal, seat })
          : answerWrite(decoded, { call, presentation, signal, bytes }),
    });
  } finally {
    seat.leave();
  }
}

async function answerRoute(routed: Routed, passage: Passage): Promise<Answer> {
  const { route, method, below, query } = routed;
  const { user, incoming, options } = passage;
  const asked = { method, below, query, user, signal: incoming.signal };
  if (route.seat === 'none') return route.answer(asked);
  const { seat, controller } = takeSeat('read', shareOf(user), passage);
  try {
    const work = async (): Promise<Answer> => route.answer(asked);
    return await within(timeLimitMs(routed, options), { clock: options.clock, controller, work });
  } finally {
    seat.leave();
  }
}

/** Before anything is done: whoever takes no form of the answer has nothing changed. */
function checkAcceptable({ resource, subresource }: ResourceRequest, call: Call): void {
  const facts = call.options.api.facts(resource, subresource);
  if (facts === undefined || facts.isText || facts.isConnection) return;
  negotiate(call.accept, { tables: facts.hasTables, protobuf: facts.custom ? 'partial' : 'all' });
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
  return encodeOutcome(outcome, { presentation: { ...presentation, resource }, context: call.context });
}

async function answerWrite(
  decoded: WriteRequest,
  { call, presentation, signal, bytes }: Shown & { readonly signal: AbortSignal; readonly bytes: Buffer },
): Promise<Answer> {
  const operation = audited(decoded.operation(call.user, bytes), call.trail);
  // To read and to check it are half the work each: whoever waits meanwhile gets an answer in between.
  if (bytes.length > largeBytes) await call.options.clock.turn();
  const outcome = await call.authorized.perform(operation, { signal });
  call.trail?.answers(outcome);
  const shown = { ...presentation, resource: operation.resource };
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
  const operation = decoded.operation(call.user);
  const { encode, contentType } = watchEncoder({ ...presentation, resource: operation.resource }, call.context);
  const { seat, controller } = takeSeat('watch', shareOf(call.user, decoded.resource), call);
  // A stream whose client has gone may never be begun.
  const stop = onAbort(controller.signal, seat.leave);
  const ended = (): void => {
    stop();
    seat.leave();
  };
  const events = call.authorized.watch(operation, { signal: call.incoming.signal });
  return answerStream(events, { encode, ...streaming(call), contentType, last: errorEvent, ended });
}

function streaming({ incoming, options }: Call): Pick<StreamOptions<unknown>, 'clock' | 'signal' | 'report'> {
  return { clock: options.clock, signal: incoming.signal, report: options.report };
}

function errorEvent(status: Status): WatchEvent {
  return { type: 'ERROR', object: status };
}
