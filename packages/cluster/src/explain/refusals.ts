/** What helps against what the API says no with. Empty where nobody can know. */
export function refusalMend(message: string): string {
  if (message.includes('exceeded quota')) return 'raise the ResourceQuota, or request less';
  if (message.includes('failed quota'))
    return 'set the requests or limits that the ResourceQuota asks for, e.g. by a LimitRange';
  if (message.includes('violates PodSecurity')) return 'mend the template, or the level of the namespace';
  if (message.includes('admission webhook')) return 'mend what the webhook names, or the webhook';
  if (message.includes('error looking up service account')) return 'create the service account';
  if (message.includes('is being terminated')) return 'the namespace is being deleted: use another one';
  return '';
}
