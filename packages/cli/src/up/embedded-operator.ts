import { type Component, createClient, type Identity, type Platform, runWithLease } from '@signalbox/cluster';
import { createTelemetryOperator, type RootComponent, withSimulatedAgents } from '@signalbox/telemetry';
import { operatorLease } from '../io/lease.ts';

/** One identity for all runs of this cluster: after a crash the next run goes on at once with the lease of the last. */
const identity = 'signalbox-up';

export interface EmbeddedOperatorOptions {
  readonly components: readonly RootComponent[];
  /** Whom it acts as. */
  readonly acts: Identity;
}

/** The operator as a part of the plane. Takes part in the election, so that one that is pointed here from outside waits. */
export function embeddedOperator(
  platform: Platform,
  { components, acts: { user } }: EmbeddedOperatorOptions,
): Component {
  const part = createTelemetryOperator(withSimulatedAgents(platform, components), { components, user });
  const { transport, report, clock, random } = platform;
  const lease = {
    ...operatorLease,
    client: createClient(transport, user),
    clock,
    random,
    identity,
    report: (message: string, error?: unknown) => {
      if (error !== undefined || !message.startsWith(identity)) report({ component: part.name, message, error });
    },
  };
  return { name: part.name, run: ({ signal }) => runWithLease(lease, (holding) => part.run(holding), { signal }) };
}
