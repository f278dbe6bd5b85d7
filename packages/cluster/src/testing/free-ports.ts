/** Ports for programs that are told theirs. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Where no system takes the near ends of connections from: a port of those may be gone before the program listens. */
const first = 20_000;
const end = 32_000;

/** Of all calls in this process: what is given may not be listened on yet. */
const given = new Set<number>();

/** As many ports of this machine as are asked for that nobody listens on now, and that nobody connects from. Each is given once. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    if (given.size === end - first)
      throw new Error(`all ports from ${first} to ${end - 1} of 127.0.0.1 are taken; end what listens there`);
    const port = randomInt(first, end);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
