/**
 * From the bytes of a question to those of its answer. The question is given back byte for byte, as resolvers that vary the case of
 * its letters want to see it. Owners of records are written as pointers (RFC 1035, 4.1.4) where the name stands earlier already:
 * it makes place for three times as many members of a headless service in a packet.
 */
import { type Answer, type DecodedPacket, decode, encode } from 'dns-packet';
import { type Resolved, rcodes, resolve } from './resolve.ts';
import type { ZoneIndex } from './zone-index.ts';

export interface ReplyOptions {
  readonly index: ZoneIndex;
  /** By UDP an answer has as many bytes as the asker takes, 512 unless it says more. */
  readonly isUdp: boolean;
  /** In [0, 1). */
  chance(): number;
}

const headBytes = 12;
const udpBytes = 512;
const udpBytesMax = 4_096;
const tcpBytesMax = 65_535;
const pointerMax = 0x3fff;
const badVersion = 16;

const flagBits = { response: 0x8000, authoritative: 0x0400, truncated: 0x0200, recursionAvailable: 0x0080 } as const;
/** Of the question, kept: what is to be done, and whether recursion is desired. */
const keptBits = 0x7900;

/** Undefined: it is no question, and gets no answer. */
export function replyTo(query: Buffer, options: ReplyOptions): Buffer | undefined {
  const read = readQuestion(query);
  if (read === undefined) return undefined;
  const { packet, questionEnd } = read;
  const edns = packet.additionals?.find((answer) => answer.type === 'OPT');
  const resolved = resolvedOf({ packet, edns, opcode: (query.readUInt16BE(2) >> 11) & 0xf }, options);
  const head = Buffer.from(query.subarray(0, questionEnd));
  const opt = edns === undefined ? Buffer.alloc(0) : ednsRecord(resolved.rcode >> 4);
  const bytesMax = options.isUdp ? udpLimit(edns) : tcpBytesMax;
  const body = records(resolved, { head, bytesMax: bytesMax - opt.length });
  const flags =
    flagBits.response |
    flagBits.recursionAvailable |
    (resolved.isAuthoritative ? flagBits.authoritative : 0) |
    (body.isCut ? flagBits.truncated : 0) |
    (head.readUInt16BE(2) & keptBits) |
    (resolved.rcode & 0xf);
  head.writeUInt16BE(flags, 2);
  const [answers, authorities, additionals] = body.counts;
  head.writeUInt16BE(questionEnd === headBytes ? 0 : 1, 4);
  head.writeUInt16BE(answers, 6);
  head.writeUInt16BE(authorities, 8);
  head.writeUInt16BE(additionals + (edns === undefined ? 0 : 1), 10);
  return Buffer.concat([head, ...body.parts, opt]);
}

interface ReadQuestion {
  readonly packet: DecodedPacket;
  /** Where the question ends; at the end of the head when there is not exactly one. */
  readonly questionEnd: number;
}

function readQuestion(query: Buffer): ReadQuestion | undefined {
  if (query.length < headBytes || (query.readUInt16BE(2) & flagBits.response) !== 0) return undefined;
  try {
    const packet = decode(query);
    if (packet.questions?.length !== 1) return { packet, questionEnd: headBytes };
    let at = headBytes;
    for (let length = query.readUInt8(at); length !== 0; length = query.readUInt8(at)) {
      if (length > 63) return undefined;
      at += length + 1;
    }
    return { packet, questionEnd: at + 5 };
  } catch {
    // Whatever it is, it is not for us; an answer might be what it was sent for.
    return undefined;
  }
}

type Edns = Extract<Answer, { readonly type: 'OPT' }>;

interface Asked {
  readonly packet: DecodedPacket;
  readonly opcode: number;
  readonly edns: Edns | undefined;
}

function resolvedOf({ packet, opcode, edns }: Asked, { index, chance }: ReplyOptions): Resolved {
  const [question, ...others] = packet.questions ?? [];
  if (opcode !== 0) return only(rcodes.notImplemented);
  if (question === undefined || others.length > 0) return only(rcodes.formatError);
  if ((edns?.ednsVersion ?? 0) !== 0) return only(badVersion);
  if (question.class !== 'IN' && question.class !== 'ANY') return only(rcodes.refused);
  return resolve({ name: question.name.toLowerCase(), type: question.type }, index, chance);
}

function only(rcode: number): Resolved {
  return { rcode, isAuthoritative: false, answers: [], authorities: [], additionals: [] };
}

function udpLimit(edns: Edns | undefined): number {
  return Math.min(Math.max(edns?.udpPayloadSize ?? udpBytes, udpBytes), udpBytesMax);
}

function ednsRecord(extendedRcode: number): Buffer {
  const answer: Edns = {
    ...{ type: 'OPT', name: '.', udpPayloadSize: udpBytesMax, extendedRcode, ednsVersion: 0 },
    ...{ flags: 0, flag_do: false, options: [] },
  };
  return encode({ type: 'response', additionals: [answer] }).subarray(headBytes);
}

interface Body {
  readonly parts: readonly Buffer[];
  /** Of answers, authorities, additionals. */
  readonly counts: readonly [number, number, number];
  /** Answers are missing; additionals may. */
  readonly isCut: boolean;
}

function records(
  { answers, authorities, additionals }: Resolved,
  { head, bytesMax }: { readonly head: Buffer; readonly bytesMax: number },
): Body {
  const parts: Buffer[] = [];
  const offsets = new Map<string, number>();
  let end = head.length;
  const take = (section: readonly Answer[]): number => {
    let taken = 0;
    for (const answer of section) {
      const part = encodeRecord(answer, offsets.get(answer.name));
      if (end + part.length > bytesMax) return taken;
      noteNames(answer, { offsets, end, length: part.length });
      parts.push(part);
      end += part.length;
      taken += 1;
    }
    return taken;
  };
  // The first one's owner is the name that was asked for; so are those of its like.
  const [first] = answers;
  if (first !== undefined) offsets.set(first.name, headBytes);
  const counts: Body['counts'] = [take(answers), take(authorities), take(additionals)];
  return { parts, counts, isCut: counts[0] < answers.length };
}

/** Owner as a pointer when its place is known. */
function encodeRecord(answer: Answer, ownerAt: number | undefined): Buffer {
  if (ownerAt === undefined) return encode({ type: 'response', answers: [answer] }).subarray(headBytes);
  const bytes = encode({ type: 'response', answers: [{ ...answer, name: '.' }] }).subarray(headBytes - 1);
  bytes.writeUInt16BE(0xc000 | ownerAt, 0);
  return bytes;
}

interface Written {
  readonly offsets: Map<string, number>;
  readonly end: number;
  readonly length: number;
}

/** Where later records find their owners' names: an alias' target, that of a service. */
function noteNames(answer: Answer, { offsets, end, length }: Written): void {
  const target = answer.type === 'CNAME' ? answer.data : answer.type === 'SRV' ? answer.data.target : undefined;
  if (target === undefined) return;
  // The target is the end of the record: a byte before each label, and one at the end.
  const at = end + length - (Buffer.byteLength(target) + 2);
  if (at <= pointerMax && !offsets.has(target)) offsets.set(target, at);
}
