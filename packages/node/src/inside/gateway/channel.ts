/** What is said between the process inside and the gateway, by the channel of a child process. */
import type { ServiceTable, SimulatedTable, Zone } from '../../protocol/network.ts';
import type { GatewayPlan } from './network.ts';

export interface GatewaySettings {
  readonly plan: GatewayPlan;
  /** The folder of the agent's doors. */
  readonly doors: string;
}

/** Each replaces what was told before. */
export interface Told {
  readonly services: ServiceTable;
  readonly zone: Zone;
  readonly simulated: SimulatedTable;
}

export type Subject = keyof Told;

export type ToGateway = {
  readonly [Each in Subject]: { readonly number: number; readonly subject: Each; readonly value: Told[Each] };
}[Subject];

export type FromGateway =
  | { readonly is: 'ready' }
  /** What was told holds; or why it does not. */
  | { readonly is: 'done'; readonly number: number; readonly error?: string }
  | { readonly is: 'report'; readonly message: string };
