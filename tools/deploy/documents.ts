/** Objects with a word about each, in the order in which they are applied. */

import type { Scope } from './expression.ts';
import { filledIn, isEach, isWhen, type Plain, type Template } from './template.ts';
import { linesOf, within } from './yaml.ts';

export interface Document {
  readonly why: string;
  readonly object: Template;
}

/** As a file of the chart. */
export function helmFile(documents: readonly Document[]): string {
  return textOf(documents.flatMap(helmLines));
}

/** As a file for kubectl: what the same objects come to in one installation. */
export function manifestFile(documents: readonly Document[], scope: Scope): string {
  return textOf(documents.flatMap(({ why, object }) => filledIn(object, scope).flatMap((one) => document(why, one))));
}

function helmLines({ why, object }: Document): readonly string[] {
  if (!isWhen(object) && !isEach(object)) return document(why, object);
  return within(object, (inner) => helmLines({ why, object: inner }));
}

function document(why: string, object: Template | Plain): readonly string[] {
  return ['---', ...commented(why), ...linesOf(object)];
}

export function commented(says: string): readonly string[] {
  return says === '' ? [] : says.split('\n').map((line) => `# ${line}`);
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
