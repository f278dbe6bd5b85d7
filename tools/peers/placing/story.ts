import type { Side } from './sides.ts';

/** Looks, when nothing has been said for a while, at what stands on pods and what is told of them. */
export type Look = (title: string) => Promise<void>;

/** What is done on each side. Where a pod goes must not be up to chance, nor to which of two comes first. */
export type Story = (side: Side, look: Look) => Promise<void>;

export type Stories = Readonly<Record<string, Story>>;
