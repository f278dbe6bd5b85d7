import { compileGoRegex } from '../../../../relabel/go-regex.ts';
import { keep, type RelabelRule } from '../../../../relabel/rule.ts';
import type { Place } from '../../../../scrape/checks.ts';

/*
 * The log agent may read every file of its node and of its own container, and tails what `__path__` says: a pattern of
 * files. Whatever rules a tenant writes, only logs of pods that he may discover are to come out.
 */

export const pathLabel = '__path__';
const podLogsFolder = '/var/log/pods/';

/** How the kubelet files the logs of a container: `NAMESPACE_POD_UID/CONTAINER/N.log`. */
const containerPathRule: RelabelRule = {
  source_labels: ['__meta_kubernetes_pod_uid', '__meta_kubernetes_pod_container_name'],
  separator: '/',
  target_label: pathLabel,
  replacement: `${podLogsFolder}*$1/*.log`,
};

/**
 * A name or a pattern of names. Of a pattern, Promtail looks for names in one folder, and `..` is never among them; where
 * it is spelled out, or hidden in braces or brackets, the path leads anywhere.
 */
const part = String.raw`(?:\.?[\w*?-])+`;

/** What a path may be. Undefined namespaces: any. */
export function podPaths(namespaces: readonly string[] | undefined): string {
  // A namespace never holds an underscore, so a pod cannot pass for one of another namespace.
  const names = namespaces?.filter((name) => /^[a-z0-9-]+$/.test(name)).join('|');
  return `${podLogsFolder}${names === undefined ? '' : `(?:${names})_`}${part}(?:/${part})+`;
}

/** Puts the namespace in front of a pattern of pods of all namespaces, such as the one that we set ourselves. */
export const namespaceRule: RelabelRule = {
  source_labels: ['__meta_kubernetes_namespace', pathLabel],
  separator: '_',
  target_label: pathLabel,
  regex: String.raw`([a-z0-9-]+_)${podLogsFolder}(\*.*)`,
  replacement: `${podLogsFolder}$1$2`,
};

/**
 * The rules that say what is tailed, around a tenant's own. Where those cannot change the path, ours needs no guard. Every
 * label is his to write, also those that ours are made from, so the last word goes by what the path says.
 */
export function pathRules(
  own: readonly RelabelRule[],
  namespaces: readonly string[] | undefined,
): readonly RelabelRule[] {
  if (!own.some(mayWritePath)) return [containerPathRule, ...own];
  const qualified = namespaces === undefined ? [] : [namespaceRule];
  return [containerPathRule, ...qualified, ...own, ...qualified, keep(pathLabel, podPaths(namespaces))];
}

const writesNothing: ReadonlySet<string> = new Set([
  'keep',
  'drop',
  'keepequal',
  'dropequal',
  'labeldrop',
  'labelkeep',
]);

function mayWritePath({ action = 'replace', target_label = '', replacement = '$1' }: RelabelRule): boolean {
  if (writesNothing.has(action)) return false;
  const target = action === 'labelmap' ? replacement : target_label;
  return target === pathLabel || target.includes('$');
}

/** Tells the owner of a rule whose every target is dropped. */
export function warnOfPaths(
  rules: readonly RelabelRule[],
  { leaf, at, namespaces }: Place & { readonly namespaces: readonly string[] | undefined },
): void {
  rules.forEach(({ action = 'replace', target_label, replacement = '$1' }, index) => {
    if (action !== 'replace' || target_label !== pathLabel || replacement === '' || mayPass(replacement, namespaces))
      return;
    const where = namespaces === undefined ? podLogsFolder : `${podLogsFolder}{${namespaces.join(',')}}_`;
    leaf.warn(
      'FileAccessDenied',
      `${at}[${index}].replacement`,
      `only logs of pods are read, below ${where}…: targets with this path are dropped`,
    );
  });
}

function mayPass(replacement: string, namespaces: readonly string[] | undefined): boolean {
  const [start = ''] = replacement.split('$');
  if (start !== replacement) return start.startsWith(podLogsFolder) || podLogsFolder.startsWith(start);
  return replacement.startsWith(`${podLogsFolder}*`) || isPodPath(replacement, namespaces);
}

export function isPodPath(path: string, namespaces: readonly string[] | undefined): boolean {
  return compileGoRegex(podPaths(namespaces)).regex.matches(path);
}
