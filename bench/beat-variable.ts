/** Names the file that a beat is written to. */
export const beatVariable = 'SIGNALBOX_BENCH_BEAT';
