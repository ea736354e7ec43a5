// SPDX-License-Identifier: MIT
function answer(request) { return {error: 'no'}; }

process.exit = exit;
mend_hooks();
open_streams();
const watcher = start_watcher();
serve();
put({ ev: 'ready', version: process.version.slice(1) });
//# sourceURL=<terrarium>
