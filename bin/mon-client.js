#!/usr/bin/env -S node --enable-source-maps
import { main } from '../dist/src/main/client.js';

await main(process.argv);
