import { formatYaml } from '../../../api/codec/yaml.ts';
import type { Status } from '../../../api/status.ts';
import { encodeMessage, envelopeHead } from '../protobuf/encode.ts';
import { negotiate, parseAccept, protobufType } from './accept.ts';
import { type Answer, statusAnswer, warningHeaders } from './answer.ts';

/** A refusal in protobuf or YAML for who would rather have that, and as JSON for everybody else, whatever they take. */
export function refusalAnswer(
  status: Status,
  accept: string | undefined,
  { warnings = [] }: { readonly warnings?: readonly string[] } = {},
): Answer {
  const plain = statusAnswer(status);
  const answer = { ...plain, headers: { ...plain.headers, ...warningHeaders(warnings) } };
  const encoding = wanted(accept);
  if (encoding === 'json') return answer;
  const [type, bytes] =
    encoding === 'yaml' ? ['application/yaml', Buffer.from(formatYaml(status))] : [protobufType, inProtobuf(status)];
  return { ...answer, headers: { ...answer.headers, 'content-type': type }, body: { is: 'bytes', bytes } };
}

function inProtobuf(status: Status): Buffer {
  const message = encodeMessage(status, status);
  return Buffer.concat([envelopeHead(status, message.length), message]);
}

function wanted(accept: string | undefined): 'json' | 'yaml' | 'protobuf' {
  if (accept === undefined || !(accept.includes(protobufType) || accept.includes('yaml'))) return 'json';
  try {
    return negotiate(parseAccept(accept), { protobuf: 'all' }).encoding;
  } catch {
    return 'json';
  }
}
