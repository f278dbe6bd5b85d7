import { systemClock } from '@signalbox/cluster';
import { afterEach, expect, test } from 'vitest';
import { type Gateway, startGateway } from './gateway.ts';

/** Says that what it was told holds; a zone `fails` does not, a zone `dies` is its end, and of what it knows it tells. */
const program = `
  const say = (message) => process.send(message);
  let known = '';
  process.on('message', ({ number, subject, value }) => {
    if (value.domain === 'dies' && !process.env.again) return process.exit(1);
    known += subject + ' ';
    say({ is: 'report', message: known });
    say({ is: 'done', number, ...(value.domain === 'fails' ? { error: 'no such zone' } : {}) });
  });
  process.on('disconnect', () => process.exit(0));
  say({ is: 'ready' });
`;

let gateway: Gateway | undefined;
afterEach(() => gateway?.close());

function start(script: string, said: string[] = []): Promise<Gateway> {
  return startGateway({
    argv: [process.execPath, '-e', script],
    env: {},
    settings: { plan: { address: '', podBits: 16, answered: [], nameServer: '' }, doors: '' },
    clock: systemClock,
    report: (message) => void said.push(message),
  });
}

const zone = (domain: string) => ({ domain, records: [] });

test('what was told holds, or the reason is told', async () => {
  gateway = await start(program);
  await gateway.tell('services', { ports: [] });
  await expect(gateway.tell('zone', zone('fails'))).rejects.toThrow('no such zone');
  await gateway.tell('zone', zone('cluster.local'));
});

test('one that dies is started again and told all that holds', async () => {
  const said: string[] = [];
  gateway = await start(program, said);
  await gateway.tell('services', { ports: [] });
  const dying = gateway.tell('zone', zone('dies'));
  await expect.poll(() => said).toContain('the gateway ended (1); it is started again');
  await gateway.tell('zone', zone('cluster.local'));
  // What was told before of the same is over with.
  await dying;
  expect(said.at(-1)).toContain('services zone');
});

test('one that cannot start is an error at once', async () => {
  await expect(start('process.exit(3)')).rejects.toThrow('the gateway ended (3)');
});
