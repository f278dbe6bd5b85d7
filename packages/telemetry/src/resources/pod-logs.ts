import { type LabelSelector, type ResourceType, resourceType, type StoredMeta } from '@signalbox/cluster';
import type { NamespaceSelector, RelabelConfig } from './fields.ts';

export const podlogs: ResourceType<PodLogs> = resourceType({
  group: 'monitoring.grafana.com',
  version: 'v1alpha1',
  resource: 'podlogs',
  kind: 'PodLogs',
  namespaced: true,
});

/** Tails the logs of the Pods that `selector` finds. */
export interface PodLogs {
  readonly apiVersion: 'monitoring.grafana.com/v1alpha1';
  readonly kind: 'PodLogs';
  readonly metadata: StoredMeta;
  readonly spec: PodLogsSpec;
}

export interface PodLogsSpec {
  readonly selector: LabelSelector;
  readonly namespaceSelector?: NamespaceSelector;
  /** The Pod's label whose value becomes the `job` label. */
  readonly jobLabel?: string;
  readonly podTargetLabels?: readonly string[];
  readonly pipelineStages?: readonly PipelineStage[];
  readonly relabelings?: readonly RelabelConfig[];
}

/** One step of a log pipeline: the members name the step; more than one per entry is allowed but unwise. */
export interface PipelineStage {
  readonly cri?: object;
  readonly docker?: object;
  readonly drop?: {
    readonly source?: string;
    readonly expression?: string;
    readonly value?: string;
    readonly olderThan?: string;
    readonly longerThan?: string;
    readonly dropCounterReason?: string;
  };
  readonly json?: { readonly expressions?: Readonly<Record<string, string>>; readonly source?: string };
  readonly labelAllow?: readonly string[];
  readonly labelDrop?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly limit?: { readonly rate?: number; readonly burst?: number; readonly drop?: boolean };
  readonly match?: {
    readonly selector: string;
    /** A YAML list of stages, spelled as in this resource. */
    readonly stages?: string;
    readonly action?: string;
    readonly pipelineName?: string;
    readonly dropCounterReason?: string;
  };
  readonly metrics?: Readonly<Record<string, LogMetric>>;
  readonly multiline?: { readonly firstLine: string; readonly maxWaitTime?: string; readonly maxLines?: number };
  readonly output?: { readonly source: string };
  readonly pack?: { readonly labels: readonly string[]; readonly ingestTimestamp?: boolean };
  readonly regex?: { readonly expression: string; readonly source?: string };
  readonly replace?: { readonly expression: string; readonly source?: string; readonly replace?: string };
  readonly template?: { readonly source: string; readonly template: string };
  readonly tenant?: { readonly label?: string; readonly source?: string; readonly value?: string };
  readonly timestamp?: {
    readonly source: string;
    readonly format: string;
    readonly fallbackFormats?: readonly string[];
    readonly location?: string;
    readonly actionOnFailure?: string;
  };
}

export interface LogMetric {
  readonly type: string;
  readonly action: string;
  readonly description?: string;
  readonly prefix?: string;
  readonly source?: string;
  readonly maxIdleDuration?: string;
  readonly matchAll?: boolean;
  readonly countEntryBytes?: boolean;
  readonly value?: string;
  /** Numbers as text. */
  readonly buckets?: readonly string[];
}
