import { type LabelSelector, type ResourceType, resourceType, type StoredMeta } from '@signalbox/cluster';
import type { CommonPrometheusSpec, PrometheusStatus } from './prometheus-fields.ts';

export const prometheuses: ResourceType<Prometheus> = resourceType({
  group: 'monitoring.coreos.com',
  version: 'v1',
  resource: 'prometheuses',
  kind: 'Prometheus',
  namespaced: true,
});

/** A sharded Prometheus with its own storage. */
export interface Prometheus {
  readonly apiVersion: 'monitoring.coreos.com/v1';
  readonly kind: 'Prometheus';
  readonly metadata: StoredMeta;
  readonly spec: PrometheusSpec;
  readonly status?: PrometheusStatus;
}

export interface PrometheusSpec extends CommonPrometheusSpec {
  readonly retention?: string;
  readonly retentionSize?: string;
  readonly shardRetentionPolicy?: ShardRetentionPolicy;
  readonly disableCompaction?: boolean;
  readonly evaluationInterval?: string;
  readonly ruleQueryOffset?: string;
  readonly ruleSelector?: LabelSelector;
  readonly rules?: {
    readonly alert?: {
      readonly forOutageTolerance?: string;
      readonly forGracePeriod?: string;
      readonly resendDelay?: string;
    };
  };
  readonly query?: {
    readonly lookbackDelta?: string;
    readonly maxConcurrency?: number;
    readonly maxSamples?: number;
    readonly timeout?: string;
  };
  readonly exemplars?: { readonly maxSize?: number };
  readonly enableAdminAPI?: boolean;
  /** A path, or the name of a file in a volume of its own. */
  readonly queryLogFile?: string;
  /** Deprecated; `image` wins over all three. */
  readonly baseImage?: string;
  readonly tag?: string;
  readonly sha?: string;
}

/** What becomes of a shard that a scale-down removes. */
export interface ShardRetentionPolicy {
  /** `Delete` (default) or `Retain`. */
  readonly whenScaled?: string;
  readonly retain?: {
    /** A Prometheus duration. Absent: the retention of the data; `0`: for ever. */
    readonly retentionPeriod?: string;
  };
}
