import type { Texts } from './texts.ts';

/** What finds targets: ServiceMonitor, PodMonitor and Probe. */
export const monitorTexts: Texts = {
  ServiceMonitor: {
    '': 'A ServiceMonitor has the pods behind services scraped. Roots and instances take it up by their selectors.',
  },
  PodMonitor: { '': 'A PodMonitor has pods scraped. Roots and instances take it up by their selectors.' },
  Probe: {
    '': 'A Probe has a prober (such as the blackbox exporter) look at addresses. Roots and instances take it up by their selectors.',
  },
  '*': {
    bodySizeLimit:
      'The largest answer of a target, such as 10MB; a larger one fails the scrape. Default: as the root says.',
    convertClassicHistogramsToNHCB:
      'Whether classic histograms are stored as native ones with custom buckets. Default: as the root says.',
    fallbackScrapeProtocol: 'How an answer is read whose Content-Type is missing or wrong. Default: the scrape fails.',
    keepDroppedTargets: 'How many dropped targets are remembered for display. Default: as the root says.',
    labelLimit: 'How many labels a series may have; one more fails the scrape. Default: as the root says.',
    labelNameLengthLimit:
      'How long names of labels may be, in bytes; a longer one fails the scrape. Default: as the root says.',
    labelValueLengthLimit:
      'How long values of labels may be, in bytes; a longer one fails the scrape. Default: as the root says.',
    nativeHistogramBucketLimit:
      'How many buckets a native histogram may have before its resolution is halved. Default: any number.',
    nativeHistogramMinBucketFactor:
      'How far apart buckets of native histograms are at least; finer ones are merged. Default: as they come.',
    sampleLimit:
      'How many samples a target may have after relabelling; one more fails the scrape. Default: as the root says.',
    scrapeClass: "Which of the root's scrapeClasses holds. Default: the default one, if there is one.",
    scrapeClassicHistograms:
      'Whether classic buckets are kept of histograms that are native as well. Default: as the root says.',
    scrapeNativeHistograms: 'Whether native histograms are stored. Default: as the root says.',
    scrapeProtocols: "Which formats are asked for, the most wanted first. Default: Prometheus' own order.",
    targetLimit: 'How many targets a job may have; with more, none is scraped. Default: as the root says.',
  },
  'ServiceMonitor.spec, PodMonitor.spec': {
    attachMetadata: 'What of the node is known to relabelling.',
    selectorMechanism: 'RelabelConfig (default) drops what does not match; RoleSelector has the API server select.',
    podTargetLabels: 'Labels of the pod that its series get.',
    namespaceSelector: 'Where it looks. Default: its own namespace.',
  },
  attachMetadata: { node: "Whether labels and annotations of the pod's node are there. Default false." },
  'ServiceMonitor.spec': {
    endpoints: 'What is scraped of each: a job for every entry.',
    jobLabel: 'The label of the service whose value becomes job. Default: the name of the service.',
    selector: 'Which services. Empty: all.',
    serviceDiscoveryRole: 'Endpoints or EndpointSlice. Default: as the root says.',
    targetLabels: 'Labels of the service that its series get.',
  },
  'PodMonitor.spec': {
    jobLabel: 'The label of the pod whose value becomes job. Default: namespace/name of this object.',
    podMetricsEndpoints: 'What is scraped of each: a job for every entry.',
    selector: 'Which pods. Empty: all.',
  },
  'endpoints, podMetricsEndpoints': {
    bearerTokenSecret: 'The key of a Secret that holds a token.',
    filterRunning: 'Whether pods that have ended are left out. Default true; with a GrafanaAgent false.',
    honorLabels:
      'Whether labels of the target win over those found for it. Default false: theirs become exported_NAME.',
    honorTimestamps: 'Whether times that the target states are taken. Default true.',
    interval: "How often. Default: the root's scrapeInterval.",
    metricRelabelings: 'Rules for samples, before they are stored.',
    params: 'Parameters of the request.',
    path: 'The path. Default /metrics.',
    relabelings: 'Rules for targets, after those that the operator makes.',
    scheme: 'http (default) or https.',
    scrapeTimeout: "How long a scrape may take, at most the interval. Default: the root's scrapeTimeout.",
    trackTimestampsStaleness:
      'Whether series with times of their own go stale when they are no longer there. Default false.',
  },
  endpoints: {
    bearerTokenFile: 'A file of the container that holds a token. Refused where the root denies access to files.',
    port: "Name of the service's port.",
    targetPort: "Name or number of the container's port, where port is not given.",
  },
  podMetricsEndpoints: {
    port: "Name of the container's port. One of port, portNumber and targetPort.",
    portNumber: "Number of the container's port.",
    targetPort: "Name or number of the container's port. Older than port and portNumber, which win.",
  },
  'Probe.spec': {
    bearerTokenSecret: 'The key of a Secret that holds a token for the prober.',
    interval: "How often. Default: the root's scrapeInterval.",
    jobName: 'What the label job says. Default: probe/namespace/name.',
    metricRelabelings: 'Rules for samples, before they are stored.',
    module: 'Which module of the prober looks. Becomes the parameter module.',
    params: 'More parameters of the request. A Prometheus takes module rather than a parameter of that name.',
    prober: 'Who looks.',
    scrapeTimeout: "How long it may take, at most the interval. Default: the root's scrapeTimeout.",
    targets: 'What is looked at: staticConfig or ingress. With both, staticConfig.',
  },
  'Probe.spec.params': { name: 'The parameter.', values: 'Its values.' },
  prober: {
    path: 'The path. Default /probe.',
    scheme: 'http (default) or https.',
    url: 'Host, or host and port, without scheme and path.',
  },
  'Probe.spec.targets': {
    ingress: 'The hosts and paths of ingresses.',
    staticConfig: 'Addresses that are written here.',
  },
  'Probe.spec.targets.ingress': {
    namespaceSelector: 'Where it looks. Default: its own namespace.',
    relabelingConfigs: 'Rules for targets, after those that the operator makes.',
    selector: 'Which ingresses.',
  },
  'Probe.spec.targets.staticConfig': {
    labels: 'Labels that their series get.',
    relabelingConfigs: 'Rules for targets, after those that the operator makes.',
    static: 'The addresses.',
  },
};
