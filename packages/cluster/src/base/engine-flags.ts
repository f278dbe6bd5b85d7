/** Flags of V8 that are set while a process runs. They are set here alone, so that they can be taken back for a moment. */
import { setFlagsFromString } from 'node:v8';

export interface EngineFlag {
  /** `--no-wasm-tier-up` */
  readonly set: string;
  /** What says the opposite, or the value that V8 begins with: `--wasm-tier-up` */
  readonly usual: string;
}

const setNow = new Map<EngineFlag['usual'], EngineFlag['set']>();

export function setEngineFlag({ set, usual }: EngineFlag): void {
  setFlagsFromString(set);
  setNow.set(usual, set);
}

/**
 * What `work` returns, with all flags as this process was started with. Compiled code is of use only to an engine that has the same
 * flags, and the next process begins with these.
 */
export function withUsualFlags<T>(work: () => T): T {
  for (const usual of setNow.keys()) setFlagsFromString(usual);
  try {
    return work();
  } finally {
    for (const set of setNow.values()) setFlagsFromString(set);
  }
}
