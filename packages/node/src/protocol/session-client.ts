/** A session with a process inside, as its client sees it: exec and attach. */
import { request } from 'node:http';
import { type Duplex, PassThrough, Writable } from 'node:stream';
import type { Door } from './client.ts';
import { decodeFailure, InsideFailure } from './failure.ts';
import { channels, createFrameReader, type Frame, jsonOf, sendFrame, sendJson } from './frames.ts';
import type { ExecCommand, ExecSession, Waiting } from './inside.ts';
import { sessionUpgrade } from './routes.ts';

interface Opening {
  readonly path: string;
  /** Undefined: attach. */
  readonly command: ExecCommand | undefined;
  readonly waiting: Waiting;
}

/** What the server says of the streams when it has begun. */
export interface SessionStreams {
  readonly stdin: boolean;
  readonly stderr: boolean;
}

export async function openSession(door: Door, { path, command, waiting }: Opening): Promise<ExecSession> {
  const socket = await upgraded(door, path, waiting);
  const session = createSession(socket, waiting);
  sendJson(socket, channels.command, command ?? null);
  return session;
}

function upgraded({ socketPath }: Door, path: string, { signal }: Waiting): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const headers = { connection: 'upgrade', upgrade: sessionUpgrade };
    const asked = request({ socketPath, agent: false, method: 'POST', path, headers, signal });
    asked.on('upgrade', (_, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.on('response', (response) => {
      response.resume();
      reject(new InsideFailure(`no session: status ${response.statusCode}`, { code: 'Unknown' }));
    });
    asked.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    asked.end();
  });
}

/** Resolves when the process has begun, rejects when it could not. */
function createSession(socket: Duplex, { signal }: Waiting): Promise<ExecSession> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const read = createFrameReader();
  return new Promise((resolve, reject) => {
    let end: (code: number) => void = () => undefined;
    let fail: (error: unknown) => void = () => undefined;
    const ended = new Promise<number>((resolveEnd, rejectEnd) => {
      end = resolveEnd;
      fail = rejectEnd;
    });
    // Who only waits for the beginning need not look at the end.
    ended.catch(() => undefined);
    const close = (error?: Error): void => {
      stdout.end();
      stderr.end();
      const reason = signal.aborted ? signal.reason : (error ?? hungUp());
      fail(reason);
      reject(reason);
    };
    const take = (frame: Frame): void => {
      if (frame.channel === channels.stdout) flow(socket, stdout, frame.payload);
      else if (frame.channel === channels.stderr) flow(socket, stderr, frame.payload);
      else if (frame.channel === channels.ended) {
        stdout.end();
        stderr.end();
        end(jsonOf(frame) as number);
      } else if (frame.channel === channels.failed) close(decodeFailure(frame.payload.toString('utf8')));
      else if (frame.channel === channels.begun)
        resolve(sessionOf(socket, { streams: jsonOf(frame) as SessionStreams, stdout, stderr, ended }));
    };
    socket.on('data', (bytes: Buffer) => {
      for (const frame of read(bytes)) take(frame);
    });
    socket.on('error', close);
    socket.on('close', () => close());
    const stop = (): void => void socket.destroy();
    signal.addEventListener('abort', stop, { once: true });
    socket.on('close', () => signal.removeEventListener('abort', stop));
  });
}

function hungUp(): InsideFailure {
  return new InsideFailure('the process inside hung up', { code: 'ECONNRESET' });
}

/** While one stream is full nothing is read. */
function flow(from: Duplex, to: PassThrough, payload: Buffer): void {
  if (to.write(payload)) return;
  from.pause();
  to.once('drain', () => from.resume());
}

interface SessionParts {
  readonly streams: SessionStreams;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly ended: Promise<number>;
}

function sessionOf(socket: Duplex, { streams, stdout, stderr, ended }: SessionParts): ExecSession {
  return {
    stdin: streams.stdin ? stdinOf(socket) : undefined,
    stdout,
    stderr: streams.stderr ? stderr : undefined,
    ended,
    resize: (size) => sendJson(socket, channels.resize, size),
  };
}

function stdinOf(socket: Duplex): Writable {
  return new Writable({
    write(chunk: Buffer, _, done) {
      if (sendFrame(socket, channels.stdin, chunk)) done();
      else socket.once('drain', () => done());
    },
    final(done) {
      sendFrame(socket, channels.stdinEnd);
      done();
    },
  });
}
