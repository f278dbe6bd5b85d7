/** Which rules of admission a server has, by upstream's names. Pure. */

export const eventRateLimitName = 'EventRateLimit';
export const ownerReferencesName = 'OwnerReferencesPermissionEnforcement';

/** Those that are on by default, in upstream's order. */
export const defaultPlugins: readonly string[] = [
  ...['NamespaceLifecycle', 'LimitRanger', 'ServiceAccount', 'TaintNodesByCondition', 'PodSecurity', 'Priority'],
  ...['DefaultTolerationSeconds', 'DefaultStorageClass', 'StorageObjectInUseProtection', 'PersistentVolumeClaimResize'],
  ...['RuntimeClass', 'CertificateApproval', 'CertificateSigning', 'ClusterTrustBundleAttest'],
  ...['CertificateSubjectRestriction', 'DefaultIngressClass', 'PodTopologyLabels', 'MutatingAdmissionPolicy'],
  ...['MutatingAdmissionWebhook', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionWebhook', 'ResourceQuota'],
];

/** What may be asked for besides. NodeRestriction is part of what nodes may do, and always on. */
export type FurtherPlugin = typeof eventRateLimitName | typeof ownerReferencesName;
export const furtherPlugins: readonly FurtherPlugin[] = [eventRateLimitName, ownerReferencesName];

/** Upstream's that are not built here. */
const notBuilt: readonly string[] = [
  ...['AlwaysAdmit', 'AlwaysDeny', 'AlwaysPullImages', 'DenyServiceExternalIPs', 'ExtendedResourceToleration'],
  ...['ImagePolicyWebhook', 'LimitPodHardAntiAffinityTopology', 'NamespaceAutoProvision', 'NamespaceExists'],
  ...['PodNodeSelector', 'PodTolerationRestriction'],
];

const known: readonly string[] = [...defaultPlugins, ...furtherPlugins, ...notBuilt, 'NodeRestriction'].sort();

export interface AskedPlugins {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
}

export type PluginChoice =
  | { readonly is: 'chosen'; readonly without: readonly string[]; readonly further: readonly FurtherPlugin[] }
  /** Upstream's sentences, as far as it has one. */
  | { readonly is: 'refused'; readonly message: string };

/** What is asked for wins over the defaults; both ways at once is refused. */
export function choosePlugins({ enable, disable }: AskedPlugins): PluginChoice {
  const unknown = [
    ...enable.filter(isUnknown).map((name) => `enable-admission-plugins plugin ${JSON.stringify(name)} is unknown`),
    ...disable.filter(isUnknown).map((name) => `disable-admission-plugins plugin ${JSON.stringify(name)} is unknown`),
  ];
  const both = [...new Set(enable.filter((name) => disable.includes(name)))].sort();
  const overlapping = `[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`;
  const faults = [...unknown, ...(both.length > 0 ? [overlapping] : [])];
  if (faults.length > 0)
    return { is: 'refused', message: faults.length === 1 ? String(faults[0]) : `[${faults.join(', ')}]` };
  const lacking = enable.find((name) => notBuilt.includes(name));
  if (lacking !== undefined)
    return {
      is: 'refused',
      message: `enable-admission-plugins plugin "${lacking}" is nothing that Signalbox has; leave it out`,
    };
  return {
    is: 'chosen',
    without: disable.filter((name) => defaultPlugins.includes(name)),
    further: furtherPlugins.filter((name) => enable.includes(name)),
  };
}

function isUnknown(name: string): boolean {
  return !known.includes(name);
}
