import type { Status } from '../../../api/status.ts';
import { encodeMessage, envelopeHead } from '../protobuf/encode.ts';
import { negotiate, parseAccept, protobufType } from './accept.ts';
import { type Answer, statusAnswer, warningHeaders } from './answer.ts';

/** A refusal in protobuf for who would rather have that, and as JSON for everybody else, whatever they take. */
export function refusalAnswer(
  status: Status,
  accept: string | undefined,
  { warnings = [] }: { readonly warnings?: readonly string[] } = {},
): Answer {
  const plain = statusAnswer(status);
  const answer = { ...plain, headers: { ...plain.headers, ...warningHeaders(warnings) } };
  if (!wantsProtobuf(accept)) return answer;
  const message = encodeMessage(status, status);
  const bytes = Buffer.concat([envelopeHead(status, message.length), message]);
  return { ...answer, headers: { ...answer.headers, 'content-type': protobufType }, body: { is: 'bytes', bytes } };
}

function wantsProtobuf(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes(protobufType)) return false;
  try {
    return negotiate(parseAccept(accept), { protobuf: 'all' }).encoding === 'protobuf';
  } catch {
    return false;
  }
}
