import { anonymous } from '../../api/identities.ts';
import type { User } from '../../api/operation.ts';
import { badRequest, failure, internalError, isStatusError, type Status, StatusError } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';
import { fresh } from '../../base/fresh.ts';
import { impersonated, impersonationAccess } from '../access/impersonation.ts';
import { shareOf } from '../access/share.ts';
import type { Authentication } from '../auth/authenticate.ts';
import type { Annotate, AuditTrail } from '../context/auditor.ts';
import type { Access } from '../context/authorizer.ts';
import type { Authorized, ServedApi } from '../context/served-api.ts';
import type { Flow } from '../flowcontrol/configuration.ts';
import type { Gate } from '../flowcontrol/in-flight.ts';
import { answerResource } from './answer-resource.ts';
import { actingAs, auditedAnswer, auditedRefusal, auditTrail, tellWho } from './audited.ts';
import { parseAccept } from './codec/accept.ts';
import type { Answer } from './codec/answer.ts';
import { decode, type RequestHead } from './codec/decode.ts';
import { createDocuments } from './codec/documents.ts';
import { refusalAnswer } from './codec/encode-refusal.ts';
import { createEncodings } from './codec/encodings.ts';
import { requestedAccess } from './codec/requested.ts';
import { parseTarget } from './codec/target.ts';
import { answerElsewhere, elsewhereOf } from './elsewhere.ts';
import type { RequestFigure, RequestFigures } from './figures.ts';
import { createFlight, type FlightLimits } from './flight.ts';
import { inTurn, type Passage, takeSeat, timeLimitMs } from './passage.ts';
import { createRoutes, type Route, type Routed, type RouteRequest, withRoutePaths } from './route.ts';
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
  /** Of that signal: a write that is given up aborts it, because a second one costs a twentieth of a small write. Absent: it gets its own. */
  readonly controller?: AbortController;
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
  /** Whose requests come first. Absent: they are done as they come. */
  readonly flowControl?: Gate | undefined;
  /** Called with bugs: what was thrown and is no refusal. */
  report(problem: { readonly message: string; readonly error: unknown }): void;
}

export interface HandlerLimits extends FlightLimits {
  /** How long a request other than a watch may take. */
  readonly requestTimeoutMs: number;
  /** What is kept of encoded objects, so that lists and watches share them. */
  readonly encodingsBytesMax: number;
}

/** Turns requests into answers. Never rejects: what is thrown becomes a Status. */
export function createHandler(options: HandlerOptions): (incoming: Incoming) => Promise<Answer> {
  const { api, limits } = options;
  const flight = createFlight(limits, { clock: options.clock });
  const documents = createDocuments(withRoutePaths(api, options.routes));
  const routeOf = createRoutes(options.routes);
  const context = { api, encodings: createEncodings({ generationBytesMax: limits.encodingsBytesMax / 2 }) };

  const answer = async (incoming: Incoming, told: Told): Promise<Answer> => {
    const { head } = incoming;
    const { figure, trail } = told;
    if (incoming.fault !== undefined) throw new StatusError(incoming.fault);
    const shown = incoming.authenticate();
    const who = shown instanceof Promise ? await shown : shown;
    tellWho(who, head, trail);
    const user = userOf(who, { api, trail });
    const access = requestedAccess(user, head);
    told.user = user.name;
    const control = options.flowControl;
    if (control !== undefined) told.flow = control.classify(access);
    const authorized = letIn(api, access, trail?.annotate);
    const turn = control && told.flow && { control, flow: told.flow, access };
    const passage = { incoming, user, options, flight, turn };
    const accept = parseAccept(head.headers['accept']);
    const target = parseTarget(head.target);
    const elsewhere = elsewhereOf(api, target);
    if (elsewhere !== undefined) return answerElsewhere(elsewhere, { ...fresh, ...passage, authorized });
    const asked = routeOf(head.method, target) ?? decode(head, { target, accept, facts: api.facts });
    figure?.asks(access, asked);
    switch (asked.asks) {
      case 'route':
        return answerRoute(asked, passage);
      case 'document':
        return inTurn(passage, async () =>
          documents.answer(asked.document, { accept, knows: head.headers['if-none-match'] }),
        );
      default:
        return answerResource(asked, { ...fresh, ...passage, accept, authorized, context, trail });
    }
  };

  return async (incoming) => {
    const { method, headers } = incoming.head;
    const figure = options.figures?.begins(incoming.head);
    const trail = api.audit && auditTrail(api.audit, incoming);
    const told: Told = { figure, trail, flow: undefined, user: undefined };
    const refused = (status: Status, tells: Pick<StatusError, 'warnings'> = { warnings: [] }): Answer => {
      const answered = sorted(refusalAnswer(status, headers['accept'], tells), told);
      return trail === undefined ? answered : auditedRefusal(answered, { trail, status });
    };
    try {
      const done = sorted(await answer(incoming, told), told);
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
  /** Whose turn it waits for, once that is known. */
  flow: Flow | undefined;
  /** The name of who asks, once that is known. */
  user: string | undefined;
}

/** The answer says how it was sorted, as upstream's do, and whose it is. */
function sorted(answer: Answer, { flow, user }: Told): Answer {
  if (user === undefined) return answer;
  const headers = flow === undefined ? answer.headers : { ...fresh, ...answer.headers, ...flow.schema.headers };
  return { ...fresh, ...answer, headers, of: user };
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
      if (who.as.name === '')
        throw new StatusError(badRequest('requested a group, a uid or extra fields without impersonating a user'));
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

async function answerRoute(routed: Routed, passage: Passage): Promise<Answer> {
  const { route, method, below, query } = routed;
  const { user, incoming } = passage;
  const asked = { method, below, query, user, signal: incoming.signal };
  return route.seat === 'none' ? route.answer(asked) : inTurn(passage, () => seatedRoute({ routed, asked }, passage));
}

async function seatedRoute(
  { routed, asked }: { readonly routed: Routed; readonly asked: RouteRequest },
  passage: Passage,
): Promise<Answer> {
  const { user, options } = passage;
  const { seat, controller } = takeSeat('read', shareOf(user), passage);
  try {
    const work = async (): Promise<Answer> => routed.route.answer(asked);
    return await within(timeLimitMs(routed, options), { clock: options.clock, controller, work });
  } finally {
    seat.leave();
  }
}
