import type { JsonObject } from '../../api/record.ts';
import { onAbort } from '../../base/signal.ts';
import type { CallServer, ServerAnswer, ServerCall } from '../../server/context/call-server.ts';

/** An AdmissionReview's request, as far as tests look at it. */
export interface AskedReview {
  readonly apiVersion: string;
  readonly request: JsonObject & { readonly uid: string };
}

export type Answering = (request: AskedReview['request'], call: ServerCall) => object | string;

export interface FakeHooks extends CallServer {
  /** `host/path` and what was posted there. */
  readonly calls: { readonly at: string; readonly review: AskedReview; readonly call: ServerCall }[];
  /** What is said at a path; nobody listens anywhere else. */
  readonly answers: Map<string, Answering>;
}

/** Webhooks by the path at which they are asked. A text is thrown as what went wrong on the way; `hangs` is silence. */
export function createFakeHooks(): FakeHooks {
  const calls: FakeHooks['calls'] = [];
  const answers: FakeHooks['answers'] = new Map();
  return {
    calls,
    answers,
    async call(call) {
      const [path = ''] = call.path.split('?');
      const review = JSON.parse(call.body) as AskedReview;
      calls.push({ at: `${call.to.host}:${call.to.port}${call.path}`, review, call });
      await Promise.resolve();
      const said = answers.get(path)?.(review.request, call) ?? 'connect: connection refused';
      if (said === 'hangs') return never(call);
      if (typeof said === 'string') throw new Error(said);
      return 'code' in said && 'text' in said ? (said as ServerAnswer) : answered(review, said);
    },
    close: async () => undefined,
  };
}

function never({ signal }: ServerCall): Promise<ServerAnswer> {
  return new Promise((_, reject) => {
    onAbort(signal, () => reject(signal.reason));
  });
}

/** The response in the form of the version that was asked in. */
function answered({ apiVersion, request }: AskedReview, response: object): ServerAnswer {
  const kind = apiVersion.startsWith('admission') ? 'AdmissionReview' : 'ConversionReview';
  return { code: 200, text: JSON.stringify({ apiVersion, kind, response: { uid: request.uid, ...response } }) };
}

/** As a webhook sends it. */
export function patchOf(...operations: readonly object[]): object {
  return {
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  };
}
