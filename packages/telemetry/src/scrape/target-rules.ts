import { freeze } from '@signalbox/cluster';
import { copy, keep, type RelabelRule } from '../relabel/rule.ts';
import type { ScrapeEndpoint } from '../resources/fields.ts';

/** Rules that the jobs of all kinds of monitors have in common, for all agents. */

/** The name by which other rules find the job, whatever the monitor makes of `job`. */
export const jobNameRule: RelabelRule = freeze(copy('job', '__tmp_prometheus_job_name'));

/** Which ports are scraped; `portLabel` holds the name by which discovery knows them. None given: all of them. */
export function portRules(
  { port, portNumber, targetPort }: ScrapeEndpoint & { readonly portNumber?: number },
  portLabel: string,
): readonly RelabelRule[] {
  const number = '__meta_kubernetes_pod_container_port_number';
  if (port) return [keep(portLabel, port)];
  if (portNumber) return [keep(number, String(portNumber))];
  if (typeof targetPort === 'string' && targetPort !== '')
    return [keep('__meta_kubernetes_pod_container_port_name', targetPort)];
  return targetPort ? [keep(number, String(targetPort))] : [];
}
