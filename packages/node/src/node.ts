import type { Clock, Problem, Random, Transport } from '@signalbox/cluster';

/** What a node of this machine is made of and may do. Everything of it is below `folder`. */
export interface NodeOptions {
  readonly name: string;
  readonly folder: string;
  /** As the node: `system:node:NAME` in the group `system:nodes`. */
  readonly transport: Transport;
  /** As the node's network, which looks at all services and pods; the same as `transport` where one user may do both. */
  readonly networkTransport: Transport;
  /** Where the API server listens, as this machine reaches it: pods are led there. */
  readonly api: { readonly host: string; readonly port: number };
  /** PEM: who signed the API server's certificate, and whose clients may ask the kubelet's door. */
  readonly authority: string;
  /** PEM: what the kubelet's door shows; undefined: one of its own, signed by nobody. */
  readonly serving: { readonly certificate: string; readonly key: string } | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  readonly podsMax: number;
  /** `PATTERN=PROGRAM`, before the table that is built in. */
  readonly images: readonly string[];
  /** A folder of OCI layouts and saved images. */
  readonly imagesFolder: string | undefined;
  /** `HOST[:PORT]` that pods may reach outside of the machine's clusters. */
  readonly egress: readonly string[];
  /** Real paths that pods may mount by hostPath. */
  readonly hostPaths: readonly string[];
  /** Manifests of static pods; undefined: none. */
  readonly staticPods: string | undefined;
  /** How to start the process inside: the program and what comes before its own arguments. */
  readonly insideCommand: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (problem: Problem) => void;
}

export interface RunningNode {
  /** Resolves when the node ended by itself, with the reason. */
  readonly failed: Promise<Error>;
  /** Lets go of the node: what runs goes on, for an agent that comes after. */
  leave(): Promise<void>;
  /** Ends all pods' processes and the process inside; nothing is left but logs and claims. */
  end(): Promise<void>;
}

/** Resolves once the Node is registered and the process inside is there. Rejects with one line that names what is missing and the mend. */
export function startNode(_options: NodeOptions): Promise<RunningNode> {
  return Promise.reject(new Error('a real node is not built yet'));
}
