import { type Component, createClient, type Platform, runWithLease } from '@signalbox/cluster';
import { createTelemetryOperator, type RootComponent } from '@signalbox/telemetry';
import type { Io } from '../io.ts';
import { operatorLease } from '../lease.ts';

/** One identity for all runs of this cluster: after a crash the next run goes on at once with the lease of the last. */
const identity = 'signalbox-up';

export interface EmbeddedOperatorOptions {
  readonly components: readonly RootComponent[];
  readonly io: Io;
  /** Settles when the operator may begin: its resources have to be served first. */
  readonly mayBegin: Promise<void>;
}

/** The operator as a part of the plane. */
export function embeddedOperator(platform: Platform, { mayBegin, ...options }: EmbeddedOperatorOptions): Component {
  return delayed(operator(platform, options), mayBegin);
}

/** Takes part in the election, so that an operator that is pointed at this cluster from outside waits. */
function operator(platform: Platform, { components, io }: Omit<EmbeddedOperatorOptions, 'mayBegin'>): Component {
  const part = createTelemetryOperator(platform, { components });
  const { transport, report } = platform;
  const { clock, random } = io;
  const lease = {
    ...operatorLease,
    client: createClient(transport, { name: 'system:serviceaccount:kube-system:signalbox-operator', groups: [] }),
    clock,
    random,
    identity,
    report: (message: string, error?: unknown) => {
      if (error !== undefined || !message.startsWith(identity)) report({ component: part.name, message, error });
    },
  };
  return { name: part.name, run: ({ signal }) => runWithLease(lease, (holding) => part.run(holding), { signal }) };
}

/** Begins once `mayBegin` settles; an end that comes before it ends it, too. */
function delayed(component: Component, mayBegin: Promise<void>): Component {
  return {
    name: component.name,
    async run({ signal }) {
      const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      await Promise.race([mayBegin, ended]);
      if (!signal.aborted) await component.run({ signal });
    },
  };
}
