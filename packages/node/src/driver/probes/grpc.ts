import { connect, constants, type IncomingHttpHeaders } from 'node:http2';
import type { Duplex } from 'node:stream';

/** Answers of `grpc.health.v1.Health/Check`, by number. */
const statuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

export interface HealthQuestion {
  readonly authority: string;
  readonly service: string;
  readonly signal: AbortSignal;
}

/**
 * Asks a server for its health: one message of one string, and an answer of one number, so that a client library would be
 * more than what it is for. Throws what the server says when it does not know the method.
 */
export function grpcHealth(socket: Duplex, { authority, service, signal }: HealthQuestion): Promise<string> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://${authority}`, { createConnection: () => socket });
    const fail = (error: Error): void => {
      session.destroy();
      reject(error);
    };
    session.on('error', fail);
    const abort = (): void => fail(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    signal.addEventListener('abort', abort, { once: true });
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: '/grpc.health.v1.Health/Check',
      [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    let failure: string | undefined;
    const seeStatus = (headers: IncomingHttpHeaders): void => {
      const { 'grpc-status': code = '0', 'grpc-message': message = '' } = headers;
      if (code !== '0') failure = `rpc error: code = ${code.toString()} desc = ${message.toString()}`;
    };
    stream.on('error', fail);
    stream.on('response', seeStatus);
    stream.on('trailers', seeStatus);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('close', () => {
      signal.removeEventListener('abort', abort);
      session.close();
      if (failure === undefined) resolve(statuses[statusOf(Buffer.concat(chunks))] ?? 'UNKNOWN');
      else reject(new Error(failure));
    });
    stream.end(framed(service));
  });
}

/** A message of one field: number 1, a string. */
function framed(service: string): Buffer {
  const name = Buffer.from(service);
  if (name.length > 127) throw new Error('the name of the service is too long');
  const message = name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Of a message whose field 1 is a small number; it is not there when it is 0. */
function statusOf(body: Buffer): number {
  const message = body.subarray(5);
  return message[0] === 0x08 ? (message[1] ?? 0) : 0;
}
