import type { ComponentOptions } from '@signalbox/telemetry';

/** What an operator is told of all that it makes and looks after, on its command line. */
export interface ComponentFlags {
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Undefined: all GrafanaAgents. */
  readonly agentSelector: string | undefined;
}

export function componentOptions({ labels, agentSelector }: ComponentFlags): ComponentOptions {
  return { ...(labels !== undefined && { labels }), ...(agentSelector !== undefined && { agentSelector }) };
}
