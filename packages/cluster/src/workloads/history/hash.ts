import { fnv1a, safeAlphabet } from '../../base/random.ts';
import { canonicalText } from './canonical.ts';

/**
 * The short name of a pod template, as in `web-5d4f8c7b9`. Templates that mean the same have the same hash; a collision
 * count above 0 gives another one. The letters are upstream's; the digits behind them are our own, which nobody can tell.
 */
export function templateHash(template: object, collisionCount = 0): string {
  const text = canonicalText(template);
  return safeText(String(fnv1a(collisionCount === 0 ? text : `${text}${collisionCount}`)));
}

function safeText(digits: string): string {
  let text = '';
  for (let index = 0; index < digits.length; index++)
    text += safeAlphabet[digits.charCodeAt(index) % safeAlphabet.length] ?? '';
  return text;
}
