import type { HorizontalPodAutoscalerSpec, HPAScalingRules } from '../../api/generated/autoscaling-v2.ts';
import { parseQuantity } from '../../api/quantity.ts';

/** How far a ratio may be from 1 without anything being done about it. */
export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

const toleranceDefault = 0.1;

export function toleranceOf({ behavior }: HorizontalPodAutoscalerSpec): Tolerance {
  return { up: fraction(behavior?.scaleUp), down: fraction(behavior?.scaleDown) };
}

function fraction(rules: HPAScalingRules | undefined): number {
  const nano = rules?.tolerance === undefined ? undefined : parseQuantity(rules.tolerance);
  return nano === undefined ? toleranceDefault : Number(nano) / 1e9;
}

/** Bounds included: a ratio of exactly 1.1 is close enough. */
export function isWithin(ratio: number, { up, down }: Tolerance): boolean {
  return ratio >= 1 - down && ratio <= 1 + up;
}

/** 1.1 × 10 is a hair more than 11 in binary; that hair is no replica. */
export function ceiling(value: number): number {
  return Math.ceil(Number(value.toFixed(9)));
}
