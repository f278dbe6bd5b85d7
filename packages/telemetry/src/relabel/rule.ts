import type { RelabelConfig } from '../resources/fields.ts';

/** One relabelling step as Prometheus, the Grafana Agent and Promtail read it; fields in the order in which they are written. */
export interface RelabelRule {
  readonly source_labels?: readonly string[];
  readonly separator?: string;
  readonly target_label?: string;
  readonly regex?: string;
  readonly modulus?: number;
  readonly replacement?: string;
  /** Lower case; `replace` when absent. */
  readonly action?: string;
}

/**
 * A rule from a custom resource. An empty `separator` or `replacement` that is spelled out means an empty text; other
 * empty fields count as absent.
 */
export function toRelabelRule(config: RelabelConfig): RelabelRule {
  const { sourceLabels, separator, targetLabel, regex, modulus, replacement, action } = config;
  return {
    ...(sourceLabels !== undefined && sourceLabels.length > 0 && { source_labels: sourceLabels }),
    ...(separator !== undefined && { separator }),
    ...(targetLabel !== undefined && targetLabel !== '' && { target_label: targetLabel }),
    ...(regex !== undefined && regex !== '' && { regex }),
    ...(modulus !== undefined && modulus !== 0 && { modulus }),
    ...(replacement !== undefined && { replacement }),
    ...(action !== undefined && action !== '' && { action: action.toLowerCase() }),
  };
}

/** A label name as Prometheus' service discovery spells it: what is no letter, digit or underscore becomes an underscore. */
export function labelName(text: string): string {
  return text.replace(/[^a-zA-Z0-9_]/g, '_');
}

/** Copies labels, joined by `;`. */
export function copy(from: string | readonly string[], to: string): RelabelRule {
  return { source_labels: listOf(from), target_label: to };
}

/** Copies a label unless it is empty. */
export function copyIfSet(from: string, to: string): RelabelRule {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the replacement of a relabelling rule.
  return { source_labels: [from], target_label: to, regex: '(.+)', replacement: '${1}' };
}

/** Sets a label to a fixed text. */
export function constant(to: string, text: string): RelabelRule {
  return { target_label: to, replacement: text };
}

export function keep(from: string | readonly string[], regex: string): RelabelRule {
  return { source_labels: listOf(from), regex, action: 'keep' };
}

export function drop(from: string | readonly string[], regex: string): RelabelRule {
  return { source_labels: listOf(from), regex, action: 'drop' };
}

function listOf(from: string | readonly string[]): readonly string[] {
  return typeof from === 'string' ? [from] : from;
}
