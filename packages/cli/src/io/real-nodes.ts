import type { NodeOptions, RunningNode } from '@signalbox/node';

/** Nodes whose pods are processes of this machine. */
export interface RealNodes {
  /** What keeps this machine from having one, each with the mend; none: it can. */
  lacks(): Promise<readonly string[]>;
  /** At which pods reach the node and, through it, the API server. */
  address(): Promise<string>;
  /** Rejects with one line that names what is missing and the mend. */
  start(options: RealNodeStart): Promise<RunningNode>;
  /** Ends what a node of that folder has left running, when nobody looks after it any more. False: there was nothing. */
  endLeftIn(folder: string): Promise<boolean>;
}

/** How the process inside is started follows from how this one was. */
export type RealNodeStart = Omit<NodeOptions, 'insideCommand' | 'reloader'>;
