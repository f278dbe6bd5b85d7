import type { EgressTarget } from './egress.ts';

/** Where connections to a service go. One entry for each address and port that somebody may connect to. */
export interface ServiceTable {
  readonly ports: readonly ServicePort[];
}

export interface ServicePort {
  readonly protocol: 'TCP' | 'UDP';
  /** A cluster IP, or the node's address for a NodePort. */
  readonly address: string;
  readonly port: number;
  /** Ready ones; none: connections are refused at once. */
  readonly backends: readonly Backend[];
  /** How long a client keeps its backend; undefined: each connection gets any. */
  readonly affinitySeconds?: number;
  /** For messages: `default/web:http`. */
  readonly of: string;
}

export type Backend =
  | { readonly address: string; readonly port: number }
  /** The API server, which is outside of the network. */
  | { readonly api: true }
  /** Somewhere outside, which the agent finds and dials when it is on its list. */
  | { readonly egress: EgressTarget };

/** All names of the cluster's domain, but those of pods by their addresses; and of others, those that egress leads to. */
export interface Zone {
  readonly domain: string;
  readonly records: readonly NameRecord[];
}

export type NameRecord = { readonly name: string; readonly ttlSeconds: number } & (
  | { readonly type: 'A' | 'AAAA'; readonly address: string }
  | { readonly type: 'CNAME'; readonly target: string }
  | {
      readonly type: 'SRV';
      readonly target: string;
      readonly port: number;
      readonly priority: number;
      readonly weight: number;
    }
  /** `name` is the address turned round, `7.0.64.10.in-addr.arpa`. */
  | { readonly type: 'PTR'; readonly target: string }
);

/** Pods of the simulated fleet that answer inside the network, at their own addresses. */
export interface SimulatedTable {
  readonly pods: readonly SimulatedPod[];
}

export interface SimulatedPod {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly address: string;
  /** TCP. */
  readonly ports: readonly number[];
  /** Since when its counters grow. */
  readonly startedMs: number;
  /** How many it shows besides what every one does. */
  readonly series: number;
}
