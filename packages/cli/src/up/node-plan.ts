/** What `up --real` has to know before it starts anything. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type FurtherCertificate, type PkiKeeper, writeKubeconfig } from '@signalbox/cluster';
import { CommandError } from '../io/errors.ts';
import { absolute, type Io } from '../io/io.ts';
import { checkNodePaths } from '../io/node-paths.ts';
import { type NodeTerms, nodeArguments, nodeNameOf, nodesFolder } from '../io/node-terms.ts';

/** A node of this machine for the cluster of a data folder. */
export interface NodePlan {
  readonly name: string;
  readonly terms: NodeTerms;
  /** The node's own, absolute. */
  readonly folder: string;
  /** Where the cluster's certificates are. */
  readonly pkiFolder: string;
  /** What the API server's certificate has to name besides. */
  readonly names: readonly string[];
  readonly certificates: readonly FurtherCertificate[];
}

/** Throws one line that names what is missing and the mend where this machine can have no real node. */
export async function planNode(terms: NodeTerms, data: string, io: Io): Promise<NodePlan> {
  const lacks = await io.realNodes.lacks();
  if (lacks.length > 0) throw new CommandError(`--real is not possible here: ${lacks.join('; ')}`);
  const name = nodeNameOf(terms, io, '--node-name');
  await checkNodePaths(terms, io);
  return {
    name,
    terms,
    folder: join(nodesFolder(absolute(data, io)), name),
    pkiFolder: join(absolute(data, io), 'pki'),
    names: [await io.realNodes.address()],
    certificates: certificatesOf(name),
  };
}

/** No name of a node has an underscore, so no two nodes share a file. */
function filesOf(name: string): { readonly agent: string; readonly network: string; readonly serving: string } {
  return { agent: `kubelet_${name}`, network: `kube-proxy_${name}`, serving: `kubelet-serving_${name}` };
}

function certificatesOf(name: string): readonly FurtherCertificate[] {
  const files = filesOf(name);
  const agent = { commonName: `system:node:${name}`, organizations: ['system:nodes'] };
  const network = { commonName: 'system:kube-proxy', organizations: [] };
  return [
    { file: files.agent, subject: agent, usage: 'client', names: [] },
    { file: files.network, subject: network, usage: 'client', names: [] },
    { file: files.serving, subject: agent, usage: 'server', names: [name, 'localhost', '127.0.0.1'] },
  ];
}

/** Writes what the agent shows to the API server: one kubeconfig for itself and one for the node's network. */
export async function writeNodeKubeconfigs(
  { name, folder }: NodePlan,
  { pki, server }: { readonly pki: PkiKeeper; readonly server: string },
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { ca, further } = pki.current();
  const { agent, network } = filesOf(name);
  for (const [file, key] of [
    [agentKubeconfig, agent],
    [networkKubeconfig, network],
  ] as const) {
    const client = further[key];
    if (client !== undefined) await writeKubeconfig(join(folder, file), { server, ca, client });
  }
}

const agentKubeconfig = 'agent.kubeconfig';
const networkKubeconfig = 'network.kubeconfig';

/** The command line of its agent. Pure. */
export function agentArguments({ name, terms, folder, pkiFolder }: NodePlan, logLevel: string): readonly string[] {
  const { serving } = filesOf(name);
  return [
    'node',
    ...['--kubeconfig', join(folder, agentKubeconfig), '--network-kubeconfig', join(folder, networkKubeconfig)],
    ...['--data', folder],
    ...['--tls-cert-file', join(pkiFolder, `${serving}.crt`)],
    ...['--tls-private-key-file', join(pkiFolder, `${serving}.key`)],
    ...['--log-level', logLevel, '--log-format', 'json'],
    ...nodeArguments({ ...terms, name }),
  ];
}
