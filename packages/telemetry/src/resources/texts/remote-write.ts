import type { Texts } from './texts.ts';

/** Where metrics are sent to. */
export const remoteWriteTexts: Texts = {
  remoteWrite: {
    azureAd: 'Logs in at Azure with one identity. Not together with another login.',
    bearerToken: 'A token as plain text. Readable by whoever may read this object: prefer a Secret.',
    bearerTokenFile: 'A file of the container that holds a token. Read again when it changes.',
    headers: 'More headers of every request. Those that the protocol sets itself are refused.',
    messageVersion: 'Version of the protocol, V1.0 (default) or V2.0. The receiver must speak it.',
    metadataConfig: 'Whether type, unit and help of metrics are sent, and how often.',
    name: 'What its own metrics call it. Must be unique among those of one root. Default: a hash of its settings.',
    queueConfig: 'How samples wait, and in what portions they go.',
    remoteTimeout: 'How long one request may take. Default 30s.',
    roundRobinDNS: 'Whether every request goes to the next of the addresses that a name has. Default false.',
    sendExemplars: 'Whether exemplars are sent along. Default false; needs the feature exemplar-storage.',
    sendNativeHistograms: 'Whether native histograms are sent along. Default false.',
    sigv4: 'Signs requests as AWS wants it. Empty: with what the environment holds. Not together with another login.',
    url: 'Where samples are sent to.',
    writeRelabelConfigs: 'Rules for what is sent: samples that one drops stay here only.',
  },
  queueConfig: {
    batchSendDeadline: 'How long a portion that is not full may wait. Default 5s.',
    capacity: 'How many samples wait in each queue before reading of the log stops. Default 10000.',
    maxBackoff: 'The longest pause after a failure. Default 5s.',
    maxRetries: 'Has no effect: failures that may pass are tried again without end.',
    maxSamplesPerSend: 'How many samples one request has at most. Default 2000.',
    maxShards: 'How many queues send at once at most. Default 50. Not the shards of a root.',
    minBackoff: 'The first pause after a failure; it doubles with each. Default 30ms.',
    minShards: 'How many queues send at once at least. Default 1. Not the shards of a root.',
    retryOnRateLimit: 'Whether a 429 is tried again. Default false: those samples are lost.',
    sampleAgeLimit: 'How old samples may be and still be sent. Default: any age.',
  },
  'GrafanaAgent.spec.metrics.remoteWrite.queueConfig, MetricsInstance.spec.remoteWrite.queueConfig': {
    retryOnRateLimit: 'Has no effect: the agent decides it by itself.',
  },
  metadataConfig: {
    maxSamplesPerSend: 'How many metrics one request describes at most. Default 2000.',
    send: 'Whether they are sent. Of a Prometheus, V2.0 of the protocol always sends them with the samples.',
    sendInterval: 'How often. Default 1m.',
  },
  sigv4: {
    accessKey: 'The key of a Secret that holds the access key. Goes with secretKey.',
    externalId: "What the role's owner asks for besides. Goes with roleArn.",
    profile: 'Which profile of the credentials file.',
    region: 'The region. Default: that of the environment.',
    roleARN: 'A role to take on.',
    roleArn: 'A role to take on.',
    secretKey: 'The key of a Secret that holds the secret key. Goes with accessKey.',
    useFIPSSTSEndpoint: 'Whether tokens come from the endpoint that follows FIPS. Default false.',
  },
  azureAd: {
    cloud: 'AzurePublic (default), AzureChina or AzureGovernment.',
    managedIdentity: 'The identity of the machine or pod. One of four.',
    oauth: 'An application with a secret. One of four.',
    scope: "What the token is for. Default: Azure's own of Prometheus in that cloud.",
    sdk: "Whatever Azure's library finds. One of four.",
    workloadIdentity: 'The identity of the service account. One of four.',
  },
  'azureAd.managedIdentity': {
    clientId: 'Which of several identities, as a UUID. May be left out from Prometheus 3.5 on.',
  },
  'azureAd.oauth': {
    clientId: 'The application, as a UUID.',
    clientSecret: "The key of a Secret that holds the application's secret.",
    tenantId: 'The tenant that the application is in.',
  },
  'azureAd.sdk': { tenantId: 'Which tenant. Default: that of the environment.' },
  'azureAd.workloadIdentity': {
    clientId: 'The identity, as a UUID.',
    tenantId: 'The tenant that the identity is in, as a UUID.',
  },
};
