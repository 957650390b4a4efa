#!/usr/bin/env -S node --enable-source-maps --max-semi-space-size=1 --optimize-for-size
import { main } from '../dist/src/main/agent.js';

await main(process.argv);
