import { expect, test } from 'vitest';
import { type Addresses, createAddresses } from './addresses.ts';

const known = (): Promise<void> => Promise.resolve();
const addresses = (podCidr?: string): Addresses => createAddresses({ podCidr: () => podCidr, known });
const taken = (from: Addresses, count: number): readonly string[] => Array.from({ length: count }, () => from.take());

test('a node that nobody gave a part has all of the network', () => {
  expect(taken(addresses(), 2)).toEqual(['10.64.0.2', '10.64.0.3']);
  expect(taken(addresses('10.244.1.0/24'), 1)).toEqual(['10.64.0.2']);
});

test('two nodes with parts of their own never have the same address', () => {
  const [one, other] = ['10.64.0.0/22', '10.64.4.0/22'].map((range) => new Set(taken(addresses(range), 1_000)));
  expect([one?.size, other?.size]).toEqual([1_000, 1_000]);
  expect([...(one ?? [])].filter((each) => other?.has(each))).toEqual([]);
  expect([...(other ?? [])][0]).toBe('10.64.4.2');
});

test('what is used up says of which part, and goes on with what is given back', () => {
  const few = addresses('10.64.4.0/29');
  expect(taken(few, 5).at(-1)).toBe('10.64.4.6');
  expect(() => few.take()).toThrow('all addresses of 10.64.4.0/29 are in use');
  few.give('10.64.4.3');
  expect(few.take()).toBe('10.64.4.3');
});

test('an address from before is had again where it is the node’s own, and runs on where it is not', () => {
  const own = addresses('10.64.4.0/22');
  expect(own.claim('10.64.4.9')).toBe(true);
  expect(own.claim('10.64.4.9')).toBe(false);
  expect(own.claim('10.64.0.9')).toBe(false);
  own.reserve('10.64.4.2');
  expect(own.take()).toBe('10.64.4.3');
});

test('who comes to its part later goes on there', () => {
  let cidr: string | undefined;
  const later = createAddresses({ podCidr: () => cidr, known });
  expect(later.take()).toBe('10.64.0.2');
  cidr = '10.64.8.0/22';
  expect(taken(later, 2)).toEqual(['10.64.8.2', '10.64.8.3']);
});
