/** A node in a process of its own, for tests: started with what it needs as JSON at its input, ended by signals. */
import { createHttpTransport, optimizeLater, systemClock, systemRandom } from '@signalbox/cluster';
import { type NodeOptions, startNode } from '../node.ts';
import { insideCommand } from './inside-command.ts';

interface Credentials {
  readonly cert: string;
  readonly key: string;
}

export interface NodeProcessOptions
  extends Pick<NodeOptions, 'name' | 'folder' | 'authority' | 'images' | 'hostPaths' | 'staticPods' | 'podsMax'> {
  readonly server: string;
  readonly agent: Credentials;
  readonly network: Credentials;
}

async function main(text: string): Promise<void> {
  optimizeLater();
  const { server, agent, network, ...options } = JSON.parse(text) as NodeProcessOptions;
  const { hostname, port } = new URL(server);
  const transportOf = (certificate: Credentials) =>
    createHttpTransport({
      connection: {
        server,
        tls: { ca: options.authority },
        credentials: { get: () => Promise.resolve({ certificate }) },
      },
      ...{ clock: systemClock, random: systemRandom() },
    });
  const node = await startNode({
    ...options,
    ...{ transport: transportOf(agent), networkTransport: transportOf(network) },
    ...{ api: { host: hostname, port: Number(port) }, serving: undefined, labels: {}, taints: [] },
    ...{ imagesFolder: undefined, egress: [], reloader: undefined, insideCommand },
    ...{ clock: systemClock, random: systemRandom(), signal: new AbortController().signal },
    report: ({ message, error }) => process.stderr.write(`${message}: ${String(error)}\n`),
  });
  process.stdout.write('ready\n');
  process.once('SIGTERM', () => void node.end().then(() => process.exit(0)));
  process.once('SIGHUP', () => void node.leave().then(() => process.exit(0)));
  process.stderr.write(`the node has ended: ${String(await node.failed)}\n`);
  process.exit(1);
}

let text = '';
for await (const chunk of process.stdin) text += String(chunk);
await main(text);
