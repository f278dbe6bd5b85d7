import type { Texts } from './texts.ts';

/** ScrapeConfig: a job in the owner's own words. */
export const scrapeConfigTexts: Texts = {
  ScrapeConfig: {
    '': 'A ScrapeConfig is one job with its own discovery, also of what is outside the cluster. Prometheus and PrometheusAgent take it up by their selectors.',
  },
  'ScrapeConfig.spec': {
    azureSDConfigs: 'Machines of Azure.',
    consulSDConfigs: 'Services of Consul.',
    digitalOceanSDConfigs: 'Machines of DigitalOcean.',
    dnsSDConfigs: 'Records of a name server.',
    dockerSDConfigs: 'Containers of a Docker daemon.',
    dockerSwarmSDConfigs: 'Services, tasks or nodes of Docker Swarm.',
    ec2SDConfigs: 'Machines of AWS EC2.',
    enableCompression: 'Whether compressed answers are asked for. Default true.',
    eurekaSDConfigs: 'Applications of Eureka.',
    fileSDConfigs: 'Targets from files of the container. Somebody must mount them.',
    gceSDConfigs: 'Machines of Google Compute Engine.',
    hetznerSDConfigs: 'Machines of Hetzner.',
    honorLabels:
      'Whether labels of the target win over those found for it. Default false: theirs become exported_NAME.',
    honorTimestamps: 'Whether times that the target states are taken. Default true.',
    httpSDConfigs: 'Targets from a web server.',
    ionosSDConfigs: 'Machines of IONOS.',
    jobName: 'What the label job says. Default: scrapeConfig/namespace/name.',
    kubernetesSDConfigs: 'Objects of a Kubernetes API.',
    kumaSDConfigs: 'Proxies of Kuma.',
    lightSailSDConfigs: 'Machines of AWS Lightsail.',
    linodeSDConfigs: 'Machines of Linode.',
    metricRelabelings: 'Rules for samples, before they are stored.',
    metricsPath: 'The path. Default /metrics.',
    nameEscapingScheme: 'How names with characters outside the old alphabet are asked for.',
    nameValidationScheme: 'Which names of metrics and labels are taken: UTF8 or Legacy.',
    nomadSDConfigs: 'Services of Nomad.',
    openstackSDConfigs: 'Machines of OpenStack.',
    ovhcloudSDConfigs: 'Machines of OVHcloud.',
    params: 'Parameters of the request.',
    puppetDBSDConfigs: 'Resources of PuppetDB.',
    relabelings: "Rules for targets. The root's sharding comes after them.",
    scalewaySDConfigs: 'Machines of Scaleway.',
    scheme: 'http (default) or https.',
    scrapeInterval: "How often. Default: the root's scrapeInterval.",
    scrapeTimeout: "How long a scrape may take, at most the interval. Default: the root's scrapeTimeout.",
    staticConfigs: 'Targets that are written here.',
    trackTimestampsStaleness:
      'Whether series with times of their own go stale when they are no longer there. Default false.',
  },
  staticConfigs: { labels: 'Labels that their series get.', targets: 'Addresses, host:port.' },
  fileSDConfigs: {
    files: 'Paths that end in .json, .yml or .yaml; the last part may have a star.',
    refreshInterval: 'How often they are read besides when they change. Default 5m.',
  },
  httpSDConfigs: {
    refreshInterval: 'How often. Default 1m.',
    url: 'Where the list is; begins with http:// or https://.',
  },
  kubernetesSDConfigs: {
    apiServer: "Address of the API server. Default: that of the pod's cluster; the fields about the request need it.",
    attachMetadata: 'What of the node is known to relabelling. For Pod, Endpoints and EndpointSlice.',
    namespaces: 'Where it looks. Default: everywhere.',
    role: 'What makes a target: Node, Pod, Service, Endpoints, EndpointSlice or Ingress.',
    selectors: 'Which objects, by the API server. One for each role that it reads.',
  },
  'kubernetesSDConfigs.namespaces': {
    names: 'Names of the namespaces.',
    ownNamespace: 'Whether that of the Prometheus counts as well. Not with apiServer.',
  },
  'kubernetesSDConfigs.selectors': {
    field: 'Conditions on fields, such as spec.nodeName=a.',
    label: 'Conditions on labels, such as app=a.',
    role: 'Which objects it selects: of what the outer role reads.',
  },
};
