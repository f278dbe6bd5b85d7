/** Where metrics and logs go: `remoteWrite[]` and `clients[]` of GrafanaAgent and of its instances. */
export type { LogsClient, QueueConfig, RemoteWrite, SigV4 } from './generated/types.ts';
