import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePorts } from './free-ports.ts';

test('ports are given once, can be listened on, and no connection begins at one', async () => {
  const ports = [...(await freePorts(5)), ...(await freePorts(5))];
  expect(new Set(ports).size).toBe(10);
  expect(ports.every((port) => port >= 20_000 && port < 32_000)).toBe(true);
  for (const port of ports) {
    const server = createServer();
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
    await new Promise((resolve) => server.close(resolve));
  }
});
