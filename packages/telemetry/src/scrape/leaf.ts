import type { ConfigMapKeySelector, KubeObject, SecretKeySelector } from '@signalbox/cluster';
import type { LabelNames } from '../relabel/problem.ts';
import type { SecretOrConfigMap } from '../resources/fields.ts';
import type { Finding, Reference } from '../world/findings.ts';
import {
  configMapReference,
  describeMissing,
  eitherReference,
  type KeyReference,
  type Lookup,
  secretReference,
} from '../world/references.ts';
import { type AnyVariable, type Expansion, readings, settled } from './expansion.ts';
import { literal } from './yaml.ts';

/** What rendering needs to know about the Secrets and ConfigMaps of a hierarchy. */
export interface Vault {
  lookup(reference: KeyReference): Lookup;
  /** Where the agents find the reference's content as a file. */
  pathOf(reference: KeyReference): string;
}

/**
 * The rendering of one part of a hierarchy that stands or falls on its own: a monitor, a remote write. It collects what
 * is wrong with the part while the renderers walk through it, so that a broken part is left out and explained, and the
 * others never notice.
 */
export interface Leaf {
  /** Where its references look. */
  readonly namespace: string;
  /** What its agent takes for the name of a label. */
  readonly labelNames: LabelNames;
  readonly findings: readonly Finding[];
  /** Something is wrong enough to leave the part out. */
  readonly isRejected: boolean;
  /**
   * The content of a key, for fields that hold the secret itself, such that nothing in it is expanded. Missing: the part
   * is rejected.
   */
  secretValue(selector: SecretKeySelector | undefined, field: string): string | undefined;
  eitherValue(either: SecretOrConfigMap | undefined, field: string): string | undefined;
  /** The same, as it is: for what is read here and not written into a document. */
  secretText(selector: SecretKeySelector | undefined, field: string): string | undefined;
  eitherText(either: SecretOrConfigMap | undefined, field: string): string | undefined;
  /** The path under which the agent finds the key. */
  secretFile(selector: SecretKeySelector | undefined, field: string): string | undefined;
  eitherFile(either: SecretOrConfigMap | undefined, field: string): string | undefined;
  configMapFile(selector: ConfigMapKeySelector | undefined, field: string): string | undefined;
  /** What the agents may read for it: nothing else is worth a judgement. None: nobody knows before. */
  readings<T>(value: T): readonly T[];
  /** What of the part goes into a document: nothing in it is expanded but what the part may name. */
  settle<T>(value: T): T;
  /** A name that must differ from its neighbours', as the key of a map must: of a tenant's nothing is expanded. */
  settleName(name: string): string;
  reject(reason: string, field: string, message: string): void;
  warn(reason: string, field: string, message: string): void;
}

export interface LeafOptions {
  /** What a missing file does: monitors are left out; a remote write keeps its place and waits for the file. */
  readonly missingFile: 'reject' | 'warn';
  /** Which variables its texts may name; any: those that the administrator gives the pods. */
  readonly expansion: Expansion | AnyVariable;
  /** `legacy` when absent. */
  readonly labelNames?: LabelNames | undefined;
}

export function createLeaf(regarding: KubeObject, vault: Vault, options: LeafOptions): Leaf {
  const { missingFile, expansion, labelNames = 'legacy' } = options;
  const namespace = regarding.metadata.namespace ?? '';
  const findings: Finding[] = [];
  const add = (severity: Finding['severity'], reason: string, field: string, message: string): void => {
    findings.push({ severity, regarding, reason, field, message });
  };
  const missing = (
    reference: KeyReference,
    state: Reference['state'],
    field: string,
    severity: Finding['severity'],
  ) => {
    if (reference.optional) return;
    add(severity, `${reference.kind}Missing`, field, describeMissing(reference, state));
  };
  const text = (reference: KeyReference | undefined, field: string): string | undefined => {
    if (reference === undefined) return undefined;
    const found = vault.lookup(reference);
    if (found.state === 'found') return Buffer.from(found.bytes).toString('utf8');
    missing(reference, found.state, field, 'error');
    return undefined;
  };
  const file = (reference: KeyReference | undefined, field: string): string | undefined => {
    if (reference === undefined) return undefined;
    const { state } = vault.lookup(reference);
    if (state === 'found') return vault.pathOf(reference);
    missing(reference, state, field, missingFile === 'reject' ? 'error' : 'warning');
    return reference.optional ? undefined : vault.pathOf(reference);
  };
  return {
    namespace,
    labelNames,
    findings,
    get isRejected() {
      return findings.some(({ severity }) => severity === 'error');
    },
    secretValue: (selector, field) => asValue(text(secretReference(selector, namespace), field)),
    eitherValue: (either, field) => asValue(text(eitherReference(either, namespace), field)),
    secretText: (selector, field) => text(secretReference(selector, namespace), field),
    eitherText: (either, field) => text(eitherReference(either, namespace), field),
    secretFile: (selector, field) => file(secretReference(selector, namespace), field),
    eitherFile: (either, field) => file(eitherReference(either, namespace), field),
    configMapFile: (selector, field) => file(configMapReference(selector, namespace), field),
    readings: (value) => readings(value, expansion),
    settle: (value) => (typeof expansion === 'string' ? value : settled(value, expansion)),
    settleName: (name) => (typeof expansion === 'string' ? name : literal(name)),
    reject: (reason, field, message) => add('error', reason, field, message),
    warn: (reason, field, message) => add('warning', reason, field, message),
  };
}

function asValue(text: string | undefined): string | undefined {
  return text === undefined ? undefined : literal(text);
}
