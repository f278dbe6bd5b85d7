import { hostname, networkInterfaces } from 'node:os';
import { systemClock, systemRandom } from '@signalbox/cluster';
import type { Io, Output } from './io.ts';
import { run } from './run.ts';

/** The only place that looks at this process: streams, environment, signals, clock and chance become parameters here. */
const ending = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // Who asks twice does not want to wait.
    if (ending.signal.aborted) process.exit(1);
    ending.abort(new Error('stopped by the user'));
  });
}

function output(stream: NodeJS.WriteStream): Output {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader (`| head`) has seen enough.
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
  };
}

/** Those of a single link mean nothing without naming the interface. */
function addresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.filter(({ internal, address }) => !internal && !/^fe80:/i.test(address)).map(({ address }) => address);
}

const io: Io = {
  get stdin() {
    return process.stdin;
  },
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  env: process.env,
  cwd: process.cwd(),
  clock: systemClock,
  random: systemRandom(),
  host: hostname(),
  addresses,
  userId: process.getuid?.(),
  nodeVersion: process.version,
  signal: ending.signal,
};

const code = await run(process.argv.slice(2), io);
// What stands in the pipes is still written; what else holds the process open is not waited for.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
