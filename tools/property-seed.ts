/** One seed for all property tests, so that a run can be repeated; `FC_SEED=7 npm test` tries other worlds. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? '20260101') });
