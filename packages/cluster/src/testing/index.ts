export { systemClock } from '../base/clock.ts';
