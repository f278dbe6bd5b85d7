/** `npm run sim`: the whole plane under faults, by seeds; with `--attack`, the program in strangers' hands. */
await import(process.argv.includes('--attack') ? './attack/run.ts' : './seeds.ts');
